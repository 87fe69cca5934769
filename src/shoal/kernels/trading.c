/* Records that change places between classes of one size, so that boxes shrink and the confidential value stays spread.
 *
 * Classes are looked at in blocks of neighbours. A record that makes its box larger is offered to the classes of its
 * block in exchange for a record of about the same rank there. Both classes must then be as near to the table as they
 * are asked to be, or at least no farther than before. */
#include "closeness.h"

enum { QUAD = 4 };

typedef struct {
    const float *rows, *full; /* coordinates of each record, and the most that a cell costs */
    int64_t wide, size, reach; /* reach: by how many places the ranks of two records that change places may differ */
    const Spread *spread;
    const Mark *passed;
    double t, worth, weight; /* the distance allowed, the share of a box worth trying, what is paid for being farther */
    /* Per class and member of a block: where records lie, the box around all others, and what a box shrinks by without
     * the record; per class, what its box costs, and by how much its distance is too large. */
    float *at, *lo, *hi, *spare, *cost;
    double *excess;
    Mark *marks, *trial;
    int32_t *seats; /* the records of all classes */
    const int32_t *order;
} Market;

static inline float lesser(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

/* What a box costs that is stretched to hold a record. */
ALWAYS_INLINE float stretched(const float *full, int64_t wide, const float *lo, const float *hi, const float *row) {
    float part[QUAD] = {0};
    for (int64_t j = 0; j < wide; j += QUAD)
        for (int c = 0; c < QUAD; c++) {
            float w = lesser(greater(row[j + c], hi[j + c]) - lesser(row[j + c], lo[j + c]), full[j + c]);
            part[c] += w * w;
        }
    return sqrtf((part[0] + part[1]) + (part[2] + part[3]));
}

static int32_t *members(const Market *all, int64_t c) { return all->seats + all->order[c] * all->size; }

static double too_far(const Market *all, const Mark *marks) {
    double distance = spread_distance(all->spread, marks, all->size, all->passed);
    return distance > all->t ? distance - all->t : 0;
}

/* Measure a class of the block: the boxes around all members but one, from those before it and those behind it. */
static void measure(Market *all, int64_t c) {
    int64_t size = all->size, wide = all->wide, block = size * wide;
    const int32_t *mine = members(all, c);
    float *at = all->at + c * block, *lo = all->lo + c * block, *hi = all->hi + c * block;
    for (int64_t i = 0; i < size; i++) memcpy(at + i * wide, all->rows + mine[i] * wide, (size_t)wide * sizeof *at);
    for (int64_t j = 0; j < wide; j++) {
        float low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < size; i++) {
            lo[i * wide + j] = low, hi[i * wide + j] = high;
            low = lesser(low, at[i * wide + j]), high = greater(high, at[i * wide + j]);
        }
        low = INFINITY, high = -INFINITY;
        for (int64_t i = size - 1; i >= 0; i--) {
            lo[i * wide + j] = lesser(lo[i * wide + j], low), hi[i * wide + j] = greater(hi[i * wide + j], high);
            low = lesser(low, at[i * wide + j]), high = greater(high, at[i * wide + j]);
        }
    }
    const float *full = all->full;
    all->cost[c] = stretched(full, wide, lo, hi, at);
    for (int64_t i = 0; i < size; i++) /* a box that is stretched to its own corner stays what it is */
        all->spare[c * size + i] = all->cost[c] - stretched(full, wide, lo + i * wide, hi + i * wide, lo + i * wide);
    all->excess[c] = too_far(all, all->marks + c * size);
}

/* By how much a class would be too far from the table with another record in the place of one. */
static double excess_with(const Market *all, int64_t c, int64_t i, Mark mark) {
    memcpy(all->trial, all->marks + c * all->size, (size_t)all->size * sizeof *all->trial);
    replace_mark(all->trial, all->size, i, mark);
    return too_far(all, all->trial);
}

/* Put a record in the place of another; members stay in the order of their marks. */
static void seat(const Market *all, int64_t c, int64_t i, int32_t row, Mark mark) {
    int32_t *mine = members(all, c);
    int64_t to = replace_mark(all->marks + c * all->size, all->size, i, mark);
    for (; i < to; i++) mine[i] = mine[i + 1];
    for (; i > to; i--) mine[i] = mine[i - 1];
    mine[to] = row;
}

/* Find the best exchange for member i of class c among n classes, and make it; tells whether there was one. */
static int trade_one(Market *all, int64_t n, int64_t c, int64_t i) {
    int64_t size = all->size, wide = all->wide, mine = c * size + i, with = -1;
    float due = (float)(all->weight * all->excess[c]), gain = all->spare[mine] + due;
    if (gain <= (float)all->worth * all->cost[c]) return 0;
    float best = 1e-3f * all->cost[c];
    int64_t from = i < all->reach ? 0 : i - all->reach, upto = i + all->reach < size ? i + all->reach : size - 1;
    for (int64_t d = 0; d < n; d++) {
        if (d == c) continue;
        float owed = (float)(all->weight * all->excess[d]);
        for (int64_t other = d * size + from; other <= d * size + upto; other++) {
            float most_there = all->spare[other] + owed;
            if (gain + most_there <= best) continue;
            const float *lo = all->lo + mine * wide, *hi = all->hi + mine * wide;
            float sum = all->cost[c] + due - stretched(all->full, wide, lo, hi, all->at + other * wide);
            if (sum + most_there <= best) continue;
            lo = all->lo + other * wide, hi = all->hi + other * wide;
            sum += all->cost[d] + owed - stretched(all->full, wide, lo, hi, all->at + mine * wide);
            if (sum <= best) continue;
            double here = excess_with(all, c, i, all->marks[other]);
            if (here > all->excess[c]) continue;
            double there = excess_with(all, d, other - d * size, all->marks[mine]);
            if (there > all->excess[d]) continue;
            sum -= (float)(all->weight * (here + there));
            if (sum > best) best = sum, with = other;
        }
    }
    if (with < 0) return 0;
    int64_t d = with / size;
    int32_t leaving = members(all, c)[i], coming = members(all, d)[with - d * size];
    Mark left = all->marks[mine], came = all->marks[with];
    seat(all, c, i, coming, came);
    seat(all, d, with - d * size, leaving, left);
    measure(all, c);
    measure(all, d);
    return 1;
}

