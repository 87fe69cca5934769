/* Stable sorting by radix: linear time, no comparisons; rows ride along in the low half of a packed key. */
#include "native.h"

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* Sort by the high 32 bits, keeping the order of equal ones; gives whichever of the two arrays holds the result. */
uint64_t *sort_packed(uint64_t *packed, uint64_t *spare, int64_t n) {
    static _Thread_local int64_t counts[3][BUCKETS];
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = packed[i] >> 32;
        counts[0][key & (BUCKETS - 1)]++;
        counts[1][key >> DIGIT & (BUCKETS - 1)]++;
        counts[2][key >> 2 * DIGIT]++;
    }
    uint64_t *source = packed, *target = spare;
    for (int digit = 0; digit < 3 && n > 0; digit++) {
        int shift = 32 + DIGIT * digit;
        int64_t *count = counts[digit], total = 0;
        if (count[source[0] >> shift & (BUCKETS - 1)] == n) continue; /* all keys agree in this digit */
        for (int b = 0; b < BUCKETS; b++) {
            int64_t here = count[b];
            count[b] = total;
            total += here;
        }
        for (int64_t i = 0; i < n; i++) target[count[source[i] >> shift & (BUCKETS - 1)]++] = source[i];
        uint64_t *swap = source;
        source = target;
        target = swap;
    }
    return source;
}

static void unpack(const uint64_t *ordered, int64_t n, int32_t *order) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)(uint32_t)ordered[i];
}

/* The stable ascending order of 32-bit integers. */
KERNEL void order_by_integers(const int32_t *keys, int64_t n, uint64_t *packed, uint64_t *spare, int32_t *order) {
    for (int64_t i = 0; i < n; i++) packed[i] = (uint64_t)((uint32_t)keys[i] ^ 0x80000000u) << 32 | (uint64_t)i;
    unpack(sort_packed(packed, spare, n), n, order);
}

/* Number the rows in an order by runs of one size; the last run takes what is left over. */
KERNEL void runs_in(const int32_t *order, int64_t n, int64_t size, int64_t runs, int32_t *numbers) {
    for (int64_t run = 0, i = 0; run < runs; run++)
        for (int64_t stop = run + 1 < runs ? i + size : n; i < stop; i++) numbers[order[i]] = (int32_t)run;
}

/* The place of each row in an order. */
KERNEL void places_in(const int32_t *order, int64_t n, int32_t *places) {
    for (int64_t i = 0; i < n; i++) places[order[i]] = (int32_t)i;
}

/* Put each number where its row says. */
KERNEL void put_at(const int32_t *rows, int64_t n, const int32_t *numbers, int32_t *out) {
    for (int64_t i = 0; i < n; i++) out[rows[i]] = numbers[i];
}

/* Count the splits that each key has reached, of some that ascend; list the rows whose key is as the last of these, and
 * give how many they are. Every step halves what may be, without a jump that depends on the key. */
KERNEL int64_t count_splits(const uint64_t *keys, int64_t n, const uint64_t *splits, int64_t number, int32_t *found,
                            int32_t *alike) {
    int64_t listed = 0;
    for (int64_t row = 0; row < n; row++) {
        const uint64_t key = keys[row], *at = splits;
        for (int64_t left = number, half; left > 0; left -= half) {
            half = (left + 1) / 2;
            at = UNPREDICTABLE(at[half - 1] <= key) ? at + half : at;
        }
        found[row] = (int32_t)(at - splits);
        if (at > splits && at[-1] == key) alike[listed++] = (int32_t)row;
    }
    return listed;
}

/* Stable merge sort of a short run of rows by their full keys. */
static void sort_run(int32_t *run, int32_t *scratch, const uint64_t *keys, int64_t n) {
    if (n <= 24) {
        for (int64_t i = 1; i < n; i++) {
            int32_t row = run[i];
            int64_t j = i - 1;
            for (; j >= 0 && keys[run[j]] > keys[row]; j--) run[j + 1] = run[j];
            run[j + 1] = row;
        }
        return;
    }
    int64_t half = n / 2;
    sort_run(run, scratch, keys, half);
    sort_run(run + half, scratch, keys, n - half);
    memcpy(scratch, run, (size_t)half * sizeof *run);
    for (int64_t a = 0, b = half, out = 0; a < half; out++)
        run[out] = b < n && keys[run[b]] < keys[scratch[a]] ? run[b++] : scratch[a++];
}

/* Whether many rows agree in the leading bits of their keys: look at some all over the table. */
static int crowded(const uint64_t *bits, int64_t n, uint64_t low, int shift, uint64_t *packed, uint64_t *spare) {
    enum { SAMPLE = 1024 };
    int64_t pairs = 0;
    if (shift == 0 || n < SAMPLE) return 0;
    for (int64_t i = 0; i < SAMPLE; i++) packed[i] = (bits[i * n / SAMPLE] - low) >> shift << 32;
    const uint64_t *ordered = sort_packed(packed, spare, SAMPLE);
    for (int64_t i = 1; i < SAMPLE; i++) pairs += ordered[i] == ordered[i - 1];
    return pairs > 2;
}

/* The stable ascending order of keys of at most 64 bits: floats that are not negative, or anything else by its bits.
 * The 32 leading bits of the occupied range are sorted by radix. Rows that agree in all of them are put right after;
 * where these are many, all rows are sorted by the remaining bits before instead. */
KERNEL void order_by_lengths(const uint64_t *bits, int64_t n, uint64_t *packed, uint64_t *spare, int32_t *order,
                             int32_t *scratch) {
    if (n == 0) return;
    uint64_t low = bits[0], high = bits[0], *ordered = packed;
    for (int64_t i = 1; i < n; i++) {
        low = bits[i] < low ? bits[i] : low;
        high = bits[i] > high ? bits[i] : high;
    }
    int shift = 0;
    while ((high - low) >> shift > UINT32_MAX) shift++;
    int before = crowded(bits, n, low, shift, packed, spare);
    if (before) {
        uint64_t rest = ((uint64_t)1 << shift) - 1;
        for (int64_t i = 0; i < n; i++) packed[i] = ((bits[i] - low) & rest) << 32 | (uint64_t)i;
        ordered = sort_packed(packed, spare, n);
        for (int64_t i = 0; i < n; i++) {
            uint64_t row = (uint32_t)ordered[i];
            if (i + AHEAD < n) FETCH(&bits[(uint32_t)ordered[i + AHEAD]]);
            ordered[i] = (bits[row] - low) >> shift << 32 | row;
        }
    } else {
        for (int64_t i = 0; i < n; i++) packed[i] = (bits[i] - low) >> shift << 32 | (uint64_t)i;
    }
    ordered = sort_packed(ordered, ordered == packed ? spare : packed, n);
    unpack(ordered, n, order);
    if (shift == 0 || before) return;
    for (int64_t start = 0, stop; start < n; start = stop) {
        for (stop = start + 1; stop < n && ordered[stop] >> 32 == ordered[start] >> 32; stop++) {}
        if (stop - start > 1) sort_run(order + start, scratch, bits, stop - start);
    }
}
