/* Classes that are alike in the quasi-identifiers and spread in a confidential value, by microaggregation [Soria-Comas,
 * Domingo-Ferrer, Sánchez, Martínez 2015]: k-anonymity first, and t-closeness first. */
#include "closeness.h"
#include "unassigned.h"

enum { FEW = 256 }; /* neighbours that are looked at before all records are sorted */

typedef struct {
    const Spread *spread;
    const int32_t *bins;
    const Mark *passed;
    double t, distance;
    int64_t k, rows;
    Mark *marks, *trial;
    int32_t *members; /* of the class that grows, in the order of its marks */
} Cluster;

/* Replace the member whose leaving brings the class nearest to the table, if it comes nearer at all. */
static void improve(Cluster *class, int32_t row) {
    Mark mark = mark_at(class->spread, class->bins[row]);
    double best = class->distance;
    int64_t leaving = -1, size = class->k;
    for (int64_t i = 0; i < size; i++)
        if (class->members[i] == row) return; /* equally distant records may come twice */
    for (int64_t i = 0; i < size; i++) {
        memcpy(class->trial, class->marks, (size_t)size * sizeof *class->trial);
        replace_mark(class->trial, size, i, mark);
        double distance = spread_distance(class->spread, class->trial, size, class->passed);
        if (distance < best) best = distance, leaving = i;
    }
    if (leaving < 0) return;
    int64_t to = replace_mark(class->marks, size, leaving, mark);
    for (; leaving < to; leaving++) class->members[leaving] = class->members[leaving + 1];
    for (; leaving > to; leaving--) class->members[leaving] = class->members[leaving - 1];
    class->members[to] = row;
    class->distance = best;
}

/* Walk on from the k nearest records to farther ones, as long as the class is too far from the table. `rest` sorts all
 * records by their distance when the few nearest do not do. */
static void walk(Cluster *class, Rest *rest, const double *seed, Found *near) {
    int64_t number = tree_nearest(&rest->tree, seed, FEW > class->k ? FEW : class->k, near), size = 0;
    for (; size < class->k; size++) {
        Mark mark = mark_at(class->spread, class->bins[near[size].row]);
        int64_t i = size;
        for (; i > 0 && class->marks[i - 1].bin > mark.bin; i--) {
            class->marks[i] = class->marks[i - 1];
            class->members[i] = class->members[i - 1];
        }
        class->marks[i] = mark;
        class->members[i] = near[size].row;
    }
    class->distance = spread_distance(class->spread, class->marks, size, class->passed);
    for (int64_t i = size; i < number && class->distance > class->t; i++) improve(class, near[i].row);
    if (class->distance <= class->t || number == rest->number) return;
    Ring *ring = &rest->ring;
    ring->spent = INT64_MAX; /* its room is used here: what it knew is forgotten */
    look_around(rest, seed); /* the farthest come first */
    for (int64_t i = ring->number - 1 - number; i >= 0 && class->distance > class->t; i--)
        if (i % 64 == 0 && stopping(class->rows - rest->number, class->rows)) return;
        else improve(class, ring->rows[ring->order[i]]);
    ring->spent = INT64_MAX;
}

static void give_close(Cluster *class, Rest *rest, int32_t first, int32_t label, int32_t *labels, Found *near) {
    const Space *space = &rest->tree.space;
    walk(class, rest, space->points + first * space->m, near);
    for (int64_t i = 0; i < class->k; i++) give(rest, class->members[i], label, labels);
}

/* Classes of k by MDAV, in which records are exchanged for farther ones until they are within t of the table; gives how
 * many there are. The last one, and any for which no record helps, may miss t.
 *
 * Room as for mdav with one block of n rows; marks for 6 k + 2 numbers, members for k, found for FEW or k pairs. */
