/* Cover of boxes: which have a point that lies in no other box.
 *
 * A box is one cell per column; a cell is a set of elementary values, given as ascending runs that do not touch. Cells
 * are numbered through all columns. Boxes are sorted by their cells and stand under a tree: one step per column, until
 * few boxes are left, which are compared one by one. In each column most cells are put on levels, so that cells of
 * one level are disjoint: a value then has at most one cell per level, known without a search. Where many cells fit
 * on no level, the tree has hulls of cells that lie near each other in their place.
 *
 * A box is decided by taking a point of it and asking the tree for another box around that point. If there is none, the
 * box is unique. Otherwise what lies outside the found box is cut off into smaller regions, and each of these is treated
 * alike, until none is left: then others cover all of it. */
#include "native.h"

enum { LEAF = 8, FEW = 6, TRIED = 8 };
enum { COVERED, UNIQUE, UNDECIDED };

typedef struct {
    int32_t cell, row, stop; /* what the boxes below share in this column, and which they are */
    int32_t kid, kids;       /* the next column; no kids where few boxes are left */
} Branch;

/* The number of each cell of a column among the distinct ones, or -1 when these are more than there is room for.
 * Slots begin at -1; there are twice as many as room, and their number is a power of two. */
KERNEL int64_t code_cells(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, int64_t column, int32_t *slots,
                          int64_t room, int32_t *low, int32_t *high, int32_t *codes) {
    int64_t found = 0;
    for (int64_t at = column; at < n * m; at += m) {
        uint64_t hash = ((uint64_t)(uint32_t)lo[at] << 32 | (uint32_t)hi[at]) * 0x9E3779B97F4A7C15u;
        for (hash ^= hash >> 32;; hash++) {
            int32_t *slot = &slots[hash & (uint64_t)(2 * room - 1)];
            if (*slot < 0) {
                if (found == room) return -1;
                low[found] = lo[at];
                high[found] = hi[at];
                *slot = (int32_t)found++;
            } else if (low[*slot] != lo[at] || high[*slot] != hi[at])
                continue;
            codes[at] = *slot;
            break;
        }
    }
    return found;
}

/* Put the cells of a column on levels, in a given order, first fit; -1 for those that fit on none. The table says
 * which cell holds each value on each level; it begins at -1. In an order of falling length, plain stretches that meet
 * an earlier one do so with one of their ends. */
KERNEL void place_on_levels(const int32_t *order, int64_t cells, const int64_t *at, const int32_t *low,
                            const int32_t *high, int64_t plain, int64_t size, int64_t levels, int32_t *table,
                            int32_t *level) {
    for (int64_t k = 0; k < cells; k++) {
        int32_t cell = order[k];
        level[cell] = -1;
        for (int64_t l = 0; l < levels && level[cell] < 0; l++) {
            int32_t *line = table + l * size;
            int free = 1;
            for (int64_t r = at[cell]; r < at[cell + 1] && free; r++)
                for (int64_t v = low[r]; v <= high[r] && free; v += plain && v < high[r] ? high[r] - v : 1)
                    free = line[v] < 0;
            if (!free) continue;
            level[cell] = (int32_t)l;
            for (int64_t r = at[cell]; r < at[cell + 1]; r++)
                for (int64_t v = low[r]; v <= high[r]; v++) line[v] = cell;
        }
    }
}

/* The boxes in the order of their keys, given with the first of each column and the bits that they take. The least
 * important columns are sorted first, as many at a time as 32 bits hold. */
KERNEL void order_boxes(const int32_t *keys, int64_t n, int64_t m, const int64_t *bits, const int32_t *first,
                        uint64_t *packed, uint64_t *spare, int32_t *order) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t end = m, begin; end > 0; end = begin) {
        int64_t sum = 0;
        for (begin = end; begin > 0 && sum + bits[begin - 1] <= 32; begin--) sum += bits[begin - 1];
        for (int64_t i = 0; i < n; i++) {
            const int32_t *box = keys + (int64_t)order[i] * m;
            uint64_t key = 0;
            for (int64_t d = begin; d < end; d++) key = key << bits[d] | (uint32_t)(box[d] - first[d]);
            packed[i] = key << 32 | (uint32_t)order[i];
        }
        const uint64_t *sorted = sort_packed(packed, spare, n);
        for (int64_t i = 0; i < n; i++) order[i] = (int32_t)(uint32_t)sorted[i];
    }
}

static int64_t branch(const int32_t *keys, int64_t m, int64_t d, int64_t row, int64_t stop, Branch *out) {
    int64_t found = 0;
    for (int64_t i = row; i < stop; i++) {
        if (i == row || keys[i * m + d] != keys[(i - 1) * m + d])
            out[found++] = (Branch){keys[i * m + d], (int32_t)i, 0, 0, 0};
        out[found - 1].stop = (int32_t)i + 1;
    }
    return found;
}

