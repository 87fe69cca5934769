/* The nearest of some rows: how many cells of two rows cannot stand for the same, and which rows are the nearest.
 *
 * Rows lie in a balanced tree. Node i of level l holds the places from n i / 2^l up to n (i + 1) / 2^l, so nothing but
 * the boxes around nodes is kept. Sums are taken column after column, for boxes as for rows, so that a box is never
 * farther away than what lies in it, whatever the rounding. */
#include "native.h"

enum { NUMBER, ORDERED, NOMINAL };
enum { LEVELS = 40 };

/* Rows of m cells with two ends: of numbers and places in an order the ends of what they stand for, of categories the
 * category twice, or -1 and the number of a set of which sets says who is in it. Both are not numbers where there is no
 * value, and infinite for any value. */
typedef struct {
    int64_t n, m, levels;
    const int64_t *kinds;
    const double *scale; /* one over the range of each column of numbers */
    const uint8_t *sets;
    int64_t width;
    const double *lo, *hi;   /* in the order of the tree */
    const int64_t *weights;  /* how often each row occurs */
    const double *boxes;     /* node after node, from the root down: the lowest end of each column, then the highest */
    const uint8_t *holes;    /* whether some row of a node has no value in a column */
} Tree;

/* A row that is asked about: its ends, and the same with the first and the last category of each set. */
typedef struct {
    const double *lo, *hi, *first, *last;
} Asked;

static inline Asked asked_row(const double *lo, const double *hi, const double *first, const double *last, int64_t at) {
    return (Asked){lo + at, hi + at, first + at, last + at};
}

typedef struct {
    int64_t level, node;
    double least; /* nothing in the node is nearer */
} Place;

static int64_t bound_of(int64_t n, int64_t level, int64_t node) { return (int64_t)(n * node >> level); }

/* How far two stretches of a column lie apart: numbers by the gap over their range, at most 1, and others by 1. */
static inline double between(int64_t kind, double a, double b, double lo, double hi, double scale) {
    double gap = lo > b ? lo - b : a > hi ? a - hi : 0;
    if (gap <= 0) return 0;
    if (kind != NUMBER) return 1;
    gap *= scale;
    return gap < 1 ? gap : 1;
}

/* How far two cells are apart: 0 if both may stand for the same. Of two sets only one is asked who is in it. */
static inline double apart(const Tree *t, int64_t j, double a, double b, double lo, double hi) {
    if (a == -INFINITY || lo == -INFINITY) return 0; /* any value */
    if (a != a || lo != lo) return a != a && lo != lo ? 0 : 1;
    if (t->kinds[j] != NOMINAL) return between(t->kinds[j], a, b, lo, hi, t->scale[j]);
    if (lo < 0) return !t->sets[(int64_t)hi * t->width + (int64_t)a];
    if (a < 0) return !t->sets[(int64_t)b * t->width + (int64_t)lo];
    return a != lo;
}

/* The distance between two rows in the columns from j up to the end. */
static double distance(const Tree *t, int64_t row, const Asked *x, int64_t j, int64_t end, double enough) {
    const double *a = t->lo + row * t->m, *b = t->hi + row * t->m;
    double sum = 0;
    for (; j < end && sum <= enough; j++) sum += apart(t, j, a[j], b[j], x->lo[j], x->hi[j]);
    return sum;
}

/* The least distance between a row and anything in a box, in the same way. */
static double nearest_in(const Tree *t, int64_t at, const Asked *x, int64_t j, int64_t end, double enough) {
    const double *lowest = t->boxes + at * 2 * t->m, *highest = lowest + t->m, *first = x->first, *last = x->last;
    const uint8_t *holes = t->holes + at * t->m;
    double sum = 0;
    for (; j < end && sum <= enough; j++) {
        if (first[j] == -INFINITY || lowest[j] == -INFINITY) continue;
        if (first[j] != first[j]) sum += holes[j] ? 0 : 1;
        else if (lowest[j] > highest[j]) sum += 1; /* nobody has a value */
        else sum += between(t->kinds[j], lowest[j], highest[j], first[j], last[j], t->scale[j]);
    }
    return sum;
}

