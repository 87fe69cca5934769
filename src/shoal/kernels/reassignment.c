/* Reassignment of records: each goes to the cheapest class that has room for it as it is, and classes that are not worth
 * their price are given up. */
#include "partition.h"
#include "constraints.h"

enum { BANDS = 64, TRIES = 32, INDEXED = 64 };
#define PATIENCE ((int64_t)1 << 29) /* pairs of a row and a class that are worth a look */

/* Classes as lists of rows, in the order of their prices, and an index of what they hold: a set of classes for each
 * stretch of a range, node of a tree, or category. */
typedef struct {
    const Task *task;
    Constraints *of;
    int32_t *labels, *head, *next, *prev, *sizes; /* the rows of a class, its first one, -1 at the end */
    int32_t *order, *rank;                        /* classes by price, and the place of each among them */
    float *prices;
    Box boxes, single;
    uint64_t *index, *packed;
    const int64_t *entries; /* where the entries of each column begin in the index */
    const int32_t *first, *last; /* the entries of the nodes of trees, tree after tree */
    int32_t *rows, *moved;
    int64_t n, classes, living, words;
} State;

static int64_t band(float x, float full) {
    float at = full > 0 ? x / full * BANDS : 0;
    return at < 1 ? 0 : at >= BANDS ? BANDS - 1 : (int64_t)at;
}

static int64_t entry_of(const State *state, int64_t row, int64_t column) {
    const Task *task = state->task;
    if (column < task->ranged) return band(task->lower[row * task->quads * QUAD + column], task->full[column]);
    int64_t s = column - task->ranged;
    uint64_t set = task->sets[row * task->named + s];
    if (task->tree_at[s] >= 0) return state->first[task->tree_at[s] + (int64_t)set];
    return set ? __builtin_ctzll(set) : BANDS;
}

/* Enter a class in the index of a column, under all entries of rows that it may hold; more is asked of a row later. */
static void enter(const State *state, int64_t i, Box box, int64_t column) {
    const Task *task = state->task;
    int64_t from = 0, to = state->entries[column + 1] - state->entries[column] - 1, s = column - task->ranged;
    uint64_t *index = state->index + state->entries[column] * state->words + i / 64, bit = (uint64_t)1 << (i % 64);
    uint64_t held = s < 0 ? 0 : box.held[s];
    if (s < 0 && !(box.hi[column] - box.lo[column] > task->full[column])) {
        from = band(box.lo[column], task->full[column]);
        to = band(box.hi[column], task->full[column]);
    } else if (s >= 0 && task->tree_at[s] >= 0) {
        from = state->first[task->tree_at[s] + (int64_t)held];
        to = state->last[task->tree_at[s] + (int64_t)held];
    } else if (s >= 0 && held != ~(uint64_t)0) {
        for (uint64_t rest = held; rest; rest &= rest - 1) index[__builtin_ctzll(rest) * state->words] |= bit;
        if (held) return;
        from = BANDS;
    }
    for (int64_t e = from; e <= to; e++) index[e * state->words] |= bit;
}

/* Tell whether a class holds a row as it is. */
static int holds(const Task *task, Box box, int64_t row) {
    const float *lower = task->lower + row * task->quads * QUAD, *upper = task->upper + row * task->quads * QUAD;
    for (int64_t j = 0; j < task->ranged; j++) {
        float lo = box.lo[j], hi = box.hi[j], full = task->full[j];
        if (width(lower[j], upper[j], lo, hi, full) > width(lo, hi, lo, hi, full)) return 0;
    }
    for (int64_t s = 0; s < task->named; s++)
        if (joined(task, s, task->sets[row * task->named + s], box.held[s]) != box.held[s]) return 0;
    return 1;
}

static void link_row(State *state, int32_t row, int32_t c) {
    state->labels[row] = c;
    if (c < 0) return;
    int32_t first = state->head[c];
    state->next[row] = first;
    state->prev[row] = -1;
    if (first >= 0) state->prev[first] = row;
    state->head[c] = row;
    state->sizes[c]++;
}

static void move_row(State *state, int32_t row, int32_t c) {
    int32_t old = state->labels[row];
    if (old >= 0) {
        int32_t before = state->prev[row], after = state->next[row];
        if (before >= 0) state->next[before] = after;
        else state->head[old] = after;
        if (after >= 0) state->prev[after] = before;
        state->sizes[old]--;
    }
    link_row(state, row, c);
}

