/* Classes of at least k records that are alike, formed block by block along an order in which neighbours are alike. */
#include "class_growth.h"

enum { MOST_NEAR = 8, NEAR_QUADS = 4 };
enum { MOST_CUT = 32 }; /* up to this k orders are also cut: beyond, it takes long and gains little */

/* The classes of a block: how many members each has, which, its box and its cost. */
typedef struct {
    int32_t *members; /* `most` slots for each class */
    int32_t *sizes;
    float *costs;
    Box boxes;
    int64_t number, most;
} Classes;

/* What a block is worked on with. */
typedef struct {
    Pool pool, few;
    Classes classes;
    float *best;                   /* what the classes up to each place cost */
    int32_t *from, *spare, *trial; /* where the class that ends at a place begins; rows */
    Box box;                       /* of a class that is only tried */
} Work;

static int32_t *members_of(const Classes *classes, int64_t c) { return classes->members + c * classes->most; }

/* Tell whether a class has k records or people; what else a class must be belongs here. */
static int large_enough(const Task *task, const int32_t *rows, int64_t n) {
    if (!task->persons) return n >= task->k;
    int64_t found = 0;
    for (int64_t i = 0; i < n && found < task->k; i++) {
        int64_t j = 0;
        while (j < i && task->persons[rows[j]] != task->persons[rows[i]]) j++;
        found += j == i;
    }
    return found >= task->k;
}

ALWAYS_INLINE float measure(const Task *task, int64_t quads, Classes *classes, int64_t c) {
    Box box = box_at(classes->boxes, task, c);
    return classes->costs[c] = class_cost(task, quads, members_of(classes, c), classes->sizes[c], box);
}

/* Give a record that is left over to the class that it makes dearer by least; 0 if all are full. */
ALWAYS_INLINE int join(const Task *task, int64_t quads, Classes *classes, int32_t row, Box single) {
    int64_t best = -1;
    float least_more = INFINITY;
    open_box(task, quads, single, row);
    for (int64_t c = 0; c < classes->number; c++) {
        Box box = box_at(classes->boxes, task, c);
        float size = (float)classes->sizes[c];
        float more = (size + 1) * span_of(task, quads, single, box) - size * span_of(task, quads, box, box);
        if (more < least_more && classes->sizes[c] < classes->most) least_more = more, best = c;
    }
    if (best < 0) return 0;
    members_of(classes, best)[classes->sizes[best]++] = row;
    stretch_box(task, quads, box_at(classes->boxes, task, best), row);
    return 1;
}

/* Form classes of a block by growing boxes, each around the record farthest from the class before, so that the rim is
 * used up before the middle and few records are left alone. Gives what they cost, infinity if it does not work. */
ALWAYS_INLINE float by_growing(const Task *task, int64_t quads, Work *work, int64_t first, int64_t n) {
    Pool *pool = &work->pool;
    Classes *classes = &work->classes;
    int64_t over = 0;
    float all = 0;
    fill(task, pool, 0, first, n);
    classes->number = 0;
    open_class(task, pool, work->box, (int32_t)(first + n / 2));
    while (pool->left >= task->k) {
        int32_t *members = members_of(classes, classes->number);
        Box box = box_at(classes->boxes, task, classes->number);
        int64_t size = grow(task, pool, &work->few, farthest(pool), box, members);
        if (size == task->k) classes->sizes[classes->number++] = (int32_t)size;
        else for (int64_t i = 0; i < size; i++) work->spare[over++] = members[i];
    }
    while (pool->left > 0) work->spare[over++] = pool->rows[--pool->left];
    for (int64_t i = 0; i < over; i++)
        if (!join(task, quads, classes, work->spare[i], work->box)) return INFINITY;
    for (int64_t c = 0; c < classes->number; c++) all += measure(task, quads, classes, c);
    return all;
}

/* Find where the order of a block is best cut into classes of k to 2k - 1: a shortest path, with the box around a class
 * standing for each of its members. */
ALWAYS_INLINE void by_cutting(const Task *task, int64_t quads, Work *work, int64_t first, int64_t n) {
    float near_lo[NEAR_QUADS * QUAD], near_hi[NEAR_QUADS * QUAD]; /* so small that they stay in registers */
    float *best = work->best;
    Box box = work->box;
    if (quads <= NEAR_QUADS) box.lo = near_lo, box.hi = near_hi;
    best[0] = 0;
    for (int64_t stop = 1; stop <= n; stop++) {
        best[stop] = INFINITY;
        work->from[stop] = 0;
        if (stop < task->k) continue;
        open_box(task, quads, box, first + stop - 1);
        for (int64_t start = stop - 1; start >= 0 && stop - start < 2 * task->k; start--) {
            stretch_box(task, quads, box, first + start);
            if (stop - start < task->k || best[start] == INFINITY) continue;
            float all = best[start] + (float)(stop - start) * span_of(task, quads, box, box);
            if (all < best[stop]) best[stop] = all, work->from[stop] = (int32_t)start;
        }
    }
}

