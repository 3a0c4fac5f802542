// The rounds of MDAV on a graphics card: one kernel that stays, records in leaves of 32, a warp to a leaf.
//
// A leaf knows the middle C of its box, the radius p around it, the largest squared distance M^2 of its
// records from a common point o, and |C - o|^2. For a point r and any record x of the leaf
//     |x - r| >= |C - r| - p,
//     |x - r|^2 <= |C - r|^2 + M^2 - |C - o|^2 + 2 p |r - o|.
// What a bound does not exclude is decided by distances added up in the order of columns, without fused
// multiply-add (compiled with --fmad=false, for D columns and groups of K); ties go to the lowest row. So no
// group differs from those of the loop on the processor. A record that is gone has NaN in its first coordinate;
// who went in the last two groups is remembered by every thread block too, since the note in memory may not
// have reached it.
//
// Three waits of the whole grid a round: the farthest from the mean; around it, with the farthest from it;
// around that. After each, every thread block reduces the candidates of all by itself, without a further wait.

typedef unsigned long long Bits;

const int WIDTH = 32;
const double SLACK = 1e-11;
// Leaves on either side of a seed's among which its nearest are first looked for.
const int AROUND = 64;
// So few nearest are found faster one after the other.
const int FEW = 12;
#define FAR __longlong_as_double(0x7ff0000000000000LL)
#define NOT_HERE __longlong_as_double(0x7ff8000000000000LL)

struct Found { double distance; int row; int place; };

#define NOBODY_FAR { -1.0, 0x7fffffff, -1 }
#define NOBODY_NEAR { FAR, 0x7fffffff, -1 }

// state: records when leaves were filled, records left, groups made
enum { LENGTH = 0, ALIVE = 1, GROUPS = 2 };

__device__ inline void all_wait(volatile unsigned* arrived, unsigned& goal) {
    goal += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((unsigned*)arrived, 1u);
        while (*arrived < goal) { }
        __threadfence();
    }
    __syncthreads();
}

__device__ inline bool nearer(double a, int i, double b, int j) { return a < b || (a == b && i < j); }
__device__ inline bool farther(double a, int i, double b, int j) { return a > b || (a == b && i < j); }

// What the lane so many places across has.
__device__ inline Found across(Found own, int step) {
    Found other;
    other.distance = __shfl_xor_sync(~0u, own.distance, step);
    other.row = __shfl_xor_sync(~0u, own.row, step);
    other.place = __shfl_xor_sync(~0u, own.place, step);
    return other;
}

__device__ inline Found farthest_of_warp(Found own) {
    for (int step = 16; step > 0; step >>= 1) {
        Found other = across(own, step);
        if (farther(other.distance, other.row, own.distance, own.row)) own = other;
    }
    return own;
}

__device__ inline Found nearest_of_warp(Found own) {
    for (int step = 16; step > 0; step >>= 1) {
        Found other = across(own, step);
        if (nearer(other.distance, other.row, own.distance, own.row)) own = other;
    }
    return own;
}

// points: column c of record j of leaf l at (l * D + c) * 32 + j; centres by column.
struct Leaves {
    double* points; const int* rows; const double* centres; double* radius; double* reach;
    const double* offset; const double* origin; int count;
};

// What a thread block keeps in shared memory.
struct Desk {
    double* point;      // d: around which it searches
    double* origin;     // d: o
    double* sums;       // d: of all records left
    int* gone;          // 2 k: rows of the last two groups
    double* best;       // warps * k: the nearest of each warp, in order
    int* rows;          // the same: their rows
    int* places;
    double* away;       // 1
};

__device__ inline double distance_of(const Leaves& leaves, int leaf, int lane, const double* point) {
    const double* at = leaves.points + ((size_t)leaf * D) * WIDTH + lane;
    double total = 0.0;
    #pragma unroll
    for (int c = 0; c < D; c++) {
        double t = at[c * WIDTH] - point[c];
        total += t * t;
    }
    return total;
}

__device__ inline bool is_gone(const Desk& desk, int count, int row) {
    for (int i = 0; i < count; i++) if (desk.gone[i] == row) return true;
    return false;
}

__device__ inline double centre_gap(const Leaves& leaves, int leaf, const double* point) {
    double total = 0.0;
    #pragma unroll
    for (int c = 0; c < D; c++) {
        double t = leaves.centres[(size_t)c * leaves.count + leaf] - point[c];
        total += t * t;
    }
    return total;
}