/* List the rows of a class but one. */
static int64_t listed(const State *state, int32_t c, int32_t without, int32_t *rows) {
    int64_t n = 0;
    for (int32_t row = state->head[c]; row >= 0; row = state->next[row])
        if (row != without) rows[n++] = row;
    return n;
}

/* Tell whether rows of a class keep all constraints, with one more or without one of them. */
static int would_keep(State *state, int32_t c, int32_t with, int32_t without) {
    Constraints *of = state->of;
    if (with >= 0 && of->number == 0) return 1;
    if (without >= 0 && state->sizes[c] <= of->k) return 0;
    if (of->number == 0 && !of->persons) return 1;
    int64_t n = listed(state, c, without, state->rows), begin;
    if (with >= 0) state->rows[n++] = with;
    for (int64_t i = 0; i < n; i++) count_in(of, state->rows[i], 1);
    int good = broken(of, n, &begin) < 0;
    for (int64_t i = 0; i < n; i++) count_in(of, state->rows[i], -1);
    return good && (with >= 0 || enough(of, state->rows, n));
}

static void shrink(State *state, int32_t c) {
    const Task *task = state->task;
    Box box = box_at(state->boxes, task, c);
    open_box(task, task->quads, box, state->head[c]);
    for (int32_t row = state->next[state->head[c]]; row >= 0; row = state->next[row])
        stretch_box(task, task->quads, box, row);
    state->prices[c] = span_of(task, task->quads, box, box);
}

/* Shrink all classes to what they hold, put them in the order of their prices, and index them. */
static void survey(State *state) {
    const Task *task = state->task;
    int64_t n = 0, columns = task->ranged + task->named;
    for (int32_t c = 0; c < state->classes; c++) {
        if (state->sizes[c] == 0) continue;
        shrink(state, c);
        float price = greater(state->prices[c], 0);
        uint32_t bits;
        memcpy(&bits, &price, sizeof bits);
        state->packed[n++] = (uint64_t)bits << 32 | (uint64_t)c;
    }
    uint64_t *sorted = sort_packed(state->packed, state->packed + state->classes, n);
    state->living = n;
    state->words = (n + 63) / 64;
    for (int64_t i = 0; i < n; i++) {
        state->order[i] = (int32_t)(sorted[i] & 0xFFFFFFFFu);
        state->rank[state->order[i]] = (int32_t)i;
    }
    memset(state->index, 0, (size_t)(state->entries[columns] * state->words) * sizeof *state->index);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) enter(state, i, box_at(state->boxes, task, state->order[i]), j);
}

/* The cheapest class up to a rank that holds a row as it is, can take it and is not its own; -1 if there is none. */
static int32_t cheapest(State *state, int32_t row, int64_t upto) {
    const Task *task = state->task;
    const uint64_t *sets[INDEXED];
    int64_t columns = task->ranged + task->named, tries = TRIES;
    if (columns > INDEXED) columns = INDEXED;
    for (int64_t j = 0; j < columns; j++)
        sets[j] = state->index + (state->entries[j] + entry_of(state, row, j)) * state->words;
    for (int64_t w = 0; w * 64 < upto; w++) {
        uint64_t some = ~(uint64_t)0;
        for (int64_t j = 0; j < columns && some; j++) some &= sets[j][w];
        for (; some; some &= some - 1) {
            int64_t i = w * 64 + __builtin_ctzll(some);
            if (i >= upto || tries == 0) return -1;
            int32_t c = state->order[i];
            if (c == state->labels[row] || state->sizes[c] == 0) continue;
            if (!holds(task, box_at(state->boxes, task, c), row)) continue;
            tries--;
            if (would_keep(state, c, row, -1)) return c;
        }
    }
    return -1;
}

/* Move rows to cheaper classes, where their own can spare them; also those that have none. */
static int64_t pass(State *state) {
    int64_t moves = 0;
    for (int32_t row = 0; row < state->n; row++) {
        int32_t own = state->labels[row];
        if (row % 64 == 0 && stopping(row, state->n)) return 0;
        if (own >= 0 && (state->prices[own] <= 0 || !would_keep(state, own, -1, row))) continue;
        int32_t c = cheapest(state, row, own < 0 ? state->living : state->rank[own]);
        if (c < 0 || (own >= 0 && !(state->prices[c] < state->prices[own]))) continue;
        move_row(state, row, c);
        moves++;
    }
    return moves;
}

