/* A kd-tree from which points can be taken away. Boxes stay tight and empty nodes are not entered, so that a tree which
 * loses its outermost points first, as microaggregation does, keeps its use.
 *
 * The tree holds its points as short floats, sixteen boxes or more are compared at once, and what is certainly too far
 * or too near by more than their rounding is left out. All others are compared with full precision: answers are exact,
 * also among ties, of which the lowest row wins. */
#include "kdtree.h"

enum { WAITING = FAMILY * LEVELS };

double squared_distance(const Space *space, const double *a, const double *b) {
    double total = 0;
    for (int64_t j = 0; j < space->numbers; j++) total += (a[j] - b[j]) * (a[j] - b[j]);
    for (int64_t j = space->numbers; j < space->m; j++) total += a[j] == b[j] ? 0 : space->weights[j];
    return total;
}

static int64_t leaves_for(int64_t n) {
    int64_t leaves = 1;
    while (leaves * LEAF < n) leaves *= 2;
    return leaves;
}

/* Number the families of a tree, level after level; gives how many there are. */
static int64_t lay_out(Tree *tree, int64_t leaves) {
    int64_t families = 0, nodes = leaves;
    tree->leaves = leaves;
    for (tree->levels = 0; tree->levels == 0 || nodes > 1; tree->levels++) {
        tree->start[tree->levels] = families;
        nodes = (nodes + FAMILY - 1) / FAMILY;
        families += nodes;
    }
    return families;
}

/* Lay a tree of at most so many points into memory: 2 m floats, 32 m for each leaf and each family, and as integers 32
 * for each leaf and each family, one for each point, and one for each row that there is. */
Tree tree_in(Space space, int64_t most, float *floats, int32_t *integers) {
    Tree tree = {.space = space, .query = floats, .cells = floats + 2 * space.m, .rows = integers};
    int64_t leaves = leaves_for(most), families = lay_out(&tree, leaves);
    tree.boxes = tree.cells + leaves * LEAF * space.m;
    tree.left = tree.rows + leaves * LEAF;
    tree.lowest = tree.left + families * FAMILY;
    tree.order = tree.lowest + families * FAMILY;
    tree.slot = tree.order + most;
    memset(tree.cells, 0, (size_t)(leaves * LEAF * space.m) * sizeof *tree.cells);
    for (int64_t j = 0; j < space.m; j++) tree.query[space.m + j] = (float)space.weights[j];
    return tree;
}

static void swap(int32_t *a, int32_t *b) {
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Put the rows with the lowest numbers of a column before place `middle`, and the others behind. */
static void halve(int32_t *order, int64_t from, int64_t to, int64_t middle, const double *column, int64_t m) {
    for (to--; from < to;) {
        double a = column[order[from] * m], b = column[order[(from + to) / 2] * m], c = column[order[to] * m];
        double pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = from, j = to;
        while (i <= j) {
            while (column[order[i] * m] < pivot) i++;
            while (column[order[j] * m] > pivot) j--;
            if (i <= j) swap(&order[i++], &order[j--]);
        }
        if (middle <= j) to = j;
        else if (middle >= i) from = i;
        else return;
    }
}

/* The column in which some rows lie farthest apart. */
static int64_t widest(const Tree *tree, int64_t from, int64_t to) {
    const Space *space = &tree->space;
    int64_t best = 0;
    double most = -1;
    for (int64_t j = 0; j < space->m; j++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = from; i < to; i++) {
            double x = space->points[tree->order[i] * space->m + j];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        double wide = j < space->numbers ? (high - low) * (high - low) : high > low ? space->weights[j] : 0;
        if (wide > most) most = wide, best = j;
    }
    return best;
}

/* Put a lowest and a highest into the box of a node. */
static void set_box(Tree *tree, int64_t node, int64_t j, float low, float high) {
    float *box = tree->boxes + (node / FAMILY * tree->space.m + j) * 2 * FAMILY + node % FAMILY;
    box[0] = low;
    box[FAMILY] = high;
}

/* Make a box around the points of a leaf; an empty one holds nothing. */
static void leaf_box(Tree *tree, int64_t leaf) {
    const float *cells = tree->cells + leaf * LEAF * tree->space.m;
    for (int64_t j = 0; j < tree->space.m; j++, cells += LEAF) {
        float low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < tree->left[leaf]; i++) {
            low = cells[i] < low ? cells[i] : low;
            high = cells[i] > high ? cells[i] : high;
        }
        set_box(tree, leaf, j, low, high);
    }
}