__device__ inline double highest(const Leaves& leaves, int leaf, double gap, double away) {
    double radius = leaves.radius[leaf], reach = leaves.reach[leaf];
    if (reach < 0.0) return -1.0;  // nobody is left
    if (radius == 0.0) return gap;
    double offset = leaves.offset[leaf];
    return gap + reach - offset + 2.0 * radius * away + SLACK * (gap + reach + offset);
}

// A record joins the list of its warp, of m places in order, if it is nearer than the last. All lanes call it.
__device__ inline void insert(double* best, int* rows, int* places, int m, double distance, int row, int place) {
    int lane = threadIdx.x % WIDTH;
    int rank = 0;
    for (int start = 0; start < m; start += WIDTH) {
        int i = start + lane;
        bool before = i < m && nearer(best[i], rows[i], distance, row);
        rank += __popc(__ballot_sync(~0u, before));
    }
    for (int start = (m - 1) / WIDTH * WIDTH; start >= 0; start -= WIDTH) {
        int i = start + lane;
        double d = 0.0; int r = 0, p = 0;
        bool moves = i < m && i > rank;
        if (moves) { d = best[i - 1]; r = rows[i - 1]; p = places[i - 1]; }
        __syncwarp();
        if (moves) { best[i] = d; rows[i] = r; places[i] = p; }
        __syncwarp();
    }
    if (lane == 0 && rank < m) { best[rank] = distance; rows[rank] = row; places[rank] = place; }
    __syncwarp();
}

// Look at a leaf record by record: keep the farthest, and the m nearest.
__device__ inline void look_at(
    const Leaves& leaves, const Desk& desk, int leaf, int gone, bool want_farthest, int m, double bound,
    Found& far, double* best, int* rows, int* places
) {
    int lane = threadIdx.x % WIDTH;
    double distance = distance_of(leaves, leaf, lane, desk.point);
    int place = leaf * WIDTH + lane, row = leaves.rows[place];
    if (want_farthest && farther(distance, row, far.distance, far.row) && !is_gone(desk, gone, row)) {
        far = Found{ distance, row, place };
    }
    if (m == 0) return;
    bool candidate = distance <= bound && nearer(distance, row, best[m - 1], rows[m - 1]);
    candidate = candidate && !is_gone(desk, gone, row);
    unsigned some = __ballot_sync(~0u, candidate);
    while (some) {
        int source = __ffs(some) - 1;
        some &= some - 1;
        double d = __shfl_sync(~0u, distance, source);
        int r = __shfl_sync(~0u, row, source), p = __shfl_sync(~0u, place, source);
        if (nearer(d, r, best[m - 1], rows[m - 1])) insert(best, rows, places, m, d, r, p);
    }
}

__device__ inline void clear(double* best, int* rows, int* places, int m) {
    for (int i = threadIdx.x % WIDTH; i < m; i += WIDTH) { best[i] = FAR; rows[i] = 0x7fffffff; places[i] = -1; }
    __syncwarp();
}

// The leaf so many steps along the order of cuts from another, or -1. Neighbours in that order stand 32 apart,
// each with another warp, since a search is busy where its point is.
__device__ inline int beside(const Leaves& leaves, int leaf, int step) {
    int rows_of_leaves = leaves.count / WIDTH;
    int at = leaf / WIDTH + leaf % WIDTH * rows_of_leaves + step;
    if (at < 0 || at >= leaves.count) return -1;
    return at % rows_of_leaves * WIDTH + at / rows_of_leaves;
}

// A distance within which m records lie: that of the m-th nearest among leaves around the seed's.
__device__ double within(
    const Leaves& leaves, const Desk& desk, int seed_leaf, int gone, int m, Found& far, double* best, int* rows,
    int* places
) {
    int lane = threadIdx.x % WIDTH;
    if (m <= FEW) {
        // all distances at once, and the least of them m times
        double own[3];
        for (int j = 0; j < 3; j++) {
            int leaf = beside(leaves, seed_leaf, j - 1);
            own[j] = FAR;
            if (leaf < 0) continue;
            double distance = distance_of(leaves, leaf, lane, desk.point);
            if (distance < FAR && !is_gone(desk, gone, leaves.rows[leaf * WIDTH + lane])) own[j] = distance;
        }
        double least = FAR;
        for (int i = 0; i < m; i++) {
            int which = own[1] < own[0] ? 1 : 0;
            if (own[2] < own[which]) which = 2;
            double mine = which == 0 ? own[0] : which == 1 ? own[1] : own[2];
            least = mine;
            for (int step = 16; step > 0; step >>= 1) least = fmin(least, __shfl_xor_sync(~0u, least, step));
            int winner = __ffs(__ballot_sync(~0u, mine == least)) - 1;
            for (int j = 0; j < 3; j++) if (lane == winner && j == which) own[j] = FAR;
        }
        if (least < FAR) return least;
    }
    for (int step = 0; step < AROUND && (step < 2 || best[m - 1] == FAR); step++) {
        for (int side = -1; side <= (step ? 1 : -1); side += 2) {
            int leaf = beside(leaves, seed_leaf, side * step);
            if (leaf >= 0) look_at(leaves, desk, leaf, gone, false, m, FAR, far, best, rows, places);
        }
    }
    double bound = best[m - 1];
    __syncwarp();
    // each record is told by the warp that its leaf belongs to
    clear(best, rows, places, m);
    return bound;
}

