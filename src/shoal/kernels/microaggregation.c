/* Partitions of records into small classes that are alike: MDAV, V-MDAV, and the optimal cut of one column. */
#include "unassigned.h"

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
            if (stopping(starts[b + 1] - starts[0] - rest.number, starts[blocks] - starts[0])) return class;
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
        if (stopping(n - rest.number, n)) return class;
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
        if (j % 256 == 0 && stopping(j, n)) return 0;
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
