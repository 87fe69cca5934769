/* Partitions of records into small classes that are alike: MDAV, V-MDAV, and the optimal cut of one column. */
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

static void count(Rest *rest, int32_t row, int64_t sign) {
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

static void start(Rest *rest, const int32_t *rows, int64_t n) {
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
static double mode(Rest *rest, int64_t j) {
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
static const double *centre_of(Rest *rest) {
    const Space *space = &rest->tree.space;
    for (int64_t j = 0; j < space->numbers; j++)
        rest->middle[j] = ldexp((double)rest->whole[j] + ldexp((double)rest->part[j], -32), -30) / (double)rest->number;
    for (int64_t j = space->numbers; j < space->m; j++)
        if (rest->middle[j] < 0) rest->middle[j] = mode(rest, j);
    return rest->middle;
}

/* The bits of numbers from 0 have the order of the numbers: taken from those of infinity, the largest comes first. */
static uint64_t key_of(double squared) {
    uint64_t bits;
    memcpy(&bits, &squared, sizeof bits);
    return 0x7FF0000000000000u - bits;
}

static double squared_from(uint64_t key) {
    double squared;
    key = 0x7FF0000000000000u - key;
    memcpy(&squared, &key, sizeof squared);
    return squared;
}

/* Sort the records that are left by their distance from a middle; equally distant ones stay ascending. */
static void look_around(Rest *rest, const double *centre) {
    const Space *space = &rest->tree.space;
    Ring *ring = &rest->ring;
    int64_t number = 0;
    for (int64_t i = 0; i < ring->number; i++) {
        int32_t row = ring->rows[i];
        if (rest->tree.seat[row] < 0) continue;
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
static int32_t outermost(Rest *rest, const double *centre) {
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
        if (rest->tree.seat[row] < 0) {
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
static void give(Rest *rest, int32_t row, int32_t class, int32_t *labels) {
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
static void give_around(Rest *rest, int32_t row, int64_t k, int32_t class, int32_t *labels, Found *found) {
    const Space *space = &rest->tree.space;
    give(rest, row, class, labels);
    int64_t near = tree_nearest(&rest->tree, space->points + row * space->m, k - 1, found);
    for (int64_t i = 0; i < near; i++) give(rest, found[i].row, class, labels);
}

static void give_all(Rest *rest, int32_t class, int32_t *labels) {
    int64_t number = tree_rows(&rest->tree, rest->spare);
    for (int64_t i = 0; i < number; i++) labels[rest->spare[i]] = class, count(rest, rest->spare[i], -1);
}

/* Lay out the room that is described below. */
static Rest rest_in(Space space, int64_t most, const int64_t *offsets, double *centres, uint64_t *packed, float *floats,
                    int32_t *integers, int64_t *sums) {
    Ring ring = {.rows = integers, .order = integers + most, .run = integers + 2 * most, .packed = packed,
                 .scratch = packed + most, .keys = packed + 2 * most, .centre = centres + space.m};
    Rest rest = {tree_in(space, most, floats, integers + 4 * most), ring, 0, 0, centres, sums, sums + space.m,
                 sums + 2 * space.m, offsets, integers + 3 * most};
    return rest;
}

/* MDAV with classes of k, in each block of rows by itself; gives the number of classes.
 *
 * order lists the rows block after block, in each ascending, and starts where each begins; no block may have more than
 * `most` rows. Room: centres for 3 m, packed for 3 `most`, floats for the tree of a block, integers for it and 4 `most`,
 * sums for 2 m and one count per category, all zero, and found for k pairs. */
KERNEL int64_t mdav(const double *points, int64_t m, int64_t numbers, const double *weights, const int64_t *offsets,
                    const int32_t *order, const int64_t *starts, int64_t blocks, int64_t most, int64_t k,
                    double *centres, uint64_t *packed, float *floats, int32_t *integers, int64_t *sums, double *found,
                    int32_t *labels) {
    Space space = {points, m, numbers, weights};
    Rest rest = rest_in(space, most, offsets, centres, packed, floats, integers, sums);
    Found *near = (Found *)found;
    int32_t class = 0;
    for (int64_t b = 0; b < blocks; b++) {
        start(&rest, order + starts[b], starts[b + 1] - starts[b]);
        while (rest.number >= 2 * k) {
            int two = rest.number >= 3 * k;
            int32_t first = outermost(&rest, centre_of(&rest));
            give_around(&rest, first, k, class++, labels, near);
            if (two) give_around(&rest, tree_farthest(&rest.tree, points + first * m), k, class++, labels, near);
        }
        if (rest.number) give_all(&rest, class++, labels);
    }
    return class;
}

/* The record that is nearest to a member of a class. */
static Found nearest_to(const Rest *rest, int32_t row) {
    Found found = {INFINITY, -1};
    tree_nearest(&rest->tree, rest->tree.space.points + row * rest->tree.space.m, 1, &found);
    return found;
}

/* Whether a record is so much nearer to a class than to its own neighbours that it had better join. */
static int drawn(const Rest *rest, Found candidate, double gamma) {
    Found two[2];
    int64_t number = tree_nearest(&rest->tree, rest->tree.space.points + candidate.row * rest->tree.space.m, 2, two);
    if (number < 2) return 1;
    return sqrt(candidate.distance) < gamma * sqrt(two[two[0].row == candidate.row].distance);
}

/* V-MDAV: classes of k to 2k - 1 around the record that is farthest from the middle of all; gives how many there are.
 *
 * gamma holds one number. Room as for mdav with one block, members for 2k rows, and found for 2k pairs. */
KERNEL int64_t v_mdav(const double *points, int64_t n, int64_t m, int64_t numbers, const double *weights,
                      const int64_t *offsets, const int32_t *order, int64_t k, const double *gamma, double *centres,
                      uint64_t *packed, float *floats, int32_t *integers, int64_t *sums, int32_t *members,
                      double *found, int32_t *labels) {
    Space space = {points, m, numbers, weights};
    Rest rest = rest_in(space, n, offsets, centres, packed, floats, integers, sums);
    Found *near = (Found *)found;
    int32_t class = 0;
    start(&rest, order, n);
    double *centre = memcpy(centres + 2 * m, centre_of(&rest), (size_t)m * sizeof *centre);
    for (int64_t i = 0; i < n; i++) labels[i] = -1;
    while (rest.number >= k) {
        int64_t size = 0;
        members[size++] = outermost(&rest, centre);
        give(&rest, members[0], class, labels);
        int64_t others = tree_nearest(&rest.tree, points + members[0] * m, k - 1, near);
        for (int64_t i = 0; i < others; i++) members[size++] = near[i].row;
        for (int64_t i = 1; i < size; i++) give(&rest, members[i], class, labels);
        for (int64_t i = 0; i < size; i++) near[i] = nearest_to(&rest, members[i]);
        while (size < 2 * k - 1 && rest.number) {
            Found best = near[0];
            for (int64_t i = 1; i < size; i++)
                if (near[i].distance < best.distance || (near[i].distance == best.distance && near[i].row < best.row))
                    best = near[i];
            if (!drawn(&rest, best, *gamma)) break;
            give(&rest, best.row, class, labels);
            members[size++] = best.row;
            for (int64_t i = 0; i < size; i++) /* the neighbours of others are still there */
                if (i == size - 1 || near[i].row == best.row) near[i] = nearest_to(&rest, members[i]);
        }
        class++;
    }
    int64_t number = tree_rows(&rest.tree, rest.spare);
    for (int64_t i = 0; i < number; i++) { /* too few for a class: each joins that of the nearest record */
        Found best = {INFINITY, -1};
        for (int32_t row = 0; row < n; row++) {
            double far = labels[row] < 0 ? INFINITY : squared_distance(&space, points + row * m,
                                                                      points + rest.spare[i] * m);
            if (far < best.distance) best = (Found){far, row};
        }
        members[i] = best.row < 0 ? 0 : labels[best.row];
    }
    for (int64_t i = 0; i < number; i++) labels[rest.spare[i]] = members[i];
    return class ? class : 1;
}

/* The cut of ascending numbers into classes of k to 2k - 1 with the least squared error inside; gives how many there
 * are. Such classes are all that need be looked at: a larger one could be cut in two and lose nothing. least_error and
 * last have n + 1 places. */
KERNEL int64_t optimal_cut(const double *values, int64_t n, int64_t k, double *least_error, int32_t *last,
                           int32_t *labels) {
    least_error[0] = 0;
    for (int64_t j = 1; j <= n; j++) {
        double mean = 0, squares = 0; /* grown with the class, so that no digits are lost to large sums */
        least_error[j] = INFINITY;
        for (int64_t i = j - 1; i >= 0 && j - i <= 2 * k - 1; i--) {
            double step = values[i] - mean;
            mean += step / (double)(j - i);
            squares += step * (values[i] - mean);
            if (j - i >= k && least_error[i] + squares < least_error[j]) {
                least_error[j] = least_error[i] + squares;
                last[j] = (int32_t)i;
            }
        }
    }
    int32_t classes = 0;
    for (int64_t j = n; j > 0; j = last[j]) classes++;
    int32_t class = classes;
    for (int64_t j = n; j > 0; j = last[j]) {
        class--;
        for (int64_t i = last[j]; i < j; i++) labels[i] = class;
    }
    return classes;
}