// Search around desk.point: the farthest of what is left, its m nearest, or both; candidates of this thread
// block go to `fars` and `nears`. `largest` holds the bits of the largest distance that any block has found.
__device__ void search(
    const Leaves& leaves, const Desk& desk, int gone, bool want_farthest, int m, int seed_leaf,
    Bits* largest, Found* fars, Found* nears
) {
    int lane = threadIdx.x % WIDTH, warp = threadIdx.x / WIDTH, warps = blockDim.x / WIDTH;
    double* best = desk.best + (size_t)warp * m;
    int* rows = desk.rows + (size_t)warp * m;
    int* places = desk.places + (size_t)warp * m;
    __shared__ double shared_bound;
    clear(best, rows, places, m);
    Found far = NOBODY_FAR;
    double away = *desk.away;
    double bound = FAR;
    if (m > 0 && warp == 0) {
        bound = within(leaves, desk, seed_leaf, gone, m, far, best, rows, places);
        if (lane == 0) shared_bound = bound;
    }
    if (m > 0) {
        __syncthreads();
        bound = shared_bound;
    }
    // the last thread block keeps the books meanwhile
    int stride = (gridDim.x - 1) * blockDim.x;
    int turn = blockIdx.x == gridDim.x - 1 ? leaves.count + lane : (blockIdx.x * warps + warp) * WIDTH + lane;
    double first_gap = 0.0;
    if (want_farthest) {
        // the most promising leaf of each warp first
        Found top = NOBODY_FAR;
        for (int leaf = turn; leaf < leaves.count; leaf += stride) {
            double gap = centre_gap(leaves, leaf, desk.point);
            if (leaf == turn) first_gap = gap;
            double highest_here = highest(leaves, leaf, gap, away);
            if (highest_here > top.distance) top = Found{ highest_here, leaf, leaf };
        }
        top = farthest_of_warp(top);
        if (top.place >= 0) {
            look_at(leaves, desk, top.place, gone, true, 0, FAR, far, best, rows, places);
            Found own = farthest_of_warp(far);
            if (lane == 0 && own.place >= 0) atomicMax(largest, (Bits)__double_as_longlong(own.distance));
        }
    }
    double known = 0.0;
    for (int base = turn - lane; base < leaves.count; base += stride) {
        int leaf = base + lane;
        if (want_farthest) known = __longlong_as_double((long long)*(volatile Bits*)largest);
        bool open_far = false, open_near = false;
        if (leaf < leaves.count && leaves.reach[leaf] >= 0.0) {
            double gap = want_farthest && leaf == turn ? first_gap : centre_gap(leaves, leaf, desk.point);
            if (want_farthest) open_far = highest(leaves, leaf, gap, away) >= known;
            if (m > 0) {
                double limit = fmin(best[m - 1], bound);
                double radius = leaves.radius[leaf];
                double reach = sqrt(limit) * (1.0 + SLACK) + radius;
                open_near = radius == 0.0 ? gap <= limit : gap <= reach * reach * (1.0 + SLACK);
            }
        }
        unsigned some = __ballot_sync(~0u, open_far || open_near);
        while (some) {
            int source = __ffs(some) - 1;
            some &= some - 1;
            bool wanted_far = __shfl_sync(~0u, (int)open_far, source);
            bool wanted_near = __shfl_sync(~0u, (int)open_near, source);
            look_at(leaves, desk, base + source, gone, wanted_far, wanted_near ? m : 0, bound, far, best, rows, places);
            if (wanted_far) {
                Found own = farthest_of_warp(far);
                far = own;
                if (lane == 0 && own.place >= 0) atomicMax(largest, (Bits)__double_as_longlong(own.distance));
            }
        }
    }
    // the candidates of the whole thread block
    __shared__ Found shared_far[32];
    if (want_farthest) {
        far = farthest_of_warp(far);
        if (lane == 0) shared_far[warp] = far;
    }
    __syncthreads();
    if (warp == 0) {
        if (want_farthest) {
            Found own = NOBODY_FAR;
            if (lane < warps) own = shared_far[lane];
            own = farthest_of_warp(own);
            if (lane == 0) fars[blockIdx.x] = own;
        }
        // lists are in order: take the smallest head m times
        int head = 0;
        for (int i = 0; i < m; i++) {
            Found own = NOBODY_NEAR;
            int at = lane * m + head;
            while (lane < warps && head < m && desk.places[at] < 0) { head++; at++; }
            if (lane < warps && head < m) own = Found{ desk.best[at], desk.rows[at], desk.places[at] };
            Found least = nearest_of_warp(own);
            if (least.place >= 0 && least.place == own.place) head++;
            if (lane == 0) nears[(size_t)blockIdx.x * m + i] = least;
            if (least.place < 0) {
                for (int j = i + 1 + lane; j < m; j += WIDTH) nears[(size_t)blockIdx.x * m + j] = least;
                break;
            }
        }
    }
}

