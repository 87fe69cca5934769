/* Swapping: records change places between classes, so that boxes shrink and the confidential value stays spread.
 *
 * Classes are looked at in blocks of neighbours. A record that makes its box larger is offered to the classes of its
 * block in exchange for a record of about the same rank there. Both classes must then be as near to the table as they
 * are asked to be, or at least no farther than before. No class changes its size. */
#include "closeness.h"

enum { QUAD = 4 };

typedef struct {
    const float *rows, *full; /* coordinates of each record, and the most that a cell costs */
    int64_t wide;
    const Spread *spread;
    const Mark *passed;        /* for all sizes that occur, and where those of each size begin */
    const int64_t *passed_at;
    double t, worth, weight; /* the distance allowed, the share of a box worth trying, what is paid for being farther */
    /* Per class and member of a block: where records lie, the box around all others, and what a class saves without
     * the record; per class, where its members begin, what it costs, and by how much its distance is too large. */
    float *at, *lo, *hi, *spare, *cost;
    double *excess;
    Mark *marks, *trial;
    int64_t *first;
    int32_t *records;      /* the records of all classes */
    const int64_t *starts; /* where those of each class begin among them */
    const int32_t *order;
} Block;

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

static int32_t *members(const Block *all, int64_t c) { return all->records + all->starts[all->order[c]]; }
static int64_t size_of(const Block *all, int64_t c) { return all->first[c + 1] - all->first[c]; }

static double too_far(const Block *all, const Mark *marks, int64_t size) {
    double distance = spread_distance(all->spread, marks, size, all->passed + all->passed_at[size]);
    return distance > all->t ? distance - all->t : 0;
}

/* What is paid for a class that is too far, for all of its members. */
static float due_for(const Block *all, int64_t c, double excess) {
    return (float)(all->weight * excess) * (float)size_of(all, c);
}

/* Measure a class of the block: the boxes around all members but one, from those before it and those behind it. */
static void measure(Block *all, int64_t c) {
    int64_t size = size_of(all, c), wide = all->wide, begin = all->first[c] * wide;
    const int32_t *mine = members(all, c);
    float *at = all->at + begin, *lo = all->lo + begin, *hi = all->hi + begin;
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
    all->cost[c] = (float)size * stretched(full, wide, lo, hi, at);
    for (int64_t i = 0; i < size; i++) { /* a box that is stretched to its own corner stays what it is */
        float left = stretched(full, wide, lo + i * wide, hi + i * wide, lo + i * wide);
        all->spare[all->first[c] + i] = all->cost[c] - (float)size * left;
    }
    all->excess[c] = too_far(all, all->marks + all->first[c], size);
}

/* By how much a class would be too far from the table with another record in the place of one. */
static double excess_with(const Block *all, int64_t c, int64_t i, Mark mark) {
    int64_t size = size_of(all, c);
    memcpy(all->trial, all->marks + all->first[c], (size_t)size * sizeof *all->trial);
    replace_mark(all->trial, size, i, mark);
    return too_far(all, all->trial, size);
}

/* Put a record in the place of another; members stay in the order of their marks. */
static void put(const Block *all, int64_t c, int64_t i, int32_t row, Mark mark) {
    int32_t *mine = members(all, c);
    int64_t to = replace_mark(all->marks + all->first[c], size_of(all, c), i, mark);
    for (; i < to; i++) mine[i] = mine[i + 1];
    for (; i > to; i--) mine[i] = mine[i - 1];
    mine[to] = row;
}