/* Make the box of a node around those of its family. */
static void joint_box(Tree *tree, int64_t node, int64_t family) {
    const float *boxes = tree->boxes + family * tree->space.m * 2 * FAMILY;
    for (int64_t j = 0; j < tree->space.m; j++, boxes += 2 * FAMILY) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < FAMILY; i++) {
            low = boxes[i] < low ? boxes[i] : low;
            high = boxes[FAMILY + i] > high ? boxes[FAMILY + i] : high;
        }
        set_box(tree, node, j, low, high);
    }
}

static int32_t lowest_of(const int32_t *rows, int64_t n) {
    int32_t found = INT32_MAX;
    for (int64_t i = 0; i < n; i++) found = least(found, rows[i]);
    return found;
}

static void fill_leaf(Tree *tree, int64_t leaf, int64_t from, int64_t to) {
    int64_t m = tree->space.m;
    tree->left[leaf] = (int32_t)(to - from);
    tree->lowest[leaf] = lowest_of(tree->order + from, to - from);
    for (int64_t i = 0; i < to - from; i++) {
        int32_t row = tree->order[from + i];
        const double *point = tree->space.points + row * m;
        double length = 0;
        tree->rows[leaf * LEAF + i] = row;
        tree->slot[row] = (int32_t)(leaf * LEAF + i);
        for (int64_t j = 0; j < m; j++) tree->cells[(leaf * m + j) * LEAF + i] = (float)point[j];
        for (int64_t j = 0; j < tree->space.numbers; j++) length += point[j] * point[j];
        tree->reach = length > tree->reach ? length : tree->reach;
    }
    leaf_box(tree, leaf);
}

/* Halve the points of some leaves, and the halves again, until each leaf has its own. */
static void deal(Tree *tree, int64_t n, int64_t first, int64_t stop) {
    int64_t from = n * first / tree->leaves, to = n * stop / tree->leaves;
    if (stop - first == 1) {
        fill_leaf(tree, first, from, to);
        return;
    }
    int64_t half = (first + stop) / 2, middle = n * half / tree->leaves;
    if (middle > from && middle < to)
        halve(tree->order, from, to, middle, tree->space.points + widest(tree, from, to), tree->space.m);
    deal(tree, n, first, half);
    deal(tree, n, half, stop);
}

/* Grow the tree over some rows, split in their widest column at its median, and so on. */
void tree_grow(Tree *tree, const int32_t *rows, int64_t n) {
    int64_t families = lay_out(tree, leaves_for(n));
    memmove(tree->order, rows, (size_t)n * sizeof *rows);
    for (int64_t i = 0; i < families * FAMILY; i++) {
        tree->left[i] = 0;
        tree->lowest[i] = INT32_MAX;
        for (int64_t j = 0; j < tree->space.m; j++) set_box(tree, i, j, INFINITY, -INFINITY);
    }
    tree->reach = 0;
    deal(tree, n, 0, tree->leaves);
    tree->reach = sqrt(tree->reach);
    for (int64_t level = 1; level < tree->levels; level++)
        for (int64_t family = tree->start[level - 1]; family < tree->start[level]; family++) {
            int64_t node = tree->start[level] * FAMILY + family - tree->start[level - 1];
            for (int64_t i = family * FAMILY; i < (family + 1) * FAMILY; i++) tree->left[node] += tree->left[i];
            tree->lowest[node] = lowest_of(tree->lowest + family * FAMILY, FAMILY);
            joint_box(tree, node, family);
        }
}

/* Take a point away: the last one of its leaf takes its slot, and boxes shrink. */
void tree_remove(Tree *tree, int32_t row) {
    int64_t m = tree->space.m, slot = tree->slot[row], node = slot / LEAF, last = node * LEAF + --tree->left[node];
    tree->rows[slot] = tree->rows[last];
    tree->slot[tree->rows[slot]] = (int32_t)slot;
    tree->slot[row] = -1;
    float *cells = tree->cells + node * LEAF * m;
    for (int64_t j = 0; j < m; j++, cells += LEAF) cells[slot % LEAF] = cells[last % LEAF];
    leaf_box(tree, node);
    tree->lowest[node] = lowest_of(tree->rows + node * LEAF, tree->left[node]);
    for (int64_t level = 1; level < tree->levels; level++) {
        int64_t family = node / FAMILY;
        node = tree->start[level] * FAMILY + family - tree->start[level - 1];
        tree->left[node]--;
        tree->lowest[node] = lowest_of(tree->lowest + family * FAMILY, FAMILY);
        joint_box(tree, node, family);
    }
}

/* List the rows that are left, in no order, and give how many there are. */
int64_t tree_rows(const Tree *tree, int32_t *rows) {
    int64_t n = 0;
    for (int64_t leaf = 0; leaf < tree->leaves; leaf++)
        for (int32_t i = 0; i < tree->left[leaf]; i++) rows[n++] = tree->rows[leaf * LEAF + i];
    return n;
}