/* Grow the tree over the sorted keys of boxes, and give the number of its first branches. */
KERNEL int64_t grow_tree(const int32_t *keys, int64_t n, int64_t m, int32_t *branches) {
    Branch *tree = (Branch *)branches;
    int64_t roots = branch(keys, m, 0, 0, n, tree), total = roots;
    for (int64_t d = 1, k = 0; d < m; d++)
        for (int64_t end = total; k < end; k++)
            if (tree[k].stop - tree[k].row > LEAF) {
                tree[k].kid = (int32_t)total;
                tree[k].kids = (int32_t)branch(keys, m, d, tree[k].row, tree[k].stop, tree + total);
                total += tree[k].kids;
            }
    return roots;
}

typedef struct {
    const int32_t *rows;
    int64_t m;
    const Branch *tree;
    int64_t roots;
    int64_t hulls; /* whether the tree has hulls, so that it says less than the boxes below it */
    const int32_t *ends; /* the first and last value of each cell */
    const int64_t *at;   /* where the runs of each cell begin */
    const int32_t *low, *high;
    const int32_t *table; /* the cell of each value on each level, column after column */
    const int64_t *table_at, *levels, *sizes;
    const int32_t *loose; /* the first cell of each column that is on no level */
    /* What is asked: a box that holds all between from and to, and is not this one. */
    int64_t self;
    const int32_t *from, *to;
    int64_t left; /* the work that may still be done */
    int64_t reported, boxes; /* the work left when it was last said how far this is, and how many boxes there are */
    const int32_t *found;
} Search;

/* The run of a cell that holds a value, or the last one before it, or the first of all. */
static int64_t run_at(const Search *s, int32_t cell, int32_t value) {
    int64_t a = s->at[cell], b = s->at[cell + 1] - 1;
    while (a < b) {
        int64_t middle = (a + b + 1) / 2;
        if (s->low[middle] <= value)
            a = middle;
        else
            b = middle - 1;
    }
    return a;
}

/* Whether a cell holds all that is asked for in a column. */
static inline int suits(const Search *s, int32_t cell, int64_t d) {
    if (s->ends[2 * (int64_t)cell] > s->from[d] || s->ends[2 * (int64_t)cell + 1] < s->to[d]) return 0;
    return s->at[cell + 1] - s->at[cell] == 1 || s->high[run_at(s, cell, s->from[d])] >= s->to[d];
}

static int walk(Search *s, int64_t d, int64_t k, int64_t stop);

/* Follow a branch whose cell suits; says whether the search is over. */
static int follow(Search *s, int64_t d, const Branch *here) {
    if (here->kids > 0) return walk(s, d + 1, here->kid, here->kid + here->kids);
    for (int64_t row = here->row; row < here->stop; row++) {
        const int32_t *box = s->rows + row * s->m;
        int64_t first = s->hulls ? 0 : d + 1, e = first;
        while (e < s->m && suits(s, box[e], e)) e++;
        s->left -= e - first + 1;
        if (e == s->m && row != s->self) {
            s->found = box;
            return 1;
        }
    }
    return s->left < 0;
}

/* Look for a suitable one among the branches of one place; says whether the search is over. */
static int walk(Search *s, int64_t d, int64_t k, int64_t stop) {
    const Branch *tree = s->tree;
    if (stop - k > FEW) {
        const int32_t *table = s->table + s->table_at[d] + s->from[d];
        int64_t a = k;
        for (int64_t l = 0; l <= s->levels[d]; l++) { /* level after level, and at last those on none: cells ascend */
            int last = l == s->levels[d];
            int32_t cell = last ? s->loose[d] : table[l * s->sizes[d]];
            if (!last && (cell < 0 || !suits(s, cell, d))) continue;
            s->left -= 4;
            for (int64_t b = stop; a < b;) {
                int64_t middle = (a + b) / 2;
                if (tree[middle].cell < cell)
                    a = middle + 1;
                else
                    b = middle;
            }
            if (!last && a < stop && tree[a].cell == cell && follow(s, d, &tree[a])) return 1;
        }
        k = a;
    }
    for (; k < stop; k++) {
        if (--s->left < 0) return 1;
        if (suits(s, tree[k].cell, d) && follow(s, d, &tree[k])) return 1;
    }
    return s->left < 0;
}

/* Tell whether to stop; asked after every few thousand comparisons. */
static int interrupted(Search *s) {
    if (s->reported - s->left < 4096) return 0;
    s->reported = s->left;
    return stopping(s->self, s->boxes);
}