/* Take the cuts as classes if they cost less than those at hand. */
ALWAYS_INLINE void take_cuts(const Task *task, int64_t quads, Work *work, int64_t first, int64_t n, float limit) {
    Classes *classes = &work->classes;
    int32_t *rows = work->spare, *from = work->from;
    float all = 0;
    for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)(first + i);
    for (int64_t stop = n; stop > 0 && all < limit; stop = from[stop])
        all += class_cost(task, quads, rows + from[stop], stop - from[stop], work->box);
    if (!(all < limit)) return;
    classes->number = 0;
    for (int64_t stop = n; stop > 0; stop = from[stop]) {
        int64_t c = classes->number++, size = stop - from[stop];
        memcpy(members_of(classes, c), rows + from[stop], (size_t)size * sizeof *rows);
        classes->sizes[c] = (int32_t)size;
        measure(task, quads, classes, c);
    }
}

/* Divide the members of two classes anew: one is grown to k members around one of the two records that are farthest
 * apart, the other takes the rest. They stay as they are unless they become cheaper and both remain large enough. */
ALWAYS_INLINE int divide(const Task *task, int64_t quads, Work *work, int64_t a, int64_t b) {
    Pool *pool = &work->pool;
    Classes *classes = &work->classes;
    int64_t k = task->k, size_a = classes->sizes[a], n = size_a + classes->sizes[b], slot = 0;
    int32_t *mine = members_of(classes, a), *others = members_of(classes, b), *both = work->spare, *trial = work->trial;
    float limit = (classes->costs[a] + classes->costs[b]) * 0.9999f; /* less than rounding does not count */
    int better = 0;
    if (n < 2 * k || n - k > classes->most) return 0;
    memcpy(both, mine, (size_t)size_a * sizeof *both);
    memcpy(both + size_a, others, (size_t)(n - size_a) * sizeof *both);
    for (int turn = 0; turn < 2; turn++) {
        fill(task, pool, both, 0, n);
        open_class(task, pool, work->box, both[slot]);
        slot = farthest(pool);
        if (grow(task, pool, &work->few, slot, work->box, trial) < k) continue;
        memcpy(trial + k, pool->rows, (size_t)(n - k) * sizeof *trial);
        float all = class_cost(task, quads, trial, k, work->box);
        all += class_cost(task, quads, trial + k, n - k, work->box);
        if (!(all < limit) || !large_enough(task, trial + k, n - k)) continue;
        limit = all;
        better = 1;
        memcpy(mine, trial, (size_t)k * sizeof *mine);
        memcpy(others, trial + k, (size_t)(n - k) * sizeof *others);
        classes->sizes[a] = (int32_t)k;
        classes->sizes[b] = (int32_t)(n - k);
    }
    if (better) measure(task, quads, classes, a), measure(task, quads, classes, b);
    return better;
}

/* Divide each class anew with those that lie closest to it, until nothing gets better or the rounds are over. */
ALWAYS_INLINE void polish(const Task *task, int64_t quads, Work *work, int64_t near, int64_t rounds) {
    Classes *classes = &work->classes;
    float more[MOST_NEAR];
    int64_t which[MOST_NEAR];
    for (int better = 1; better && rounds > 0; rounds--) {
        better = 0;
        for (int64_t c = 0; c < classes->number; c++) {
            int64_t found = 0;
            if (classes->costs[c] == 0) continue;
            for (int64_t other = 0; other < classes->number; other++) {
                if (other == c) continue;
                float span = span_of(task, quads, box_at(classes->boxes, task, c), box_at(classes->boxes, task, other));
                float cost = (float)(classes->sizes[c] + classes->sizes[other]) * span - classes->costs[other];
                if (found == near && !(cost < more[near - 1])) continue;
                int64_t at = found < near ? found++ : near - 1;
                for (; at > 0 && cost < more[at - 1]; at--) more[at] = more[at - 1], which[at] = which[at - 1];
                more[at] = cost;
                which[at] = other;
            }
            for (int64_t i = 0; i < found; i++) better |= divide(task, quads, work, c, which[i]);
        }
    }
}