/* The distances of all slots of a leaf, also of empty ones, which hold some number. */
ALWAYS_INLINE void leaf_distances(const Tree *tree, int64_t leaf, float *restrict distance) {
    int64_t m = tree->space.m, numbers = tree->space.numbers;
    const float *restrict cells = tree->cells + leaf * LEAF * m, *query = tree->query, *weights = query + m;
    for (int i = 0; i < LEAF; i++) distance[i] = 0;
    for (int64_t j = 0; j < numbers; j++, cells += LEAF)
        for (int i = 0; i < LEAF; i++) distance[i] += (cells[i] - query[j]) * (cells[i] - query[j]);
    for (int64_t j = numbers; j < m; j++, cells += LEAF)
        for (int i = 0; i < LEAF; i++) distance[i] += cells[i] == query[j] ? 0 : weights[j];
}

/* No point of each node of a family is farther from the query than this. */
ALWAYS_INLINE void most_distant(const Tree *tree, int64_t family, float *restrict bound) {
    int64_t m = tree->space.m, numbers = tree->space.numbers;
    const float *restrict low = tree->boxes + family * m * 2 * FAMILY, *query = tree->query, *weights = query + m;
    for (int i = 0; i < FAMILY; i++) bound[i] = 0;
    for (int64_t j = 0; j < numbers; j++, low += 2 * FAMILY)
        for (int i = 0; i < FAMILY; i++) {
            float down = query[j] - low[i], up = low[FAMILY + i] - query[j], most = down > up ? down : up;
            bound[i] += most * most;
        }
    for (int64_t j = numbers; j < m; j++, low += 2 * FAMILY)
        for (int i = 0; i < FAMILY; i++)
            bound[i] += ((low[i] == query[j]) & (low[FAMILY + i] == query[j])) ? 0 : weights[j];
}

/* No point of each node of a family is nearer to the query than this. */
ALWAYS_INLINE void least_distant(const Tree *tree, int64_t family, float *restrict bound) {
    int64_t m = tree->space.m, numbers = tree->space.numbers;
    const float *restrict low = tree->boxes + family * m * 2 * FAMILY, *query = tree->query, *weights = query + m;
    for (int i = 0; i < FAMILY; i++) bound[i] = 0;
    for (int64_t j = 0; j < numbers; j++, low += 2 * FAMILY)
        for (int i = 0; i < FAMILY; i++) {
            float below = low[i] - query[j], above = query[j] - low[FAMILY + i], gap = below > above ? below : above;
            gap = gap > 0 ? gap : 0;
            bound[i] += gap * gap;
        }
    for (int64_t j = numbers; j < m; j++, low += 2 * FAMILY)
        for (int i = 0; i < FAMILY; i++)
            bound[i] += ((query[j] < low[i]) | (query[j] > low[FAMILY + i])) ? weights[j] : 0;
}

/* How far short floats may be off: the distance of two points by `slack`, and the sum of squares by a share `blur`. */
typedef struct {
    double slack, blur;
} Doubt;

static Doubt ask(const Tree *tree, const double *query) {
    double length = 0;
    for (int64_t j = 0; j < tree->space.m; j++) tree->query[j] = (float)query[j];
    for (int64_t j = 0; j < tree->space.numbers; j++) length += query[j] * query[j];
    return (Doubt){0x1p-23 * (tree->reach + sqrt(length)), 0x1p-22 * (double)(tree->space.m + 8)};
}

/* What is below this by short floats is certainly nearer than a distance; what is above the other, farther. */
static float surely_nearer(double distance, Doubt doubt) {
    double least = sqrt(distance) - doubt.slack;
    return least > 0 ? (float)(least * least * (1 - doubt.blur)) : -1;
}

static float surely_farther(double distance, Doubt doubt) {
    double most = sqrt(distance) + doubt.slack;
    return (float)(most * most * (1 + doubt.blur));
}

/* Whether the points of a node are certainly no better than one that was found and has a lower row than all of them.
 * Only codes are kept without rounding, so only among them ties can be seen in this way. */
static int tied(const Tree *tree, int64_t node, const double *query, Found found, int near) {
    const Space *space = &tree->space;
    if (space->numbers || tree->lowest[node] <= found.row) return 0;
    const float *box = tree->boxes + node / FAMILY * space->m * 2 * FAMILY + node % FAMILY;
    double bound = 0;
    for (int64_t j = 0; j < space->m; j++, box += 2 * FAMILY) {
        int alike = box[0] == query[j] && box[FAMILY] == query[j], apart = query[j] < box[0] || query[j] > box[FAMILY];
        bound += (near ? !apart : alike) ? 0 : space->weights[j];
    }
    return near ? bound >= found.distance : bound <= found.distance;
}

