/* Record linkage by distance: is anyone nearer to a released record than the one that it was made from?
 *
 * Records lie in a balanced tree. Node i of level l holds the places from n i / 2^l up to n (i + 1) / 2^l, so nothing
 * but the boxes around nodes is kept. Sums are taken column after column, for boxes as for records, so that a box is
 * never farther away than what lies in it, whatever the rounding. */
#include "linkage.h"

enum { LEVELS = 40 };

typedef struct {
    Cells cells;
    int64_t n, levels;
    const double *records; /* in the order of the tree */
    const double *boxes;   /* node after node, from the root down: the lowest value of each column, then the highest */
    const uint8_t *holes;  /* whether some record of a node has no value in a column */
} Tree;

typedef struct {
    int64_t level, node;
} Place;

static int64_t bound_of(int64_t n, int64_t level, int64_t node) { return (int64_t)(n * node >> level); }

/* Where a value goes when rows are halved: those without one come first. */
static inline double key(const double *records, int64_t m, int32_t row, int64_t j) {
    double x = records[row * m + j];
    return isnan(x) ? -INFINITY : x;
}

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void halve(int32_t *order, int64_t from, int64_t to, int64_t middle, const double *records, int64_t m,
                  int64_t j) {
    for (to--; from < to;) {
        double a = key(records, m, order[from], j), b = key(records, m, order[(from + to) / 2], j);
        double c = key(records, m, order[to], j), pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = from, k = to;
        while (i <= k) {
            while (key(records, m, order[i], j) < pivot) i++;
            while (key(records, m, order[k], j) > pivot) k--;
            if (i <= k) swap(&order[i++], &order[k--]);
        }
        if (middle <= k) to = k;
        else if (middle >= i) from = i;
        else return;
    }
}

/* Put a box around some rows. */
static void enclose(const double *records, int64_t m, const int32_t *order, int64_t from, int64_t to, double *box,
                    uint8_t *holes) {
    for (int64_t j = 0; j < m; j++) {
        double low = INFINITY, high = -INFINITY;
        uint8_t hole = 0;
        for (int64_t i = from; i < to; i++) {
            double x = records[order[i] * m + j];
            if (isnan(x)) hole = 1;
            else low = x < low ? x : low, high = x > high ? x : high;
        }
        box[j] = low;
        box[m + j] = high;
        holes[j] = hole;
    }
}

/* Order n records so that they lie in a tree, and put boxes around its nodes, of which there are 2^levels - 1. */
KERNEL void grow_linkage_tree(int64_t n, int64_t m, int64_t numbers, const double *records, const double *weights,
                              int64_t levels, int32_t *order, double *boxes, uint8_t *holes) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t level = 0, at = 0; level < levels; level++)
        for (int64_t node = 0; node < (int64_t)1 << level; node++, at++) {
            int64_t from = bound_of(n, level, node), to = bound_of(n, level, node + 1), widest = 0;
            double *box = boxes + at * 2 * m, most = -1;
            enclose(records, m, order, from, to, box, holes + at * m);
            if (level + 1 == levels) continue;
            for (int64_t j = 0; j < m; j++) {
                double wide = box[m + j] - box[j];
                wide = wide > 0 ? (j < numbers ? wide * wide * weights[j] : weights[j]) : 0;
                if (wide > most) most = wide, widest = j;
            }
            halve(order, from, to, bound_of(n, level + 1, 2 * node + 1), records, m, widest);
            if (node % 64 == 0 && stopping(level, levels)) return;
        }
}

