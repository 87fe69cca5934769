/* What a class costs, for the kernels that form classes.
 *
 * Records have coordinates in units of what is counted: standard deviations for the loss of Eq. 3, widths of domains
 * for the certainty penalty. Each cell is a stretch from `lower` to `upper`; a cell without a value, and the wildcard,
 * lie so far out that any stretch from them to a value is wider than `full`, which is what a wildcard costs and the
 * most that any cell does. Categories without an order are sets of bits; no bit stands for a missing cell.
 *
 * Rows of coordinates are padded with zeros to whole quads, so that loops over them are plain vector code. */
#ifndef SHOAL_PARTITION_H
#define SHOAL_PARTITION_H

#include "native.h"

enum { QUAD = 4 };
#define OUTSIDE 1e18f /* where a cell without a value lies; its square is still a number */

typedef struct {
    const float *lower, *upper; /* rows of `quads` quads; the same where every cell is one value or missing */
    const uint64_t *sets;       /* rows of `named` sets */
    const float *full;          /* the most that a cell costs: `quads` quads, then one for each set */
    const float *lowest, *highest; /* the limits of the domain */
    const float *unit;          /* what each further category costs */
    /* Where a set is a node of a tree: where the nodes of each tree begin (-1: no tree), the node above each, which has a
     * greater number, and what a node costs. */
    const int64_t *tree_at;
    const int32_t *parents;
    const float *prices;
    float *ends;                /* scratch: what is published for a class */
    const int32_t *persons;     /* whose each row is; null where each row is somebody else's */
    int64_t quads, ranged, named, k;
    int squared; /* whether cells add up to a distance (Eq. 2), or are summed */
    int plain;   /* whether every cell is a value */
} Task;

/* The box around a class. */
typedef struct {
    float *lo, *hi;
    uint64_t *held;
} Box;

static inline float lesser(float a, float b) { return a < b ? a : b; }
static inline float greater(float a, float b) { return a > b ? a : b; }

/* What a cell costs that was widened to hold another. */
static inline float width(float lower, float upper, float lo, float hi, float full) {
    return lesser(greater(upper, hi) - lesser(lower, lo), full);
}

/* The lowest node above two others: whichever has the lesser number is not above the other, and climbs. */
static inline uint64_t above(const Task *task, int64_t s, uint64_t set, uint64_t held) {
    const int32_t *parents = task->parents + task->tree_at[s];
    while (set != held) {
        if (set < held) set = (uint64_t)parents[set];
        else held = (uint64_t)parents[held];
    }
    return held;
}

static inline float set_width(const Task *task, int64_t s, uint64_t set, uint64_t held) {
    if (task->tree_at[s] >= 0) return task->prices[task->tree_at[s] + (int64_t)above(task, s, set, held)];
    float unit = task->unit[s], full = task->full[task->quads * QUAD + s];
    if ((set == 0) != (held == 0)) return full;
    return set ? lesser((float)(__builtin_popcountll(set | held) - 1) * unit, full) : 0;
}

/* The set that holds two others; all bits stand for the wildcard, where missing and present cells mix. */
static inline uint64_t joined(const Task *task, int64_t s, uint64_t set, uint64_t held) {
    if (task->tree_at[s] >= 0) return above(task, s, set, held);
    return (set == 0) != (held == 0) ? ~(uint64_t)0 : set | held;
}

static inline float root(const Task *task, float sum) { return task->squared ? sqrtf(sum) : sum; }

static inline Box box_at(Box first, const Task *task, int64_t number) {
    Box box = {first.lo + number * task->quads * QUAD, first.hi + number * task->quads * QUAD,
               first.held + number * task->named};
    return box;
}

ALWAYS_INLINE void open_box(const Task *task, int64_t quads, Box box, int64_t row) {
    for (int64_t j = 0; j < quads * QUAD; j++) {
        box.lo[j] = task->lower[row * quads * QUAD + j];
        box.hi[j] = task->upper[row * quads * QUAD + j];
    }
    for (int64_t s = 0; s < task->named; s++) box.held[s] = task->sets[row * task->named + s];
}

ALWAYS_INLINE void stretch_box(const Task *task, int64_t quads, Box box, int64_t row) {
    const float *restrict lower = task->lower + row * quads * QUAD, *restrict upper = task->upper + row * quads * QUAD;
    for (int64_t j = 0; j < quads * QUAD; j++) {
        box.lo[j] = lesser(lower[j], box.lo[j]);
        box.hi[j] = greater(upper[j], box.hi[j]);
    }
    for (int64_t s = 0; s < task->named; s++) box.held[s] = joined(task, s, task->sets[row * task->named + s], box.held[s]);
}

/* What a record costs that is published as the box around two boxes: exactly where cells are summed, and otherwise at
 * most, because its distance is to the farthest end in each cell. */
ALWAYS_INLINE float span_of(const Task *task, int64_t quads, Box a, Box b) {
    float part[QUAD] = {0};
    for (int64_t j = 0; j < quads * QUAD; j += QUAD)
        for (int c = 0; c < QUAD; c++) {
            float w = width(a.lo[j + c], a.hi[j + c], b.lo[j + c], b.hi[j + c], task->full[j + c]);
            part[c] += task->squared ? w * w : w;
        }
    float sum = (part[0] + part[1]) + (part[2] + part[3]);
    for (int64_t s = 0; s < task->named; s++)
        sum += set_width(task, s, a.held[s], b.held[s]);
    return root(task, sum);
}

/* What a class costs; also gives its box. */
ALWAYS_INLINE float class_cost(const Task *task, int64_t quads, const int32_t *rows, int64_t n, Box box) {
    open_box(task, quads, box, rows[0]);
    for (int64_t i = 1; i < n; i++) stretch_box(task, quads, box, rows[i]);
    if (!task->squared) return (float)n * span_of(task, quads, box, box);
    float *restrict lo = task->ends, *restrict hi = task->ends + quads * QUAD, all = 0;
    for (int64_t j = 0; j < quads * QUAD; j++) { /* the limits of the domain where the box is a wildcard */
        int wild = box.hi[j] - box.lo[j] > task->full[j];
        lo[j] = wild ? task->lowest[j] : box.lo[j];
        hi[j] = wild ? task->highest[j] : box.hi[j];
    }
    for (int64_t i = 0; i < n; i++) {
        const float *lower = task->lower + rows[i] * quads * QUAD, *upper = task->upper + rows[i] * quads * QUAD;
        float part[QUAD] = {0};
        for (int64_t j = 0; j < quads * QUAD; j += QUAD)
            for (int c = 0; c < QUAD; c++) {
                float d = greater(hi[j + c] - lower[j + c], upper[j + c] - lo[j + c]);
                d = lesser(d, task->full[j + c]);
                part[c] += d * d;
            }
        all += sqrtf((part[0] + part[1]) + (part[2] + part[3]));
    }
    return all;
}

#endif