// The farthest of all thread blocks, the same in each of them.
__device__ Found agreed_farthest(const Found* fars, Found* kept) {
    int lane = threadIdx.x % WIDTH;
    if (threadIdx.x < WIDTH) {
        Found own = NOBODY_FAR;
        for (int b = lane; b < gridDim.x; b += WIDTH) {
            Found other = fars[b];
            if (farther(other.distance, other.row, own.distance, own.row)) own = other;
        }
        own = farthest_of_warp(own);
        if (lane == 0) *kept = own;
    }
    __syncthreads();
    return *kept;
}

// The m nearest of all thread blocks, in order, into `chosen`. brought: room for all candidates, or nothing.
__device__ void agreed_nearest(const Found* nears, int m, Found* chosen, int* heads, Found* brought) {
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) heads[b] = 0;
    if (brought) {
        for (int i = threadIdx.x; i < gridDim.x * m; i += blockDim.x) brought[i] = nears[i];
        nears = brought;
    }
    __syncthreads();
    if (threadIdx.x < WIDTH) {
        int lane = threadIdx.x;
        for (int i = 0; i < m; i++) {
            Found own = NOBODY_NEAR;
            int whose = -1;
            for (int b = lane; b < gridDim.x; b += WIDTH) {
                if (heads[b] >= m) continue;
                Found other = nears[(size_t)b * m + heads[b]];
                if (other.place < 0 || !nearer(other.distance, other.row, own.distance, own.row)) continue;
                own = other;
                whose = b;
            }
            Found least = nearest_of_warp(own);
            if (whose >= 0 && least.place == own.place) heads[whose]++;
            if (lane == 0) chosen[i] = least;
            __syncwarp();
        }
    }
    __syncthreads();
}

__device__ inline void go_to(const Desk& desk, const double* columns, size_t n, int row) {
    for (int c = threadIdx.x; c < D; c += blockDim.x) desk.point[c] = columns[(size_t)c * n + row];
    __syncthreads();
}

// |point - o|, by one thread
__device__ inline void measure_away(const Desk& desk) {
    if (threadIdx.x == 0) {
        double total = 0.0;
        #pragma unroll
        for (int c = 0; c < D; c++) {
            double t = desk.point[c] - desk.origin[c];
            total += t * t;
        }
        *desk.away = sqrt(total) * (1.0 + SLACK);
    }
    __syncthreads();
}

