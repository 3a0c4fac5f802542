// Who is nearest, on a graphics card: every query against every candidate, candidates through shared memory.
//
// Distances are added up in the order of columns without fused multiply-add (compiled with --fmad=false, for D
// columns), as on the processor, so that no decision differs. A block ends when each of its queries has met a
// candidate that is nearer than its own.

const double TIE = 1e-9;

__device__ inline double apart(const double* a, const double* b, const double* weights, const bool* nominal,
                               bool gower) {
    double distance = 0.0;
#pragma unroll
    for (int c = 0; c < D; ++c) {
        double t = a[c] - b[c];
        if (!gower) distance += weights[c] * t * t;
        else if (nominal[c]) distance += t == 0.0 ? 0.0 : weights[c];
        else distance += weights[c] * fabs(t);
    }
    return distance;
}

extern "C" __global__ void own_is_nearest(const double* queries, long long n, const double* candidates,
                                          long long m, const long long* repeats, const long long* own,
                                          const double* weights, const bool* nominal, bool gower, double* out) {
    __shared__ double tile[WIDTH * D];
    __shared__ long long counts[WIDTH];
    __shared__ double by[D];
    __shared__ bool names[D];
    for (int c = threadIdx.x; c < D; c += blockDim.x) {
        by[c] = weights[c];
        names[c] = nominal[c];
    }
    __syncthreads();
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    bool found = i < n;
    double query[D], mine = 0.0;
    if (found) {
        for (int c = 0; c < D; ++c) query[c] = queries[i * D + c];
        mine = apart(candidates + own[i] * D, query, by, names, gower);
    }
    double nearer = mine * (1 - TIE), farther = mine * (1 + TIE);
    long long ties = 0;
    for (long long first = 0; first < m; first += WIDTH) {
        int width = (int)(m - first < WIDTH ? m - first : WIDTH);
        // a wait, and whether anybody is still looking
        if (!__syncthreads_or(found)) break;
        for (int p = threadIdx.x; p < width * D; p += blockDim.x) tile[p] = candidates[first * D + p];
        for (int p = threadIdx.x; p < width; p += blockDim.x) counts[p] = repeats[first + p];
        __syncthreads();
        for (int p = 0; p < width && found; ++p) {
            double distance = apart(tile + p * D, query, by, names, gower);
            if (distance < nearer) found = false;
            else if (distance <= farther) ties += counts[p];
        }
    }
    if (i < n) out[i] = found ? 1.0 / ties : 0.0;
}