/* Whether any other box holds all of a region, or a point. */
static int held(Search *s, const int32_t *from, const int32_t *to) {
    s->from = from;
    s->to = to;
    s->found = NULL;
    return walk(s, 0, 0, s->roots) && s->found != NULL;
}

/* Put a part of a region, from a to b in one column, on top of the others. */
static int32_t *push(int32_t *top, const int32_t *region, int64_t m, int64_t d, int32_t a, int32_t b) {
    memcpy(top, region, (size_t)(2 * m) * sizeof *top);
    top[d] = a;
    top[m + d] = b;
    return top + 2 * m;
}

/* Decide one box. Regions, lower ends before upper ones, wait in scratch memory behind a point and the region at hand;
 * load says how many boxes have each value: a point that few have is likely to be alone. */
static int judge(Search *s, const int32_t *load, int32_t *scratch, int64_t room) {
    int64_t m = s->m;
    const int32_t *box = s->rows + s->self * m;
    int32_t *point = scratch, *from = scratch + m, *to = from + m, *bottom = to + m, *top = bottom + 2 * m;
    for (int64_t d = 0; d < m; d++) {
        bottom[d] = s->ends[2 * (int64_t)box[d]];
        bottom[m + d] = s->ends[2 * (int64_t)box[d] + 1];
    }
    if (held(s, bottom, bottom + m)) return COVERED;
    if (memcmp(bottom, bottom + m, (size_t)m * sizeof *bottom) == 0) return s->left < 0 ? UNDECIDED : UNIQUE;
    while (top > bottom && (s->left -= 4 * m) >= 0) {
        if (interrupted(s)) return UNDECIDED;
        top -= 2 * m;
        memcpy(from, top, (size_t)(2 * m) * sizeof *top);
        if (top + 6 * m * m > scratch + room) return UNDECIDED; /* a region leaves at most 3 m others */
        int64_t d = 0;
        for (; d < m; d++) { /* only the runs of the box itself matter */
            int64_t r = run_at(s, box[d], from[d]);
            if (s->high[r] < from[d] && ++r == s->at[box[d] + 1]) break;
            if (s->low[r] > to[d]) break;
            if (s->high[r] < to[d]) top = push(top, from, m, d, s->high[r] + 1, to[d]);
            from[d] = most(from[d], s->low[r]);
            to[d] = least(to[d], s->high[r]);
        }
        if (d < m) continue;
        for (d = 0; d < m; d++) {
            const int32_t *loads = load + s->table_at[d];
            int64_t length = (int64_t)to[d] - from[d];
            point[d] = from[d];
            for (int64_t k = 1; k <= TRIED && length > 0; k++) {
                int32_t value = from[d] + (int32_t)(length * k / TRIED);
                if (loads[value] < loads[point[d]]) point[d] = value;
            }
        }
        if (!held(s, point, point)) return s->left < 0 ? UNDECIDED : UNIQUE;
        for (d = 0; d < m; d++) {
            int64_t r = run_at(s, s->found[d], point[d]);
            int32_t a = most(from[d], s->low[r]), b = least(to[d], s->high[r]);
            if (a > from[d]) top = push(top, from, m, d, from[d], a - 1);
            if (b < to[d]) top = push(top, from, m, d, b + 1, to[d]);
            from[d] = a;
            to[d] = b;
        }
    }
    return s->left < 0 ? UNDECIDED : COVERED;
}

/* Decide the boxes that are undecided yet, each with no more work than its allowance, until the effort is spent; gives
 * what is left of it. */
KERNEL int64_t decide_boxes(const int32_t *rows, int64_t n, int64_t m, const int32_t *branches, int64_t roots,
                            int64_t hulls, const int32_t *ends, const int64_t *at, const int32_t *low, const int32_t *high,
                            const int32_t *table, const int64_t *table_at, const int64_t *levels, const int64_t *sizes,
                            const int32_t *loose, const int32_t *load, int64_t allowance, int64_t effort,
                            int32_t *scratch, int64_t room, uint8_t *verdicts) {
    Search s = {rows, m, (const Branch *)branches, roots, hulls, ends, at, low, high, table, table_at, levels, sizes, loose,
                0, NULL, NULL, 0, 0, n, NULL};
    for (int64_t row = 0; row < n && effort > 0; row++) {
        if (verdicts[row] != UNDECIDED) continue;
        int64_t given = allowance < effort ? allowance : effort;
        s.self = row;
        s.left = s.reported = given;
        if (row % 256 == 0 && stopping(row, n)) break;
        verdicts[row] = (uint8_t)judge(&s, load, scratch, room);
        effort -= given - (s.left > 0 ? s.left : 0) + m;
    }
    return effort;
}