/* Find the best exchange for member i of class c among n classes, and make it; tells whether there was one. */
static int swap_one(Block *all, int64_t n, int64_t c, int64_t i) {
    int64_t size = size_of(all, c), wide = all->wide, mine = all->first[c] + i, with = -1, whose = -1;
    float due = due_for(all, c, all->excess[c]), gain = all->spare[mine] + due;
    if (all->excess[c] <= 0 && gain <= (float)all->worth / (float)size * all->cost[c]) return 0;
    float best = 1e-3f * all->cost[c];
    for (int64_t d = 0; d < n; d++) {
        if (d == c) continue;
        int64_t there = size_of(all, d), place = i * there / size; /* a record moves the distance by up to 1 / size */
        int64_t reach = (int64_t)ceil(2 * all->t * (double)there);
        int64_t from = place < reach ? 0 : place - reach, upto = place + reach < there ? place + reach : there - 1;
        float owed = due_for(all, d, all->excess[d]);
        for (int64_t other = all->first[d] + from; other <= all->first[d] + upto; other++) {
            float most_there = all->spare[other] + owed;
            if (gain + most_there <= best) continue;
            const float *lo = all->lo + mine * wide, *hi = all->hi + mine * wide;
            float sum = all->cost[c] + due - (float)size * stretched(all->full, wide, lo, hi, all->at + other * wide);
            if (sum + most_there <= best) continue;
            lo = all->lo + other * wide, hi = all->hi + other * wide;
            sum += all->cost[d] + owed - (float)there * stretched(all->full, wide, lo, hi, all->at + mine * wide);
            if (sum <= best) continue;
            double here = excess_with(all, c, i, all->marks[other]);
            if (here > all->excess[c]) continue;
            double after = excess_with(all, d, other - all->first[d], all->marks[mine]);
            if (after > all->excess[d]) continue;
            sum -= due_for(all, c, here) + due_for(all, d, after);
            if (sum > best) best = sum, with = other, whose = d;
        }
    }
    if (with < 0) return 0;
    int64_t place = with - all->first[whose];
    int32_t leaving = members(all, c)[i], coming = members(all, whose)[place];
    Mark left = all->marks[mine], came = all->marks[with];
    put(all, c, i, coming, came);
    put(all, whose, place, leaving, left);
    measure(all, c);
    measure(all, whose);
    return 1;
}

/* Offer every record of n classes for exchange; gives how many changed places. */
static int64_t sweep(Block *all, int64_t n) {
    int64_t moved = 0;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < size_of(all, c); i++) moved += swap_one(all, n, c, i);
    return moved;
}

/* Let records change places between classes, block after block along an order of classes; gives how many did.
 *
 * records has the records of class after class, ascending in their bins, and starts where each begins. terms holds the
 * distance allowed, the share of its box by which a record must stick out to be tried, and what is paid for each 1 of
 * distance beyond it. passed_at says for each size that occurs where its marks begin; all of them are `levels`. Room
 * for a block of `most` records: floats for (3 wide + 1) per record and one per class, doubles for 2 per record, 2 per
 * level, 2 per member of the largest class and one per class; and an integer per class and one more. */
KERNEL int64_t swap_records(const float *rows, int64_t wide, const float *full, const int32_t *bins,
                            const int64_t *cumulative, const double *areas, int64_t m, int64_t n,
                            const double *terms, int32_t *records, const int64_t *starts, int64_t groups,
                            const int64_t *passed_at, int64_t largest, int64_t levels, const int32_t *order,
                            int64_t block, int64_t most, int64_t sweeps, float *floats, double *doubles,
                            int64_t *first) {
    Spread spread = {cumulative, areas, m, (double)n};
    int64_t cells = most * wide, swapped = 0;
    Mark *passed = (Mark *)(doubles + block), *marks = passed + levels;
    for (int64_t size = 1; size <= largest; size++)
        if (passed_at[size] >= 0) passages(&spread, size, passed + passed_at[size]);
    Block all = {.rows = rows, .full = full, .wide = wide, .spread = &spread, .passed = passed, .passed_at = passed_at,
                  .t = terms[0], .worth = terms[1], .weight = terms[2], .at = floats, .lo = floats + cells,
                  .hi = floats + 2 * cells, .spare = floats + 3 * cells, .cost = floats + 3 * cells + most,
                  .excess = doubles, .marks = marks, .trial = marks + most, .first = first, .records = records,
                  .starts = starts};
    for (int64_t begin = 0; begin < groups; begin += block) {
        int64_t here = groups - begin < block ? groups - begin : block, moved = here;
        if (stopping(begin, groups)) return swapped;
        all.order = order + begin;
        first[0] = 0;
        for (int64_t c = 0; c < here; c++) {
            int64_t size = starts[all.order[c] + 1] - starts[all.order[c]];
            first[c + 1] = first[c] + size;
            for (int64_t i = 0; i < size; i++) marks[first[c] + i] = mark_at(&spread, bins[members(&all, c)[i]]);
            measure(&all, c);
        }
        for (int64_t turn = 0; turn < sweeps && moved > here / 50; turn++) swapped += moved = sweep(&all, here);
    }
    return swapped;
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