static inline double key(const double *first, int64_t m, int32_t row, int64_t j) {
    double x = first[row * m + j];
    return x != x ? -INFINITY : x;
}

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void halve(int32_t *order, int64_t from, int64_t to, int64_t middle, const double *first, int64_t m, int64_t j) {
    for (to--; from < to;) {
        double a = key(first, m, order[from], j), b = key(first, m, order[(from + to) / 2], j);
        double c = key(first, m, order[to], j), pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = from, k = to;
        while (i <= k) {
            while (key(first, m, order[i], j) < pivot) i++;
            while (key(first, m, order[k], j) > pivot) k--;
            if (i <= k) swap(&order[i++], &order[k--]);
        }
        if (middle <= k) to = k;
        else if (middle >= i) from = i;
        else return;
    }
}

/* Put a box around some rows, and tell the column in which their lower ends differ most. */
static int64_t enclose(int64_t m, const int64_t *kinds, const double *scale, const double *first, const double *last,
                       const int32_t *order, int64_t from, int64_t to, double *box, uint8_t *holes) {
    double most = -1;
    int64_t widest = 0;
    for (int64_t j = 0; j < m; j++) {
        double low = INFINITY, high = -INFINITY, least = INFINITY, most_key = -INFINITY;
        uint8_t hole = 0;
        for (int64_t i = from; i < to; i++) {
            double a = first[order[i] * m + j], b = last[order[i] * m + j], place = a != a ? -INFINITY : a;
            least = place < least ? place : least;
            most_key = place > most_key ? place : most_key;
            if (a != a) hole = 1;
            else low = a < low ? a : low, high = b > high ? b : high;
        }
        box[j] = low;
        box[m + j] = high;
        holes[j] = hole;
        double wide = least < most_key ? (kinds[j] == NUMBER ? (most_key - least) * scale[j] : 1) : 0;
        if (wide > 1) wide = 1;
        if (wide > most) most = wide, widest = j;
    }
    return widest;
}

/* Order n rows, of which the hulls are given, so that they lie in a tree, and put boxes around its 2^levels - 1 nodes. */
KERNEL void grow_row_tree(int64_t n, int64_t m, const int64_t *kinds, const double *scale, const double *first,
                          const double *last, int64_t levels, int32_t *order, double *boxes, uint8_t *holes) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t level = 0, at = 0; level < levels; level++)
        for (int64_t node = 0; node < (int64_t)1 << level; node++, at++) {
            int64_t from = bound_of(n, level, node), to = bound_of(n, level, node + 1);
            int64_t widest = enclose(m, kinds, scale, first, last, order, from, to, boxes + at * 2 * m, holes + at * m);
            if (level + 1 < levels) halve(order, from, to, bound_of(n, level + 1, 2 * node + 1), first, m, widest);
            if (node % 64 == 0 && stopping(level, levels)) return;
        }
}

/* What was found so far: the least distance, the least above it, the rows at the least, and how often they occur. */
typedef struct {
    double least, next;
    int64_t number, weight;
} Found;

/* Take up a row. */
static inline void take(Found *found, double off, double slack, int32_t *list, int64_t row, int64_t weight) {
    if (off < found->least * (1 - slack)) {
        found->next = found->least;
        found->least = off;
        found->number = found->weight = 0;
    } else if (off > found->least * (1 + slack)) {
        if (off < found->next) found->next = off;
        return;
    }
    if (list) list[found->number] = (int32_t)row;
    found->number++;
    found->weight += weight;
}

static Found search(const Tree *t, const Asked *x, double slack, int64_t second, int32_t *list) {
    Found found = {INFINITY, INFINITY, 0, 0};
    Place stack[LEVELS + 1] = {{0, 0, 0}};
    for (int64_t waiting = t->n > 0; waiting;) {
        Place here = stack[--waiting];
        double enough = second ? found.next : found.least * (1 + slack);
        if (here.least > enough) continue;
        int64_t from = bound_of(t->n, here.level, here.node), to = bound_of(t->n, here.level, here.node + 1);
        if (here.level + 1 == t->levels) {
            for (; from < to; from++) {
                double off = distance(t, from, x, 0, t->m, enough);
                if (off > enough) continue;
                take(&found, off, slack, list, from, t->weights[from]);
                enough = second ? found.next : found.least * (1 + slack);
            }
            continue;
        }
        int64_t at = ((int64_t)1 << (here.level + 1)) - 1 + 2 * here.node;
        double left = nearest_in(t, at, x, 0, t->m, enough), right = nearest_in(t, at + 1, x, 0, t->m, enough);
        int64_t nearer = right < left; /* the nearer half is looked at first */
        stack[waiting++] = (Place){here.level + 1, 2 * here.node + 1 - nearer, nearer ? left : right};
        stack[waiting++] = (Place){here.level + 1, 2 * here.node + nearer, nearer ? right : left};
    }
    return found;
}

