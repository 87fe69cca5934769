/* Growing classes: the records of a block that are not yet in one, and the next to join. */
#ifndef SHOAL_CLASS_GROWTH_H
#define SHOAL_CLASS_GROWTH_H

#include "partition.h"

/* Costs are never negative but for rounding, so they are compared by their bits, which vector code can do. */
typedef int32_t __attribute__((may_alias)) Bits;
enum { BANNED = 0x7F800000, STRIDE = 8, STRIP = 16 }; /* BANNED: the bits of infinity */

/* Records that are not yet in a class, column by column: each column has room for `room` of them. `cost` is what
 * a record would cost each member of the present class, before the root is taken. */
typedef struct {
    float *lower, *upper, *cost;
    uint64_t *sets;
    int32_t *rows, *slots; /* which rows they are, and the slot of each row of the block */
    int64_t room, left, first;
    float limit; /* what the next class will probably cost at most */
} Pool;

static void fill(const Task *task, Pool *pool, const int32_t *rows, int64_t first, int64_t n) {
    int64_t wide = task->quads * QUAD;
    pool->left = n;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = rows ? rows[i] : first + i;
        pool->rows[i] = (int32_t)row;
        pool->slots[row - pool->first] = (int32_t)i;
        for (int64_t j = 0; j < task->ranged; j++) pool->lower[j * pool->room + i] = task->lower[row * wide + j];
        if (pool->upper != pool->lower)
            for (int64_t j = 0; j < task->ranged; j++) pool->upper[j * pool->room + i] = task->upper[row * wide + j];
        for (int64_t s = 0; s < task->named; s++) pool->sets[s * pool->room + i] = task->sets[row * task->named + s];
    }
}

/* Take a record out; the last one moves into its slot. */
static int32_t take(const Task *task, Pool *pool, int64_t slot) {
    int64_t last = --pool->left;
    int32_t row = pool->rows[slot];
    pool->rows[slot] = pool->rows[last];
    pool->slots[pool->rows[slot] - pool->first] = (int32_t)slot;
    pool->cost[slot] = pool->cost[last];
    for (int64_t at = 0; at < task->ranged * pool->room; at += pool->room) {
        pool->lower[at + slot] = pool->lower[at + last];
        if (pool->upper != pool->lower) pool->upper[at + slot] = pool->upper[at + last];
    }
    for (int64_t at = 0; at < task->named * pool->room; at += pool->room) pool->sets[at + slot] = pool->sets[at + last];
    return row;
}

/* What all records of a pool cost a class of one record: a strip of records at a time, so that sums stay in registers.
 * The last strip may reach beyond the records, never beyond the room. */
ALWAYS_INLINE void weigh(const Task *task, const Pool *pool, Box box, int squared, int plain) {
    for (int64_t i = 0; i < pool->left; i += STRIP) {
        float sum[STRIP] = {0};
        for (int64_t j = 0; j < task->ranged; j++) {
            const float *lower = pool->lower + j * pool->room + i, *upper = pool->upper + j * pool->room + i;
            float lo = box.lo[j], hi = box.hi[j], full = task->full[j];
            for (int c = 0; c < STRIP; c++) {
                float w = plain ? fabsf(lower[c] - lo) : width(lower[c], upper[c], lo, hi, full);
                sum[c] += squared ? w * w : w;
            }
        }
        memcpy(pool->cost + i, sum, sizeof sum);
    }
}

/* Add to costs what a column contributes when the class reaches from lo to hi, and take off what it did before. */
ALWAYS_INLINE void reweigh(float *restrict cost, const float *lower, const float *upper, int64_t n, float old_lo,
                           float old_hi, float lo, float hi, float full, int squared) {
    for (int64_t i = 0; i < n; i++) {
        float now = width(lower[i], upper[i], lo, hi, full), before = width(lower[i], upper[i], old_lo, old_hi, full);
        cost[i] += squared ? (now - before) * (now + before) : now - before;
    }
}

static void reweigh_column(const Task *task, Pool *pool, int64_t j, float old_lo, float old_hi, float lo, float hi) {
    const float *lower = pool->lower + j * pool->room, *upper = pool->upper + j * pool->room;
    if (task->squared) reweigh(pool->cost, lower, upper, pool->left, old_lo, old_hi, lo, hi, task->full[j], 1);
    else reweigh(pool->cost, lower, upper, pool->left, old_lo, old_hi, lo, hi, task->full[j], 0);
}

static void reweigh_sets(const Task *task, Pool *pool, int64_t s, uint64_t old, uint64_t held, int fresh) {
    const uint64_t *sets = pool->sets + s * pool->room;
    for (int64_t i = 0; i < pool->left; i++)
        pool->cost[i] += set_width(task, s, sets[i], held) - (fresh ? 0 : set_width(task, s, sets[i], old));
}

/* Who is in the class already cannot make it larger. */
static void ban(const Task *task, Pool *pool, int32_t row) {
    if (!task->persons) return;
    for (int64_t i = 0; i < pool->left; i++)
        if (task->persons[pool->rows[i]] == task->persons[row]) pool->cost[i] = INFINITY;
}

static void open_class(const Task *task, Pool *pool, Box box, int32_t row) {
    open_box(task, task->quads, box, row);
    if (task->squared && task->plain) weigh(task, pool, box, 1, 1);
    else if (task->squared) weigh(task, pool, box, 1, 0);
    else weigh(task, pool, box, 0, 0);
    for (int64_t s = 0; s < task->named; s++) reweigh_sets(task, pool, s, 0, box.held[s], 1);
    ban(task, pool, row);
}