// A group: label it, draw in its leaves, take it from the sums. Memory is written by the last block alone.
__device__ void take(
    const Leaves& leaves, const Desk& desk, const double* columns, size_t n, int* labels, int label,
    const Found& seed, const Found* chosen, int m, int half
) {
    int lane = threadIdx.x % WIDTH, warp = threadIdx.x / WIDTH, warps = blockDim.x / WIDTH;
    for (int c = threadIdx.x; c < D; c += blockDim.x) {
        double total = desk.sums[c] - columns[(size_t)c * n + seed.row];
        for (int i = 0; i < m; i++) total -= columns[(size_t)c * n + chosen[i].row];
        desk.sums[c] = total;
    }
    for (int i = threadIdx.x; i <= m; i += blockDim.x) {
        Found one = i ? chosen[i - 1] : seed;
        desk.gone[half * (m + 1) + i] = one.row;
        if (blockIdx.x == gridDim.x - 1) {
            labels[one.row] = label;
            size_t at = ((size_t)(one.place / WIDTH) * D) * WIDTH + one.place % WIDTH;
            leaves.points[at] = NOT_HERE;
        }
    }
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1) {
        for (int i = warp; i <= m; i += warps) {
            int leaf = (i ? chosen[i - 1].place : seed.place) / WIDTH;
            const double* at = leaves.points + ((size_t)leaf * D) * WIDTH + lane;
            double near = 0.0, far = 0.0;
            bool here = !isnan(((volatile const double*)at)[0]);
            #pragma unroll
            for (int c = 0; c < D; c++) {
                double value = at[c * WIDTH];
                double t = value - leaves.centres[(size_t)c * leaves.count + leaf];
                near += t * t;
                t = value - leaves.origin[c];
                far += t * t;
            }
            if (!here) { near = 0.0; far = -1.0; }
            for (int step = 16; step > 0; step >>= 1) {
                near = fmax(near, __shfl_xor_sync(~0u, near, step));
                far = fmax(far, __shfl_xor_sync(~0u, far, step));
            }
            if (lane == 0) { leaves.radius[leaf] = sqrt(near) * (1.0 + SLACK); leaves.reach[leaf] = far; }
        }
    }
    __syncthreads();
}

// Put back the limit that all thread blocks are done with, and go on to the next.
__device__ inline int next_limit(Bits* limits, int turn) {
    if (blockIdx.x == 0 && threadIdx.x == 0) limits[(turn + 3) % 4] = 0;
    return (turn + 1) % 4;
}

// Up to `rounds` rounds; ends before one where fewer than 3 k records are left or an eighth of them is gone.
extern "C" __global__ void mdav_rounds(
    const double* columns, long long n, double* points, const int* rows, const double* centres, double* radius,
    double* reach, const double* offset, const double* origin, int count, int rounds, double* sums,
    int* labels, long long* state, Found* fars, Found* nears, Bits* limits, unsigned* arrived, int bring
) {
    extern __shared__ double room[];
    const int d = D, k = K, m = K - 1;
    int warps = blockDim.x / WIDTH;
    Desk desk;
    desk.point = room; desk.origin = room + d; desk.sums = desk.origin + d; desk.away = desk.sums + d;
    desk.best = desk.away + 1;
    Found* chosen = (Found*)(desk.best + (size_t)warps * m);
    Found* kept = chosen + m;
    desk.rows = (int*)(kept + 1); desk.places = desk.rows + warps * m; desk.gone = desk.places + warps * m;
    int* heads = desk.gone + 2 * k;
    Found* brought = bring ? (Found*)(((size_t)(heads + gridDim.x) + 15) / 16 * 16) : 0;
    Leaves leaves = { points, rows, centres, radius, reach, offset, origin, count };
    Found* others = nears + (size_t)gridDim.x * m;
    unsigned goal = 0;
    long long length = state[LENGTH], alive = state[ALIVE], groups = state[GROUPS];
    for (int c = threadIdx.x; c < d; c += blockDim.x) { desk.sums[c] = sums[c]; desk.origin[c] = origin[c]; }
    for (int i = threadIdx.x; i < 2 * k; i += blockDim.x) desk.gone[i] = -1;
    __syncthreads();
    // four limits in turn, so that one can be put back while others are in use
    int turn = 0;
    for (int round = 0; round < rounds && alive >= 3 * (long long)k && length - alive <= length / 8; round++) {
        for (int c = threadIdx.x; c < d; c += blockDim.x) desk.point[c] = desk.sums[c] / (double)alive;
        __syncthreads();
        measure_away(desk);
       search(leaves, desk, 2 * k, true, 0, 0, limits + turn, fars, nears);
       all_wait(arrived, goal);
        turn = next_limit(limits, turn);
        Found seed = agreed_farthest(fars, kept);
        // whoever is seed is gone from here on
        if (threadIdx.x == 0) desk.gone[0] = seed.row;
       go_to(desk, columns, n, seed.row);
        measure_away(desk);
        search(leaves, desk, 2 * k, true, m, seed.place / WIDTH, limits + turn, fars + gridDim.x, nears);
       all_wait(arrived, goal);
        turn = next_limit(limits, turn);
        agreed_nearest(nears, m, chosen, heads, brought);
       Found second = agreed_farthest(fars + gridDim.x, kept);
       take(leaves, desk, columns, n, labels, (int)groups, seed, chosen, m, 0);
        groups++; alive -= k;
       bool again = is_gone(desk, k, second.row);
        if (again) {
            // all that is left lies at one distance, and the lowest row of it was the nearest too
            search(leaves, desk, 2 * k, true, 0, 0, limits + turn, fars, nears);
            all_wait(arrived, goal);
            turn = next_limit(limits, turn);
            second = agreed_farthest(fars, kept);
        }
        if (threadIdx.x == 0) desk.gone[k] = second.row;
        for (int i = threadIdx.x + 1; i < k; i += blockDim.x) desk.gone[k + i] = -1;
        go_to(desk, columns, n, second.row);
        search(leaves, desk, 2 * k, false, m, second.place / WIDTH, limits + turn, fars, others);
       all_wait(arrived, goal);
        turn = next_limit(limits, turn);
        agreed_nearest(others, m, chosen, heads, brought);
        take(leaves, desk, columns, n, labels, (int)groups, second, chosen, m, 1);
        groups++; alive -= k;
    }
    all_wait(arrived, goal);
    if (blockIdx.x == 0) {
        for (int c = threadIdx.x; c < d; c += blockDim.x) sums[c] = desk.sums[c];
        if (threadIdx.x == 0) { state[ALIVE] = alive; state[GROUPS] = groups; }
    }
}