/* Find for each of some asked rows the least distance, the next one above it (if second), how many rows are at the
 * least, and, if list is given, their places, one list behind the other; ends says where each list ends. Stops where
 * another list might have no room, and gives how many rows were looked for. */
KERNEL int64_t find_nearest_rows(int64_t n, int64_t m, int64_t levels, const int64_t *kinds, const double *scale,
                                 const uint8_t *sets, int64_t width, const double *lo, const double *hi,
                                 const int64_t *weights, const double *boxes, const uint8_t *holes, int64_t asked,
                                 const double *ask_lo, const double *ask_hi, const double *ask_first,
                                 const double *ask_last, int64_t second, const double *slack, double *least,
                                 double *next, int64_t *rows, int64_t *ends, int32_t *list, int64_t room) {
    Tree t = {n, m, levels, kinds, scale, sets, width, lo, hi, weights, boxes, holes};
    int64_t used = 0, i = 0;
    for (; i < asked && (!list || used + n <= room); i++) {
        if (i % 16 == 0 && stopping(i, asked)) return i;
        Asked x = asked_row(ask_lo, ask_hi, ask_first, ask_last, i * m);
        Found found = search(&t, &x, *slack, second, list ? list + used : 0);
        used += found.number;
        least[i] = found.least, next[i] = found.next, rows[i] = found.weight, ends[i] = used;
    }
    return i;
}

/* How many rows are no farther from a row than it says in the columns before `split`, and in those from there on. */
static int64_t within(const Tree *t, const Asked *x, int64_t split, double near, double beside, int64_t most) {
    Place stack[LEVELS + 1] = {{0, 0, 0}};
    int64_t found = 0;
    for (int64_t waiting = t->n > 0; waiting && found < most;) {
        Place here = stack[--waiting];
        int64_t from = bound_of(t->n, here.level, here.node), to = bound_of(t->n, here.level, here.node + 1);
        int64_t at = ((int64_t)1 << here.level) - 1 + here.node;
        if (from == to || nearest_in(t, at, x, 0, split, near) > near ||
            nearest_in(t, at, x, split, t->m, beside) > beside)
            continue;
        if (here.level + 1 < t->levels) {
            stack[waiting++] = (Place){here.level + 1, 2 * here.node + 1, 0};
            stack[waiting++] = (Place){here.level + 1, 2 * here.node, 0};
            continue;
        }
        for (; from < to && found < most; from++)
            if (distance(t, from, x, 0, split, near) <= near && distance(t, from, x, split, t->m, beside) <= beside)
                found += t->weights[from];
    }
    return found;
}

/* Count for each of some asked rows those that are within two limits, but no more than asked for. */
KERNEL void count_rows_within(int64_t n, int64_t m, int64_t levels, const int64_t *kinds, const double *scale,
                              const uint8_t *sets, int64_t width, const double *lo, const double *hi,
                              const int64_t *weights, const double *boxes, const uint8_t *holes, int64_t asked,
                              const double *ask_lo, const double *ask_hi, const double *ask_first,
                              const double *ask_last, int64_t split, const double *near, const double *beside,
                              int64_t most, int64_t *rows) {
    Tree t = {n, m, levels, kinds, scale, sets, width, lo, hi, weights, boxes, holes};
    for (int64_t i = 0; i < asked; i++) {
        if (i % 16 == 0 && stopping(i, asked)) return;
        Asked x = asked_row(ask_lo, ask_hi, ask_first, ask_last, i * m);
        rows[i] = within(&t, &x, split, near[i], beside[i], most);
    }
}