/* Give up a class if all its rows together are cheaper elsewhere. */
static int dissolve(State *state, int32_t c) {
    int64_t n = listed(state, c, -1, state->moved), done = 0;
    float gain = (float)n * state->prices[c] * 0.9999f;
    for (; done < n && gain > 0; done++) {
        int32_t target = cheapest(state, state->moved[done], state->living);
        if (target < 0) break;
        gain -= state->prices[target];
        move_row(state, state->moved[done], target);
    }
    if (done == n && gain > 0) return 1;
    while (done > 0) move_row(state, state->moved[--done], c);
    return 0;
}

/* Give rows without a class to those that they make dearer by least. */
static int64_t take_in(State *state) {
    const Task *task = state->task;
    int64_t taken = 0, looks = 0;
    for (int32_t row = 0; row < state->n && looks < PATIENCE; row++) {
        if (state->labels[row] >= 0) continue;
        int32_t best = -1;
        if (stopping(row, state->n)) return taken;
        looks += state->classes;
        float least_more = INFINITY;
        open_box(task, task->quads, state->single, row);
        for (int32_t c = 0; c < state->classes; c++) {
            float size = (float)state->sizes[c];
            if (size == 0) continue;
            float span = span_of(task, task->quads, state->single, box_at(state->boxes, task, c));
            float more = (size + 1) * span - size * state->prices[c];
            if (more < least_more && would_keep(state, c, row, -1)) least_more = more, best = c;
        }
        if (best < 0) continue;
        move_row(state, row, best);
        shrink(state, best);
        taken++;
    }
    return taken;
}

/* The class that brings another nearer to its constraints at the least cost; -1 if none does. */
static int32_t helper(State *state, int32_t host) {
    const Task *task = state->task;
    Constraints *of = state->of;
    Box box = box_at(state->boxes, task, host);
    int64_t n = listed(state, host, -1, state->rows), others;
    int32_t best = -1;
    double most_gain = 0;
    for (int64_t i = 0; i < n; i++) count_in(of, state->rows[i], 1);
    double now = lack(of, n);
    for (int32_t c = 0; c < state->classes && now > 0; c++) {
        if (c == host || state->sizes[c] == 0) continue;
        others = listed(state, c, -1, state->moved);
        for (int64_t i = 0; i < others; i++) count_in(of, state->moved[i], 1);
        double less = now - lack(of, n + others);
        for (int64_t i = 0; i < others; i++) count_in(of, state->moved[i], -1);
        float span = span_of(task, task->quads, box, box_at(state->boxes, task, c));
        double cost = (double)(n + others) * span - n * state->prices[host] - others * state->prices[c];
        if (less / (cost + 1e-6) > most_gain) most_gain = less / (cost + 1e-6), best = c;
    }
    for (int64_t i = 0; i < n; i++) count_in(of, state->rows[i], -1);
    return best;
}

static int32_t narrowest_with(State *state, int32_t row) {
    const Task *task = state->task;
    int32_t best = -1;
    float least_span = INFINITY;
    open_box(task, task->quads, state->single, row);
    for (int32_t c = 0; c < state->classes; c++) {
        if (state->sizes[c] == 0) continue; /* it has no box */
        float span = span_of(task, task->quads, state->single, box_at(state->boxes, task, c));
        if (span < least_span) least_span = span, best = c;
    }
    return best;
}

/* Put the rows that no class can take into one that they suit least badly, and join others with it until it keeps its
 * constraints, or none helps. */
static void collect(State *state) {
    int32_t host = -1, other;
    for (int32_t row = 0; row < state->n; row++) {
        if (state->labels[row] >= 0) continue;
        if (host < 0) host = narrowest_with(state, row);
        if (host >= 0) move_row(state, row, host);
    }
    if (host < 0) return;
    shrink(state, host);
    while (!stopping(state->n, state->n) && (other = helper(state, host)) >= 0) {
        int64_t n = listed(state, other, -1, state->moved);
        for (int64_t i = 0; i < n; i++) move_row(state, state->moved[i], host);
        shrink(state, host);
    }
}

