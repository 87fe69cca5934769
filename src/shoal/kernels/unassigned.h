/* The records that belong to no class yet: where their middle is, who is farthest from it, who is near. */
#ifndef SHOAL_UNASSIGNED_H
#define SHOAL_UNASSIGNED_H

#include "kdtree.h"

/* The records sorted by their distance from where the middle once was: it moves slowly, so that the farthest from it is
 * still among the first. */
typedef struct {
    int32_t *rows, *order;        /* the records that were there, ascending, and their order, the farthest first */
    uint64_t *keys;               /* squared distances, so that the largest comes first */
    double *centre;               /* from where they were taken */
    int64_t number, head, spent;  /* how many there were, the first that may be left, and what was gone through */
    uint64_t *packed, *scratch;   /* room to sort in */
    int32_t *run;
} Ring;

/* The records that belong to no class yet, and where their middle is.
 *
 * Sums are kept in fixed point, as whole multiples of 2^-30 and of 2^-62, so that they do not depend on the order in
 * which records come and go: the middle of the same records is always the same number. */
typedef struct {
    Tree tree;
    Ring ring;
    int64_t number, grown; /* how many records are left, and how many there were when the tree was grown */
    double *middle;
    int64_t *whole, *part;  /* per column of numbers, the sum */
    int64_t *counts;        /* per category, how often it is left */
    const int64_t *offsets; /* where the counts of each column of categories begin, and where the last ones end */
    int32_t *spare;
} Rest;

static inline void count(Rest *rest, int32_t row, int64_t sign) {
    const Space *space = &rest->tree.space;
    const double *point = space->points + row * space->m;
    for (int64_t j = 0; j < space->numbers; j++) {
        double scaled = ldexp(point[j], 30), whole = rint(scaled);
        rest->whole[j] += sign * (int64_t)whole;
        rest->part[j] += sign * (int64_t)rint(ldexp(scaled - whole, 32));
    }
    for (int64_t j = space->numbers; j < space->m; j++)
        rest->counts[rest->offsets[j - space->numbers] + (int64_t)point[j]] += sign;
    rest->number += sign;
}

static inline void start(Rest *rest, const int32_t *rows, int64_t n) {
    const Space *space = &rest->tree.space;
    for (int64_t j = 0; j < space->numbers; j++) rest->whole[j] = rest->part[j] = 0;
    for (int64_t j = space->numbers; j < space->m; j++) rest->middle[j] = -1;
    rest->number = 0;
    rest->grown = n;
    rest->ring.number = n;
    rest->ring.spent = INT64_MAX;
    memcpy(rest->ring.rows, rows, (size_t)n * sizeof *rows);
    for (int64_t i = 0; i < n; i++) count(rest, rows[i], 1);
    tree_grow(&rest->tree, rows, n);
}

/* The most frequent category of a column among the records that are left; of several the lowest. Categories or records
 * are gone through, whichever are fewer. */
static inline double mode(Rest *rest, int64_t j) {
    const Space *space = &rest->tree.space;
    const int64_t *counts = rest->counts + rest->offsets[j - space->numbers];
    int64_t categories = rest->offsets[j - space->numbers + 1] - rest->offsets[j - space->numbers], best = 0;
    if (categories <= rest->number) {
        for (int64_t c = 1; c < categories; c++)
            if (counts[c] > counts[best]) best = c;
        return (double)best;
    }
    int64_t number = tree_rows(&rest->tree, rest->spare);
    for (int64_t i = 0; i < number; i++) {
        int64_t c = (int64_t)space->points[rest->spare[i] * space->m + j];
        if (i == 0 || counts[c] > counts[best] || (counts[c] == counts[best] && c < best)) best = c;
    }
    return (double)best;
}

/* The middle of the records that are left: the mean of numbers, the most frequent category. */
static inline const double *centre_of(Rest *rest) {
    const Space *space = &rest->tree.space;
    for (int64_t j = 0; j < space->numbers; j++)
        rest->middle[j] = ldexp((double)rest->whole[j] + ldexp((double)rest->part[j], -32), -30) / (double)rest->number;
    for (int64_t j = space->numbers; j < space->m; j++)
        if (rest->middle[j] < 0) rest->middle[j] = mode(rest, j);
    return rest->middle;
}

/* The bits of numbers from 0 have the order of the numbers: taken from those of infinity, the largest comes first. */
static inline uint64_t key_of(double squared) {
    uint64_t bits;
    memcpy(&bits, &squared, sizeof bits);
    return 0x7FF0000000000000u - bits;
}

static inline double squared_from(uint64_t key) {
    double squared;
    key = 0x7FF0000000000000u - key;
    memcpy(&squared, &key, sizeof squared);
    return squared;
}

