"""Half sums of rows: half of a sum is rounded up where all that counts is whole.

Rows a x >= b with whole a and b are added up and halved, (sum of a / 2) x >= sum of b / 2. Entries may be
rounded up, for no x is below 0, and then so may the right side, for the left one is whole. If that is half
of an odd number, half a unit is won; what is lost is half the slack of the rows, and half of x_j, or of
1 - x_j where x_j <= 1 is added first, for every odd entry of the sum. So it is parities that are looked for:
rows that are nearly tight, whose sum has an odd right side and few odd entries where x is fractional.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Off a whole number by no more than this counts as whole: entries are quotients of small whole numbers.
_WHOLE = 1e-9


@njit(cache=True, nogil=True)
def whole_multiples(start, value, right, most):
    """Of every row the least number up to `most` by which all of it becomes whole, or 0. O(entries most)."""
    made = np.zeros(right.shape[0], dtype=np.int64)
    for i in range(right.shape[0]):
        for times in range(1, most + 1):
            fits = abs(times * right[i] - np.round(times * right[i])) <= _WHOLE * times
            entry = start[i]
            while fits and entry < start[i + 1]:
                scaled = times * value[entry]
                fits = abs(scaled - np.round(scaled)) <= _WHOLE * times
                entry += 1
            if fits:
                made[i] = times
                break
    return made


@njit(cache=True, nogil=True)
def rounded_up(number):
    """The next whole number, where rounding is not what puts it beyond one."""
    return np.ceil(number - _WHOLE * max(1.0, abs(number)))


@njit(cache=True, nogil=True)
def nearly_tight(rows, x, rounded, least, terms):
    """Rows whose slack leaves something to win, as whole rows, or with entries rounded up; how many.

    `rounded`: up to which number rows are multiplied before they are rounded. Entries where x is 0 are passed
    once, the few others are kept aside. O(entries + entries where x is above 0, times rounded).
    """
    count = 0
    value, share = np.empty(x.shape[0]), np.empty(x.shape[0])
    for i in range(rows.right.shape[0]):
        whole = rows.whole[i]
        plain = -rows.right[i]
        above = 0
        for entry in range(rows.start[i], rows.start[i + 1]):
            if x[rows.at[entry]] > 0.0:
                value[above], share[above] = rows.value[entry], x[rows.at[entry]]
                plain += value[above] * share[above]
                above += 1
        for choice in range(rounded + 1):
            times = choice if choice > 0 else whole
            # an odd multiple of a whole row is the same parity, an even one is none
            if times == 0 or (choice > 0 and whole > 0 and choice % whole == 0):
                continue
            # rounding a right side up may win a unit, rounding entries only loses
            if times * plain > 2.0:
                continue
            slack = -rounded_up(times * rows.right[i])
            for k in range(above):
                slack += rounded_up(times * value[k]) * share[k]
            if slack < 1.0 - least and count < terms.row.shape[0]:
                terms.row[count], terms.times[count], terms.slack[count] = i, times, max(0.0, slack)
                count += 1
    return count


@njit(cache=True, nogil=True)
def parities(rows, terms, x, place, odd, odd_right):
    """Which entries of each term are odd where x is fractional (at `place`), and whether its right side is.

    Where x is above a half, the cell counts as 1 less what is missing. O(entries of the terms).
    """
    for k in range(terms.row.shape[0]):
        i, times = terms.row[k], terms.times[k]
        right = int(rounded_up(times * rows.right[i]))
        for entry in range(rows.start[i], rows.start[i + 1]):
            cell = rows.at[entry]
            if x[cell] > 0.0 and int(rounded_up(times * rows.value[entry])) % 2 != 0:
                if x[cell] > 0.5:
                    right -= 1
                if place[cell] >= 0:
                    odd[k, place[cell]] = True
        odd_right[k] = right % 2 != 0


@njit(cache=True, nogil=True)
def _packed(bits):
    """Sixty-four bits a word."""
    lines, columns = bits.shape
    words = np.zeros((lines, columns // 64 + 1), dtype=np.uint64)
    for k in range(lines):
        for j in range(columns):
            if bits[k, j]:
                words[k, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    return words


@njit(cache=True, nogil=True)
def _set(words, k, j):
    """Whether a bit is set."""
    return (words[k, j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def add_up(odd, odd_right, slack, weight, order, least, sums):
    """Gauss's elimination of parities: which terms to add up so that at least so much is won; how many sums.

    Fractional cells one after the other in `order`: of the terms that are odd there the tightest is added to
    all others. Whatever is violated on the way goes into `sums`, a mark for every term of it; `odd_right` and
    `slack` are used up. O(terms^2 (cells + terms)) bits at worst, 64 at a time.
    """
    terms, cells = odd.shape
    left, made = _packed(odd), _packed(np.eye(terms, dtype=np.bool_))
    gone = np.zeros(terms, dtype=np.bool_)
    new = np.ones(terms, dtype=np.bool_)
    count = 0
    for step in range(order.shape[0] + 1):
        for k in range(terms):
            if not new[k] or gone[k]:
                continue
            new[k] = False
            if not odd_right[k]:
                continue
            won = 1.0 - slack[k]
            for j in range(cells):
                if _set(left, k, j):
                    won -= weight[j]
                    if won < least:
                        break
            if won >= least:
                if count == sums.shape[0]:
                    return count
                for j in range(terms):
                    sums[count, j] = _set(made, k, j)
                count += 1
        if step == order.shape[0]:
            break
        cell = order[step]
        tightest = -1
        for k in range(terms):
            if not gone[k] and (tightest < 0 or slack[k] < slack[tightest]) and _set(left, k, cell):
                tightest = k
        if tightest < 0:
            continue
        gone[tightest] = True
        for k in range(terms):
            if gone[k] or not _set(left, k, cell):
                continue
            slack[k] += slack[tightest]
            if slack[k] > 1.0 - least:
                gone[k] = True
                continue
            new[k] = True
            odd_right[k] = odd_right[k] != odd_right[tightest]
            for word in range(left.shape[1]):
                left[k, word] ^= left[tightest, word]
            for word in range(made.shape[1]):
                made[k, word] ^= made[tightest, word]
    return count


@njit(cache=True, nogil=True)
def half_sums(rows, terms, x, sums, entries, rights, shorts):
    """The row of each sum, halved and rounded up, and by how much of its length x falls short. O(entries)."""
    for s in range(sums.shape[0]):
        row = entries[s]
        row[:] = 0.0
        right = 0.0
        for k in range(terms.row.shape[0]):
            if sums[s, k]:
                i, times = terms.row[k], terms.times[k]
                right += rounded_up(times * rows.right[i])
                for entry in range(rows.start[i], rows.start[i + 1]):
                    row[rows.at[entry]] += rounded_up(times * rows.value[entry])
        reached, square = 0.0, 0.0
        for j in range(row.shape[0]):
            if row[j] != 0.0:
                if x[j] > 0.5 and row[j] % 2.0 != 0.0:
                    row[j] -= 1.0
                    right -= 1.0
                row[j] = np.ceil(row[j] / 2.0)
                reached += row[j] * x[j]
                if x[j] > 0.0:
                    square += row[j] * row[j]
        rights[s] = np.ceil(right / 2.0)
        shorts[s] = (rights[s] - reached) / np.sqrt(max(square, 1.0))


@njit(cache=True, nogil=True)
def unlike(entries, inside, order, alike, kept):
    """Rows in some order of which no two have a cosine above `alike` among the columns `inside`.

    Fills `kept` until it is full; returns how many. O(entries inside, times those kept).
    """
    across, along = np.zeros((inside.shape[0], kept.shape[0])), np.empty(kept.shape[0])
    count = 0
    for k in order:
        if count == kept.shape[0]:
            break
        row, square = entries[k], 0.0
        along[:count] = 0.0
        for place in range(inside.shape[0]):
            figure = row[inside[place]]
            if figure != 0.0:
                square += figure * figure
                for before in range(count):
                    along[before] += figure * across[place, before]
        length = np.sqrt(max(square, 1e-18))
        near = False
        for before in range(count):
            near |= along[before] > alike * length
        if not near:
            for place in range(inside.shape[0]):
                across[place, count] = row[inside[place]] / length
            kept[count] = k
            count += 1
    return count