/* Nodes that are still to be looked at, the most hopeful last. */
typedef struct {
    int32_t node[WAITING], level[WAITING];
    float bound[WAITING];
    int number;
} Pending;

/* Put off a node of a family, behind those of the same family that are more hopeful. Near tells what hope is. */
ALWAYS_INLINE void put_off(Pending *pending, int first, int64_t node, int64_t level, float bound, int near) {
    int at = pending->number++;
    for (; at > first && (near ? pending->bound[at - 1] < bound : pending->bound[at - 1] > bound); at--) {
        pending->node[at] = pending->node[at - 1];
        pending->level[at] = pending->level[at - 1];
        pending->bound[at] = pending->bound[at - 1];
    }
    pending->node[at] = (int32_t)node;
    pending->level[at] = (int32_t)level;
    pending->bound[at] = bound;
}

/* The family below a node, or that at the top. */
static int64_t family_below(const Tree *tree, int64_t node, int64_t level) {
    return tree->start[level - 1] + node - tree->start[level] * FAMILY;
}

/* The row that is farthest from the query; -1 if no point is left. */
int32_t tree_farthest(const Tree *tree, const double *query) {
    Doubt doubt = ask(tree, query);
    Pending pending = {.number = 0};
    Found best = {-1, -1};
    float enough = -1, distance[LEAF];
    int64_t level = tree->levels, family = tree->start[level - 1];
    for (;;) {
        int first = pending.number;
        most_distant(tree, family, distance);
        level--;
        for (int i = 0; i < FAMILY; i++)
            if (tree->left[family * FAMILY + i] && distance[i] >= enough)
                put_off(&pending, first, family * FAMILY + i, level, distance[i], 0);
        for (;;) { /* look into leaves until another family comes up */
            if (!pending.number) return best.row;
            int64_t node = pending.node[--pending.number];
            if (pending.bound[pending.number] < enough || tied(tree, node, query, best, 0)) continue;
            level = pending.level[pending.number];
            if (level > 0) {
                family = family_below(tree, node, level);
                break;
            }
            leaf_distances(tree, node, distance);
            for (int32_t i = 0; i < tree->left[node]; i++) {
                if (distance[i] < enough) continue;
                int32_t row = tree->rows[node * LEAF + i];
                double exact = squared_distance(&tree->space, tree->space.points + row * tree->space.m, query);
                if (exact > best.distance || (exact == best.distance && row < best.row)) {
                    best = (Found){exact, row};
                    enough = surely_nearer(exact, doubt);
                }
            }
        }
    }
}

static int comes_before(Found a, Found b) { return a.distance < b.distance || (a.distance == b.distance && a.row < b.row); }

/* The k rows that are nearest to the query, nearest first; gives how many there are. */
int64_t tree_nearest(const Tree *tree, const double *query, int64_t k, Found *found) {
    Doubt doubt = ask(tree, query);
    Pending pending = {.number = 0};
    Found worst = {INFINITY, INT32_MAX}; /* what is not better than this one is not among the k */
    float enough = INFINITY, distance[LEAF];
    int64_t level = tree->levels, family = tree->start[level - 1], number = 0;
    if (k < 1) return 0;
    for (;;) {
        int first = pending.number;
        least_distant(tree, family, distance);
        level--;
        for (int i = 0; i < FAMILY; i++)
            if (tree->left[family * FAMILY + i] && distance[i] <= enough)
                put_off(&pending, first, family * FAMILY + i, level, distance[i], 1);
        for (;;) {
            if (!pending.number) return number;
            int64_t node = pending.node[--pending.number];
            if (pending.bound[pending.number] > enough) continue;
            if (worst.distance == 0 && tree->lowest[node] > worst.row) continue; /* equals enough were found */
            if (tied(tree, node, query, worst, 1)) continue;
            level = pending.level[pending.number];
            if (level > 0) {
                family = family_below(tree, node, level);
                break;
            }
            leaf_distances(tree, node, distance);
            for (int32_t i = 0; i < tree->left[node]; i++) {
                if (distance[i] > enough) continue;
                Found here = {0, tree->rows[node * LEAF + i]};
                here.distance = squared_distance(&tree->space, tree->space.points + here.row * tree->space.m, query);
                if (!comes_before(here, worst)) continue;
                int64_t slot = number < k ? number++ : k - 1;
                for (; slot > 0 && comes_before(here, found[slot - 1]); slot--) found[slot] = found[slot - 1];
                found[slot] = here;
                if (number == k) worst = found[k - 1], enough = surely_farther(worst.distance, doubt);
            }
        }
    }
}