// The axis along which a sample of each part spreads most; a thread for each part.
extern "C" __global__ void widest(
    const double* columns, long long n, const int* rows, const int* starts, int parts, int* axis
) {
    int part = blockIdx.x * blockDim.x + threadIdx.x;
    if (part >= parts) return;
    int low = starts[part], high = starts[part + 1], step = max(1, (high - low) / 64), best = 0;
    double most = -1.0;
    for (int c = 0; c < D; c++) {
        double least = FAR, largest = -FAR;
        for (int i = low; i < high; i += step) {
            double value = columns[(size_t)c * n + rows[i]];
            least = fmin(least, value); largest = fmax(largest, value);
        }
        if (largest - least > most) { most = largest - least; best = c; }
    }
    axis[part] = best;
}

// Leaves of rows, a warp to each; a row below 0 is nobody.
extern "C" __global__ void fill(
    const double* columns, long long n, const int* rows, const double* origin, double* points,
    double* centres, double* radius, double* reach, double* offset, int count
) {
    int leaf = (blockIdx.x * blockDim.x + threadIdx.x) / WIDTH, lane = threadIdx.x % WIDTH;
    if (leaf >= count) return;
    int place = leaf * WIDTH + lane;
    bool here = rows[place] >= 0;
    int row = max(0, rows[place]);
    double near = 0.0, far = 0.0, middle = 0.0;
    for (int c = 0; c < D; c++) {
        double value = columns[(size_t)c * n + row];
        double low = here ? value : FAR, high = here ? value : -FAR;
        for (int step = 16; step > 0; step >>= 1) {
            low = fmin(low, __shfl_xor_sync(~0u, low, step));
            high = fmax(high, __shfl_xor_sync(~0u, high, step));
        }
        double centre = low <= high ? low + 0.5 * (high - low) : 0.0;
        points[((size_t)leaf * D + c) * WIDTH + lane] = here ? value : NOT_HERE;
        if (lane == 0) centres[(size_t)c * count + leaf] = centre;
        double t = value - centre;
        near += t * t;
        t = value - origin[c];
        far += t * t;
        t = centre - origin[c];
        middle += t * t;
    }
    if (!here) { near = 0.0; far = -1.0; }
    for (int step = 16; step > 0; step >>= 1) {
        near = fmax(near, __shfl_xor_sync(~0u, near, step));
        far = fmax(far, __shfl_xor_sync(~0u, far, step));
    }
    if (lane == 0) { radius[leaf] = sqrt(near) * (1.0 + SLACK); reach[leaf] = far; offset[leaf] = middle; }
}

// Sums of columns in the order of rows, a thread block to each: one thread adds what all bring near.
extern "C" __global__ void sums_in_order(
    const double* columns, long long n, const int* rows, int length, double* sums
) {
    __shared__ double brought[1024];
    const double* column = columns + (size_t)blockIdx.x * n;
    double total = 0.0;
    for (int start = 0; start < length; start += 1024) {
        int here = min(1024, length - start);
        for (int i = threadIdx.x; i < here; i += blockDim.x) brought[i] = column[rows[start + i]];
        __syncthreads();
        if (threadIdx.x == 0) for (int i = 0; i < here; i++) total += brought[i];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