/* Form the classes of all blocks, the better of growing and cutting in each, and label the rows; gives their number. */
ALWAYS_INLINE int64_t by_blocks(const Task *task, int64_t quads, Work *work, int64_t n, int64_t blocks, int64_t near,
                                int64_t rounds, int32_t *labels) {
    Classes *classes = &work->classes;
    int64_t number = 0;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t first = b * n / blocks, size = (b + 1) * n / blocks - first;
        if (stopping(first, n)) return number;
        work->pool.first = work->few.first = first;
        float cost = by_growing(task, quads, work, first, size);
        if (!task->persons && task->k <= MOST_CUT) { /* neighbours in the order may be one person */
            by_cutting(task, quads, work, first, size);
            take_cuts(task, quads, work, first, size, cost);
        } else if (cost == INFINITY) { /* too few people: one class, for others to merge */
            classes->number = 1;
            classes->sizes[0] = (int32_t)size;
            for (int64_t i = 0; i < size; i++) classes->members[i] = (int32_t)(first + i);
            measure(task, quads, classes, 0);
        }
        if (near > 0) polish(task, quads, work, near, rounds);
        for (int64_t c = 0; c < classes->number; c++, number++)
            for (int64_t i = 0; i < classes->sizes[c]; i++) labels[members_of(classes, c)[i]] = (int32_t)number;
    }
    return number;
}

/* Divide n >= k rows into classes of at least k; gives their number. A block has fewer than `room` rows, and at most
 * `most` classes. Scratch: floats for 4 * ranged + 3 columns of `room` rows, 2 * most + 4 rows of quads, and a cost per
 * class; 8 integers per row and 3 * k per class; words for the sets of twice as many rows, all classes and one more. */
KERNEL int64_t partition(const float *lower, const float *upper, const uint64_t *sets, int64_t n, int64_t quads,
                         int64_t ranged, int64_t named, const float *full, const float *lowest, const float *highest,
                         const float *unit, const int64_t *tree_at,
                         const int32_t *parents, const float *prices, const int32_t *persons, int64_t k, int64_t squared, int64_t plain,
                         int64_t blocks, int64_t near, int64_t rounds, int64_t room, int64_t most, float *floats,
                         int32_t *integers, uint64_t *words, int32_t *labels) {
    int64_t wide = quads * QUAD, apart = (2 * ranged + 1) * room, m = quads;
    Box boxes = {floats, floats + (most + 1) * wide, words};
    float *rest = floats + 2 * (most + 2) * wide;
    Task task = {lower, upper, sets, full, lowest, highest, unit, tree_at, parents, prices, floats + 2 * (most + 1) * wide, persons,
                 quads, ranged, named, k, squared != 0, plain != 0};
    Work work = {
        .pool = {rest, rest + (upper == lower ? 0 : ranged * room), rest + 2 * ranged * room,
                 words + (most + 1) * named, integers, integers + room, room, 0, 0, 0},
        .classes = {integers + 8 * room, integers + 7 * room, rest + 2 * apart + room, boxes, 0, 3 * k},
        .best = rest + 2 * apart,
        .from = integers + 4 * room,
        .spare = integers + 5 * room,
        .trial = integers + 6 * room,
        .box = box_at(boxes, &task, most),
    };
    work.few = work.pool;
    work.few.lower += apart, work.few.upper += apart, work.few.cost += apart, work.few.sets += named * room;
    work.few.rows += 2 * room, work.few.slots += 2 * room, work.few.limit = 1e-6f;
    switch (m) { /* up to twelve columns are the rule: unrolled code for these */
        WIDTH(1, return by_blocks(&task, m, &work, n, blocks, near, rounds, labels))
        WIDTH(2, return by_blocks(&task, m, &work, n, blocks, near, rounds, labels))
        WIDTH(3, return by_blocks(&task, m, &work, n, blocks, near, rounds, labels))
        default: return by_blocks(&task, m, &work, n, blocks, near, rounds, labels);
    }
}

/* Give the coordinates of rows: distances from `centre` in units of 1 / scale. Cells without a value lie far out, and
 * wildcards farther. */
KERNEL void place_rows(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *columns,
                       int64_t ranged, const double *centre, const double *scale, const double *table,
                       const int64_t *offsets, int64_t quads, float *lower, float *upper) {
    for (int64_t i = 0; i < n; i++, lower += quads * QUAD, upper += quads * QUAD)
        for (int64_t c = 0; c < quads * QUAD; c++) {
            int64_t j = columns[c < ranged ? c : 0], at = i * m + j;
            if (c >= ranged || lo[at] == MISSING) {
                lower[c] = upper[c] = c >= ranged ? 0 : hi[at] == MISSING ? OUTSIDE : 2 * OUTSIDE;
                continue;
            }
            lower[c] = (float)((coordinate(lo[at], offsets[j], table) - centre[j]) * scale[j]);
            upper[c] = lower[c];
            if (lo[at] != hi[at]) upper[c] = (float)((coordinate(hi[at], offsets[j], table) - centre[j]) * scale[j]);
        }
}

/* Number labels by where each occurs first, and leave those below 0; slots begins at -1. Gives how many there are. */
KERNEL int64_t number_by_first(int32_t *labels, int64_t n, int32_t *slots) {
    int32_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (labels[i] < 0) continue;
        if (slots[labels[i]] < 0) slots[labels[i]] = found++;
        labels[i] = slots[labels[i]];
    }
    return found;
}