KERNEL int64_t k_anonymity_first(const double *points, int64_t n, int64_t m, int64_t numbers, const double *weights,
                                 const int64_t *offsets, const int32_t *order, const int32_t *bins,
                                 const int64_t *cumulative, const double *areas, int64_t number_of_bins, int64_t k,
                                 const double *t, double *centres, uint64_t *packed, float *floats, int32_t *integers,
                                 int64_t *sums, double *marks, int32_t *members, double *found, int32_t *labels) {
    Space space = {points, m, numbers, weights};
    Rest rest = rest_in(space, n, offsets, centres, packed, floats, integers, sums);
    Spread spread = {cumulative, areas, number_of_bins, (double)cumulative[number_of_bins - 1]}; /* of more than these rows */
    Mark *passed = (Mark *)marks;
    Cluster class = {&spread, bins, passed, *t, 0, k, n, passed + k + 1, passed + 2 * k + 1, members};
    passages(&spread, k, passed);
    int32_t label = 0;
    start(&rest, order, n);
    while (rest.number >= 2 * k) {
        if (stopping(n - rest.number, n)) return label;
        int two = rest.number >= 3 * k;
        int32_t first = outermost(&rest, centre_of(&rest));
        give_close(&class, &rest, first, label++, labels, (Found *)found);
        if (two) {
            int32_t other = tree_farthest(&rest.tree, points + first * m);
            give_close(&class, &rest, other, label++, labels, (Found *)found);
        }
    }
    if (rest.number) give_all(&rest, label++, labels);
    return label;
}

/* The rows of one stratum that are left. Rows are numbered from `first`; the tree is grown anew when half of it is gone. */
typedef struct {
    Tree tree;
    int64_t first, number, grown;
} Stratum;
enum { WORDS = 32 }; /* of 64 bits, that a stratum has room in */
_Static_assert(sizeof(Stratum) <= WORDS * sizeof(int64_t), "the room of a stratum");

static void leave(Stratum *stratum, int32_t row, int32_t *spare) {
    tree_remove(&stratum->tree, row);
    stratum->number--;
    if (stratum->number >= 4 * LEAF && 2 * stratum->number < stratum->grown) {
        stratum->grown = tree_rows(&stratum->tree, spare);
        tree_grow(&stratum->tree, spare, stratum->grown);
    }
}

/* Give the record of each stratum that is nearest to a point to a class, and one more while a stratum has too many:
 * `classes` of them are still to be formed. */
static void give_one_of_each(Stratum *strata, int64_t number, Rest *rest, int64_t classes, const double *seed,
                             int32_t label, int32_t *labels) {
    int more = 1;
    for (int64_t s = 0; s < number; s++) {
        int64_t wanted = more && strata[s].number > classes ? 2 : 1;
        if (wanted == 2) more = 0;
        Found near[2];
        int64_t found = tree_nearest(&strata[s].tree, seed, wanted, near);
        for (int64_t i = 0; i < found; i++) {
            leave(&strata[s], near[i].row, rest->spare);
            give(rest, (int32_t)(strata[s].first + near[i].row), label, labels);
        }
    }
}

/* Classes by MDAV that take one record from each stratum; gives how many there are.
 *
 * points are sorted by the confidential value; starts says where each stratum begins and the last one ends. Every
 * stratum has at least as many rows as classes are formed. Room as for mdav with one block of n rows; held for WORDS
 * per stratum, and floats_at and integers_at say where each has the room of its tree. */
KERNEL int64_t t_closeness_first(const double *points, int64_t n, int64_t m, int64_t numbers, const double *weights,
                                 const int64_t *offsets, const int32_t *order, const int64_t *starts, int64_t number,
                                 int64_t classes, double *centres, uint64_t *packed, float *floats, int32_t *integers,
                                 int64_t *sums, int64_t *held, float *tree_floats, const int64_t *floats_at,
                                 int32_t *tree_integers, const int64_t *integers_at, int32_t *labels) {
    Space space = {points, m, numbers, weights};
    Rest rest = rest_in(space, n, offsets, centres, packed, floats, integers, sums);
    Stratum *strata = (Stratum *)held; /* no more than WORDS each */
    for (int64_t s = 0; s < number; s++) {
        Space own = {points + starts[s] * m, m, numbers, weights};
        int64_t rows = starts[s + 1] - starts[s];
        Tree tree = tree_in(own, rows, tree_floats + floats_at[s], tree_integers + integers_at[s]);
        Stratum stratum = {tree, starts[s], rows, rows};
        strata[s] = stratum;
        tree_grow(&strata[s].tree, order, rows); /* order counts up from 0 */
    }
    start(&rest, order, n);
    for (int32_t label = 0; label < classes;) {
        if (stopping(label, classes)) return label;
        int32_t first = outermost(&rest, centre_of(&rest));
        give_one_of_each(strata, number, &rest, classes - label, points + first * m, label, labels);
        if (++label == classes) break;
        int32_t other = tree_farthest(&rest.tree, points + first * m);
        give_one_of_each(strata, number, &rest, classes - label, points + other * m, label, labels);
        label++;
    }
    return classes;
}