/* Sort the records that are left by their distance from a middle; equally distant ones stay ascending. */
static inline void look_around(Rest *rest, const double *centre) {
    const Space *space = &rest->tree.space;
    Ring *ring = &rest->ring;
    int64_t number = 0;
    for (int64_t i = 0; i < ring->number; i++) {
        int32_t row = ring->rows[i];
        if (rest->tree.slot[row] < 0) continue;
        ring->keys[number] = key_of(squared_distance(space, space->points + row * space->m, centre));
        ring->rows[number++] = row;
    }
    ring->number = number;
    ring->head = ring->spent = 0;
    memcpy(ring->centre, centre, (size_t)space->m * sizeof *centre);
    order_by_lengths(ring->keys, number, ring->packed, ring->scratch, ring->order, ring->run);
}

/* The record that is farthest from a middle: none can be farther from it than from where the middle was, and by as much
 * as it moved since. Records are sorted anew when more than that would cost was spent on going through them. */
static inline int32_t outermost(Rest *rest, const double *centre) {
    const Space *space = &rest->tree.space;
    Ring *ring = &rest->ring;
    if (space->numbers == 0) return tree_farthest(&rest->tree, centre); /* categories alone do not move, they leap */
    if (ring->spent > rest->number) look_around(rest, centre);
    double moved = 0, most = 0;
    for (int64_t j = 0; j < space->numbers; j++)
        moved += (centre[j] - ring->centre[j]) * (centre[j] - ring->centre[j]);
    moved = sqrt(moved);
    for (int64_t j = space->numbers; j < space->m; j++)
        if (centre[j] != ring->centre[j]) { /* another category is the most frequent: that is a leap */
            ring->spent += rest->number / 16 + 1;
            return tree_farthest(&rest->tree, centre);
        }
    Found best = {-1, -1};
    for (int64_t i = ring->head; i < ring->number; i++) {
        int32_t at = ring->order[i], row = ring->rows[at];
        double far = squared_from(ring->keys[at]);
        if ((sqrt(far) + moved) * (1 + 1e-9) < most) break;
        ring->spent++;
        if (rest->tree.slot[row] < 0) {
            ring->head += i == ring->head;
            continue;
        }
        if (moved == 0) return row;
        double exact = squared_distance(space, space->points + row * space->m, centre);
        if (exact > best.distance || (exact == best.distance && row < best.row)) {
            best = (Found){exact, row};
            most = sqrt(exact);
        }
    }
    return best.row;
}

/* Give a record to a class. When half of the tree is gone it is grown anew, with full leaves. */
static inline void give(Rest *rest, int32_t row, int32_t class, int32_t *labels) {
    const Space *space = &rest->tree.space;
    labels[row] = class;
    tree_remove(&rest->tree, row);
    count(rest, row, -1);
    for (int64_t j = space->numbers; j < space->m; j++) /* others only became rarer: a mode that did not is still one */
        if (space->points[row * space->m + j] == rest->middle[j]) rest->middle[j] = -1;
    if (rest->number >= 4 * LEAF && 2 * rest->number < rest->grown) {
        rest->grown = tree_rows(&rest->tree, rest->spare);
        tree_grow(&rest->tree, rest->spare, rest->grown);
    }
}

/* Give a record and the k - 1 that are nearest to it to a class. */
static inline void give_around(Rest *rest, int32_t row, int64_t k, int32_t class, int32_t *labels, Found *found) {
    const Space *space = &rest->tree.space;
    give(rest, row, class, labels);
    int64_t near = tree_nearest(&rest->tree, space->points + row * space->m, k - 1, found);
    for (int64_t i = 0; i < near; i++) give(rest, found[i].row, class, labels);
}

static inline void give_all(Rest *rest, int32_t class, int32_t *labels) {
    int64_t number = tree_rows(&rest->tree, rest->spare);
    for (int64_t i = 0; i < number; i++) labels[rest->spare[i]] = class, count(rest, rest->spare[i], -1);
}

/* Lay out the room that is described below. */
static inline Rest rest_in(Space space, int64_t most, const int64_t *offsets, double *centres, uint64_t *packed,
                           float *floats, int32_t *integers, int64_t *sums) {
    Ring ring = {.rows = integers, .order = integers + most, .run = integers + 2 * most, .packed = packed,
                 .scratch = packed + most, .keys = packed + 2 * most, .centre = centres + space.m};
    Rest rest = {tree_in(space, most, floats, integers + 4 * most), ring, 0, 0, centres, sums, sums + space.m,
                 sums + 2 * space.m, offsets, integers + 3 * most};
    return rest;
}

#endif