/* The least squared distance between a released record and anything in a box; tells also whether all in it fit. */
static double nearest_of(const Tree *t, int64_t at, const double *low, const double *high, int *inside) {
    const Cells *c = &t->cells;
    const double *lowest = t->boxes + at * 2 * c->m, *highest = lowest + c->m;
    const uint8_t *holes = t->holes + at * c->m;
    double total = 0;
    *inside = 1;
    for (int64_t j = 0; j < c->m; j++) {
        double off, value = lowest[j];
        if (isinf(low[j])) continue;
        if (isnan(low[j])) {
            *inside &= value > highest[j];
            total += holes[j] ? 0 : 1;
            continue;
        }
        if (value > highest[j]) off = 1; /* nobody has a value */
        else if (j >= c->numbers) {
            int single = value == highest[j];
            off = single ? (holds(c, j, low[j], value) ? 0 : c->weights[j])
                         : low[j] >= 0 && (low[j] < value || low[j] > highest[j]) ? c->weights[j] : 0;
            *inside &= single;
        } else {
            off = highest[j] < low[j] ? low[j] - highest[j] : value > high[j] ? value - high[j] : 0;
            off = off * off * c->weights[j];
            *inside &= value >= low[j] && highest[j] <= high[j];
        }
        if (holes[j] && off > 1) off = 1;
        *inside &= off == 0 && !holes[j];
        total += off;
    }
    return total;
}

static double distance(const Cells *c, const double *low, const double *high, const double *record, double enough) {
    double total = 0;
    for (int64_t j = 0; j < c->m && total <= enough; j++) total += gap(c, j, low[j], high[j], record[j]);
    return total;
}

/* Count who is as near to a released record as the one that it was made from; 0 if anyone is nearer. */
static int64_t equals(const Tree *t, const double *low, const double *high, double own, double slack) {
    double near = own * (1 - slack), far = own * (1 + slack);
    int64_t found = 0, waiting = 1, m = t->cells.m;
    Place stack[LEVELS + 1] = {{0, 0}};
    while (waiting) {
        Place here = stack[--waiting];
        int64_t at = ((int64_t)1 << here.level) - 1 + here.node;
        int64_t from = bound_of(t->n, here.level, here.node), to = bound_of(t->n, here.level, here.node + 1);
        if (from == to) continue;
        int inside, after;
        if (nearest_of(t, at, low, high, &inside) > far) continue;
        if (inside) {
            if (near > 0) return 0;
            found += to - from;
        } else if (here.level + 1 == t->levels) {
            for (const double *record = t->records + from * m; from < to; from++, record += m) {
                double off = distance(&t->cells, low, high, record, far);
                if (off < near) return 0;
                found += off <= far;
            }
        } else {
            double left = nearest_of(t, 2 * at + 1, low, high, &after), right = nearest_of(t, 2 * at + 2, low, high, &after);
            int64_t first = right < left; /* the nearer half is looked at first */
            stack[waiting++] = (Place){here.level + 1, 2 * here.node + 1 - first};
            stack[waiting++] = (Place){here.level + 1, 2 * here.node + first};
        }
    }
    return found;
}

/* For each of some released records: how many records are as near to it as its own, itself among them, or 0 if anyone
 * is nearer. `own` has the record of each, and `slack` what counts as rounding. */
KERNEL void count_nearest(int64_t n, int64_t m, int64_t numbers, const double *records, const double *weights,
                          int64_t levels, const double *boxes, const uint8_t *holes, const uint64_t *sets,
                          const int64_t *starts, const int64_t *words, int64_t asked, const double *low,
                          const double *high, const double *own, const double *slack, int64_t *found) {
    Tree t = {{m, numbers, weights, sets, starts, words}, n, levels, records, boxes, holes};
    for (int64_t i = 0; i < asked; i++, low += m, high += m, own += m) {
        if (i % 16 == 0 && stopping(i, asked)) return;
        found[i] = equals(&t, low, high, distance(&t.cells, low, high, own, INFINITY), *slack);
    }
}

/* The distance between each of some released records and each of n records. */
KERNEL void linkage_distances(int64_t n, int64_t m, int64_t numbers, const double *records, const double *weights,
                              const uint64_t *sets, const int64_t *starts, const int64_t *words, int64_t asked,
                              const double *low, const double *high, double *found) {
    Cells c = {m, numbers, weights, sets, starts, words};
    for (int64_t i = 0; i < asked; i++, low += m, high += m) {
        if (i % 16 == 0 && stopping(i, asked)) return;
        for (int64_t r = 0; r < n; r++) *found++ = sqrt(distance(&c, low, high, records + r * m, INFINITY));
    }
}