/* Let the class have one more member: only columns in which its box grows change what the others would cost. */
static void widen_class(const Task *task, Pool *pool, Box box, int32_t row) {
    int64_t wide = task->quads * QUAD;
    for (int64_t j = 0; j < task->ranged; j++) {
        float lo = lesser(task->lower[row * wide + j], box.lo[j]), hi = greater(task->upper[row * wide + j], box.hi[j]);
        if (lo == box.lo[j] && hi == box.hi[j]) continue;
        reweigh_column(task, pool, j, box.lo[j], box.hi[j], lo, hi);
        box.lo[j] = lo;
        box.hi[j] = hi;
    }
    for (int64_t s = 0; s < task->named; s++) {
        uint64_t held = joined(task, s, task->sets[row * task->named + s], box.held[s]);
        if (held == box.held[s]) continue;
        reweigh_sets(task, pool, s, box.held[s], held, 0);
        box.held[s] = held;
    }
    ban(task, pool, row);
}

static int64_t slot_of(const Bits *cost, int64_t n, int32_t wanted) {
    int64_t i = 0;
    for (; i + STRIDE <= n; i += STRIDE) {
        int32_t here = 0;
        for (int c = 0; c < STRIDE; c++) here |= cost[i + c] == wanted;
        if (here) break;
    }
    while (cost[i] != wanted) i++;
    return i;
}

/* The record that costs least, the first of several; -1 if none may join. */
static int64_t nearest(const Pool *pool) {
    const Bits *cost = (const Bits *)pool->cost;
    int32_t best = BANNED;
    for (int64_t i = 0; i < pool->left; i++) best = least(best, cost[i]);
    return best == BANNED ? -1 : slot_of(cost, pool->left, best);
}

/* The record that costs most; the first if none is left that may join. */
static int64_t farthest(const Pool *pool) {
    const Bits *cost = (const Bits *)pool->cost;
    int32_t worst = MISSING;
    for (int64_t i = 0; i < pool->left; i++) worst = most(worst, cost[i] == BANNED ? MISSING : cost[i]);
    return worst == MISSING ? 0 : slot_of(cost, pool->left, worst);
}

/* Let a class grow to k members by the nearest records of a pool, but by none that costs more than a limit. */
static int64_t grow_by(const Task *task, Pool *pool, Box box, int32_t *members, float limit) {
    int64_t size = 1;
    while (size < task->k && pool->left > 0) {
        int64_t next = nearest(pool);
        if (next < 0 || pool->cost[next] > limit) break;
        pool->limit = pool->cost[next];
        members[size++] = take(task, pool, next);
        widen_class(task, pool, box, members[size - 1]);
    }
    return size;
}

/* Copy the records that cost no more than a limit to another pool; gives whether these are all that may join. */
static int shortlist(const Task *task, const Pool *pool, Pool *few, float limit) {
    int64_t found = 0, able = task->persons ? 0 : pool->left;
    int32_t *slots = few->rows;
    for (int64_t i = 0; i < pool->left; i++) {
        slots[found] = (int32_t)i;
        found += pool->cost[i] <= limit;
    }
    for (int64_t i = 0; i < pool->left && task->persons; i++) able += pool->cost[i] < INFINITY;
    for (int64_t at = 0; at < task->ranged * few->room; at += few->room) {
        for (int64_t i = 0; i < found; i++) few->lower[at + i] = pool->lower[at + slots[i]];
        if (few->upper != few->lower)
            for (int64_t i = 0; i < found; i++) few->upper[at + i] = pool->upper[at + slots[i]];
    }
    for (int64_t at = 0; at < task->named * few->room; at += few->room)
        for (int64_t i = 0; i < found; i++) few->sets[at + i] = pool->sets[at + slots[i]];
    for (int64_t i = 0; i < found; i++) few->cost[i] = pool->cost[slots[i]];
    for (int64_t i = 0; i < found; i++) few->rows[i] = pool->rows[slots[i]];
    few->left = found;
    return found == able;
}

/* Grow a class to k members around the record in a slot; gives how many it found.
 *
 * A box only grows, so what a record costs at first is the least that it ever will. Those that cost more than the whole
 * class will in the end need not be looked at again: the class is grown among a few, with a limit taken from the class
 * before, and once more with a higher one if that was too low. What comes out is the same. */
static int64_t grow(const Task *task, Pool *pool, Pool *few, int64_t slot, Box box, int32_t *members) {
    members[0] = take(task, pool, slot);
    open_class(task, pool, box, members[0]);
    if (pool->left <= 4 * task->k) return grow_by(task, pool, box, members, INFINITY);
    int64_t size;
    int64_t next = nearest(pool); /* a class costs more than its first two members, and mostly not much more */
    for (float limit = next < 0 ? 0 : greater(few->limit, 4 * pool->cost[next]);; limit *= 4) {
        int all = shortlist(task, pool, few, limit);
        open_box(task, task->quads, box, members[0]);
        size = few->left + 1 < task->k && !all ? 0 : grow_by(task, few, box, members, all ? INFINITY : limit);
        if (size == task->k || all) break;
    }
    few->limit = greater(2 * few->limit, 1e-6f);
    for (int64_t i = 1; i < size; i++) take(task, pool, pool->slots[members[i] - pool->first]);
    return size;
}

#endif