/* Take out of a class what stands in the way of its constraints; all of it if there is no other way. */
static void clear(State *state, int32_t c) {
    int64_t n = listed(state, c, -1, state->moved);
    for (int64_t stay = trim(state->of, state->moved, n); stay < n; stay++) move_row(state, state->moved[stay], -1);
}

/* What all rows cost; those without a class cost as much as can be. */
static double cost_of(State *state) {
    const Task *task = state->task;
    double all = 0, most_of = 0;
    int64_t out = state->n;
    for (int64_t j = 0; j < task->ranged; j++)
        most_of += task->squared ? task->full[j] * task->full[j] : task->full[j];
    most_of += (double)task->named;
    for (int32_t c = 0; c < state->classes; c++) {
        if (state->sizes[c] == 0) continue;
        shrink(state, c);
        all += (double)state->sizes[c] * state->prices[c];
        out -= state->sizes[c];
    }
    return all + (double)out * (task->squared ? sqrt(most_of) : most_of);
}

/* Improve classes, and find one for rows with the label -1; those that fit nowhere are collected. Rows that break
 * constraints are taken out of their classes first; it is given up if more are out than is bearable. entries tells
 * where the entries of each column begin in an index that has a word for 64 classes, first and last those of each node;
 * here begins at zero, seen at -1. Scratch: boxes for the classes and one more; a float, 2 words and 4 integers for each
 * class; 4 integers for each row. Gives what the rows cost. */
KERNEL double reassign(const float *lower, const float *upper, const uint64_t *sets, int64_t n, int64_t quads,
                       int64_t ranged, int64_t named, const float *full, const float *lowest, const float *highest,
                       const float *unit, const int64_t *tree_at,
                       const int32_t *parents, const float *prices, int64_t squared, int64_t k, const int32_t *persons,
                       int64_t demanded, const int32_t *bins_of, const int64_t *kinds, const int64_t *bins,
                       const double *levels, const double *factors, const int64_t *counts_of, const int64_t *whole,
                       int64_t *here, int64_t *spare, const int32_t *pairs, int32_t *held, int32_t *seen_people,
                       int64_t *had, int64_t *seen, int64_t rounds, int64_t bearable,
                       int64_t classes, const int64_t *entries, const int32_t *first, const int32_t *last, float *floats,
                       int32_t *integers, uint64_t *words, uint64_t *index, int32_t *labels) {
    int64_t wide = quads * QUAD;
    Task task = {lower, upper, sets, full, lowest, highest, unit, tree_at, parents, prices, 0, persons,
                 quads, ranged, named, k, squared != 0, 0};
    Constraints of = {demanded, bins_of, kinds, bins, levels, factors, counts_of, whole, here, spare, k, persons,
                      pairs, held, seen_people, had, seen, 0};
    Box boxes = {floats, floats + (classes + 1) * wide, words};
    State state = {
        .task = &task, .of = &of, .labels = labels, .head = integers, .sizes = integers + classes,
        .order = integers + 2 * classes, .rank = integers + 3 * classes, .next = integers + 4 * classes,
        .prev = integers + 4 * classes + n, .rows = integers + 4 * classes + 2 * n,
        .moved = integers + 4 * classes + 3 * n, .prices = floats + 2 * (classes + 1) * wide,
        .boxes = boxes, .single = box_at(boxes, &task, classes),
        .index = index, .packed = words + (classes + 1) * named, .entries = entries, .first = first,
        .last = last, .n = n, .classes = classes,
    };
    for (int64_t c = 0; c < classes; c++) state.head[c] = -1, state.sizes[c] = 0;
    for (int32_t row = (int32_t)n - 1; row >= 0; row--) link_row(&state, row, labels[row]);
    int64_t out = n;
    for (int32_t c = 0; c < classes; c++) {
        clear(&state, c);
        out -= state.sizes[c];
    }
    if (out > bearable) return INFINITY;
    for (int64_t moves = 1; moves > 0 && rounds > 0; rounds--) {
        survey(&state);
        moves = pass(&state);
        for (int64_t i = state.living - 1; i >= 0; i--) {
            int32_t c = state.order[i];
            if (i % 64 == 0 && stopping(state.living - i, state.living)) return INFINITY;
            if (state.prices[c] > 0 && state.sizes[c] > 0 && state.sizes[c] <= 8 * k) moves += dissolve(&state, c);
        }
        moves += take_in(&state);
    }
    collect(&state);
    return cost_of(&state);
}
