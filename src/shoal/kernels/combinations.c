/* How many people have each combination of labels, depth first.
 *
 * Everyone's labels stand in ascending order and end with -1. Those who have the first labels of a combination are a
 * list of the places behind the last of these; what stands there are the labels that may come next. So counting needs
 * one counter for each label and level, however many combinations there are, and takes as long as these are many. */
#include "native.h"

typedef struct {
    const int32_t *points, *owners;
    int64_t labels, width, room, found;
    int32_t size, below;
    int32_t *counts, *touched, *prefix;
    int64_t *slots, *lists;
    int32_t *combinations, *people;
} Search;

static void emit(Search *s, int32_t label, int32_t people) {
    if (s->found < s->room) {
        int32_t *row = s->combinations + s->found * s->size;
        for (int32_t i = 0; i < s->size - 1; i++) row[i] = s->prefix[i];
        row[s->size - 1] = label;
        s->people[s->found] = people;
    }
    s->found++;
}

/* Count what comes next for those on a list, who have the first labels in common, and go on from there. */
static void extend(Search *s, int32_t level, const int64_t *list, int64_t n) {
    int32_t *counts = s->counts + (level - 1) * s->labels, *touched = s->touched + (level - 1) * s->labels;
    int64_t seen = 0;
    for (int64_t i = 0; i < n; i++)
        for (const int32_t *p = s->points + list[i]; *p >= 0; p++)
            if (!counts[*p]++) touched[seen++] = *p;
    if (level + 1 < s->size) {
        int64_t *slots = s->slots + (level - 1) * s->labels, *next = s->lists + (level - 1) * s->width, at = 0;
        for (int64_t t = 0; t < seen; at += counts[touched[t++]]) slots[touched[t]] = at;
        for (int64_t i = 0; i < n; i++)
            for (const int32_t *p = s->points + list[i]; *p >= 0; p++)
                if (p[1] >= 0) next[slots[*p]++] = p + 1 - s->points;
        at = 0;
        for (int64_t t = 0; t < seen; at += counts[touched[t++]]) {
            s->prefix[level] = touched[t];
            if (slots[touched[t]] > at) extend(s, level + 1, next + at, slots[touched[t]] - at);
        }
    } else if (s->owners) {
        for (int64_t i = 0; i < n; i++)
            for (const int32_t *p = s->points + list[i]; *p >= 0; p++)
                if (counts[*p] < s->below) emit(s, *p, s->owners[list[i]]);
    } else {
        for (int64_t t = 0; t < seen; t++)
            if (counts[touched[t]] < s->below) emit(s, touched[t], counts[touched[t]]);
    }
    for (int64_t t = 0; t < seen; t++) counts[touched[t]] = 0;
}

/* Find the combinations of two labels or more whose first is one of some, and which fewer people have than so many:
 * each with how many have it; or, where the owner of every place is given, once for each person who has it. The places
 * behind each label are given in index, from starts on. Gives how many there are, of which only as many are written as
 * there is room for. Counts begin at zero. */
KERNEL int64_t find_combinations(const int32_t *points, const int32_t *owners, const int64_t *index,
                                 const int64_t *starts, int64_t first, int64_t last, int64_t labels, int64_t width,
                                 int32_t size, int32_t below, int32_t *counts, int32_t *touched, int32_t *prefix,
                                 int64_t *slots, int64_t *lists, int32_t *combinations, int32_t *people,
                                 int64_t room) {
    Search s = {points, owners, labels, width, room, 0, size, below, counts, touched, prefix, slots, lists,
                combinations, people};
    for (int64_t a = first; a < last; a++) {
        if (stopping(a - first, last - first)) break;
        prefix[0] = (int32_t)a;
        extend(&s, 1, index + starts[a], starts[a + 1] - starts[a]);
    }
    return s.found;
}

/* Sort a few numbers where they are, by gaps that shrink (Ciura), and drop repeats; gives how many are left. */
static int64_t sort_distinct(int32_t *numbers, int64_t n) {
    static const int64_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int64_t i = gaps[g]; i < n; i++) {
            int32_t one = numbers[i];
            int64_t j = i;
            for (; j >= gaps[g] && numbers[j - gaps[g]] > one; j -= gaps[g]) numbers[j] = numbers[j - gaps[g]];
            numbers[j] = one;
        }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (!i || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
    return kept;
}

/* Put another label in the place of each, or none where that is below zero; everyone's are sorted, each stands once. */
KERNEL void relabel_traces(const int64_t *offsets, const int32_t *labels, int64_t people, const int32_t *other,
                           int64_t *new_offsets, int32_t *new_labels) {
    new_offsets[0] = 0;
    for (int64_t u = 0; u < people; u++) {
        int32_t *mine = new_labels + new_offsets[u];
        int64_t n = 0;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++)
            if (other[labels[i]] >= 0) mine[n++] = other[labels[i]];
        new_offsets[u + 1] = new_offsets[u] + sort_distinct(mine, n);
    }
}

/* Choose for everyone the labels to remove: one after the other that which is in most of the combinations that are
 * left, the least of several, until none is left. Combinations stand person after person from starts on, and are moved
 * about. Counts begin at zero. Gives how many labels are removed: who loses which. */
KERNEL int64_t choose_removed(int32_t *combinations, int32_t size, const int64_t *starts, int64_t people,
                              int32_t *counts, int32_t *touched, int32_t *who, int32_t *which) {
    int64_t removed = 0;
    for (int64_t u = 0; u < people; u++) {
        int32_t *mine = combinations + starts[u] * size;
        int64_t left = starts[u + 1] - starts[u], seen = 0;
        if (stopping(starts[u], starts[people])) break;
        for (int64_t i = 0; i < left * size; i++)
            if (!counts[mine[i]]++) touched[seen++] = mine[i];
        while (left) {
            int32_t best = touched[0];
            for (int64_t t = 1; t < seen; t++) {
                int32_t one = touched[t];
                if (counts[one] > counts[best] || (counts[one] == counts[best] && one < best)) best = one;
            }
            who[removed] = (int32_t)u;
            which[removed++] = best;
            int64_t kept = 0;
            for (int64_t i = 0; i < left; i++) {
                const int32_t *row = mine + i * size;
                int holds = 0;
                for (int32_t j = 0; j < size; j++) holds |= row[j] == best;
                for (int32_t j = 0; j < size && holds; j++) counts[row[j]]--;
                for (int32_t j = 0; j < size && !holds; j++) mine[kept * size + j] = row[j];
                kept += !holds;
            }
            left = kept;
        }
        for (int64_t t = 0; t < seen; t++) counts[touched[t]] = 0;
    }
    return removed;
}