/* Offer every record of n classes for exchange; gives how many changed places. */
static int64_t sweep(Market *all, int64_t n) {
    int64_t moved = 0;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < all->size; i++) moved += trade_one(all, n, c, i);
    return moved;
}

/* Let records change places between classes, block after block along an order of classes; gives how many did.
 *
 * seats has `size` records per class, ascending in their bins. terms holds the distance allowed, the share of its box
 * by which a record must stick out to be tried, and what is paid for each 1 of distance beyond it. Room for a block:
 * floats for (3 wide + 1) size + 1 per class, doubles for 2 size + 1 per class and 4 size + 4 more. */
KERNEL int64_t trade(const float *rows, int64_t wide, const float *full, const int32_t *bins, const int64_t *cumulative,
                     const double *areas, int64_t m, int64_t n, const double *terms, int32_t *seats, int64_t groups,
                     int64_t size, int64_t reach, const int32_t *order, int64_t block, int64_t sweeps,
                     float *floats, double *doubles) {
    Spread spread = {cumulative, areas, m, (double)n};
    int64_t cells = block * size * wide, traded = 0;
    Mark *passed = (Mark *)(doubles + block), *marks = passed + size + 1;
    passages(&spread, size, passed);
    Market all = {.rows = rows, .full = full, .wide = wide, .size = size, .reach = reach, .spread = &spread,
                  .passed = passed, .t = terms[0], .worth = terms[1], .weight = terms[2], .at = floats, .lo = floats + cells,
                  .hi = floats + 2 * cells, .spare = floats + 3 * cells, .cost = floats + 3 * cells + block * size,
                  .excess = doubles, .marks = marks, .trial = marks + block * size, .seats = seats};
    for (int64_t first = 0; first < groups; first += block) {
        int64_t here = groups - first < block ? groups - first : block, moved = here;
        if (stopping(first, groups)) return traded;
        all.order = order + first;
        for (int64_t c = 0; c < here; c++) {
            for (int64_t i = 0; i < size; i++) all.marks[c * size + i] = mark_at(&spread, bins[members(&all, c)[i]]);
            measure(&all, c);
        }
        for (int64_t turn = 0; turn < sweeps && moved > here / 50; turn++) traded += moved = sweep(&all, here);
    }
    return traded;
}

/* Numbers from -1 to 1 that look like chance and are always the same. */
static float drawn(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (float)(int32_t)(*state >> 32) * 0x1p-31f;
}

/* Bring the smallest `mid` of n keys to the front, with what they belong to. */
static void divide(float *keys, int32_t *order, int64_t n, int64_t mid) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = keys[low + (high - low) / 2];
        int64_t a = low, b = high;
        while (a <= b) {
            while (keys[a] < pivot) a++;
            while (keys[b] > pivot) b--;
            if (a > b) break;
            float key = keys[a];
            int32_t which = order[a];
            keys[a] = keys[b], order[a++] = order[b];
            keys[b] = key, order[b--] = which;
        }
        if (mid <= b) high = b;
        else if (mid >= a) low = a;
        else return;
    }
}

/* Order classes so that blocks of consecutive ones are neighbours, in another way for each seed: classes are halved
 * across some direction, the halves again across others. centres has a row per class; keys has room for one number
 * per class, stack for 256, and sums for 3 wide. */
KERNEL void neighbourhoods(const float *centres, int64_t groups, int64_t wide, int64_t block, int64_t seed,
                           int32_t *order, float *keys, int64_t *stack, double *sums) {
    uint64_t state = 0x9E3779B97F4A7C15u * (uint64_t)(seed + 1);
    double *mean = sums, *square = sums + wide, *direction = sums + 2 * wide;
    int64_t top = 0;
    stack[top++] = 0, stack[top++] = groups;
    while (top > 0) {
        int64_t stop = stack[--top], first = stack[--top], n = stop - first;
        if (n <= block) continue;
        if (stopping(first, groups)) return;
        for (int64_t j = 0; j < 2 * wide; j++) sums[j] = 0;
        for (int64_t i = first; i < stop; i++)
            for (int64_t j = 0; j < wide; j++) {
                double x = centres[order[i] * wide + j];
                mean[j] += x, square[j] += x * x;
            }
        for (int64_t j = 0; j < wide; j++) {
            double variance = square[j] / (double)n - (mean[j] / (double)n) * (mean[j] / (double)n);
            direction[j] = drawn(&state) * (variance > 0 ? sqrt(variance) : 0);
        }
        for (int64_t i = first; i < stop; i++) {
            double key = 0;
            for (int64_t j = 0; j < wide; j++) key += direction[j] * centres[order[i] * wide + j];
            keys[i] = (float)key;
        }
        int64_t half = n / 2 < block ? block : n / 2 / block * block; /* whole blocks, so that none spans a cut */
        divide(keys + first, order + first, n, half);
        stack[top++] = first + half, stack[top++] = stop;
        stack[top++] = first, stack[top++] = first + half;
    }
}
