/* The ordered distance of a few records, for kernels that search: the same number as ordered_distance gives.
 *
 * Where a class passes what is expected of it depends on its size alone, so that with those places at hand a class is
 * measured in one walk over its members. Sums are whole numbers and exact below 2^53; what is found is measured again
 * by the model in any case. */
#ifndef SHOAL_CLOSENESS_H
#define SHOAL_CLOSENESS_H

#include "native.h"

/* A record as the distance sees it: its bin, and the table's cumulative counts summed over all bins before it. */
typedef struct {
    double bin, area;
} Mark;

typedef struct {
    const int64_t *cumulative; /* records of the table in the bins up to each */
    const double *areas;       /* its running sum, with a leading zero */
    int64_t bins;
    double n; /* the records of the table */
} Spread;

static inline Mark mark_at(const Spread *spread, int64_t bin) {
    Mark mark = {(double)bin, spread->areas[bin]};
    return mark;
}

/* For classes of a size, the place where the table passes each share of their members: size + 1 marks. */
static inline void passages(const Spread *spread, int64_t size, Mark *passed) {
    for (int64_t level = 0; level <= size; level++) {
        int64_t a = 0, b = spread->bins, target = (int64_t)((double)level * spread->n);
        while (a < b) {
            int64_t mid = (a + b) / 2;
            if (size * spread->cumulative[mid] <= target) a = mid + 1;
            else b = mid;
        }
        passed[level] = mark_at(spread, a);
    }
}

/* The distance of a class from the table; its marks ascend. */
static inline double spread_distance(const Spread *spread, const Mark *marks, int64_t size, const Mark *passed) {
    if (spread->bins < 2) return 0;
    double whole = 0, members = (double)size;
    Mark first = {0, 0}, end = mark_at(spread, spread->bins);
    for (int64_t level = 0; level <= size; level++) {
        Mark stop = level < size ? marks[level] : end, a = passed[level];
        double target = (double)level * spread->n;
        if (a.bin < first.bin) a = first;
        if (a.bin > stop.bin) a = stop;
        whole += target * (a.bin - first.bin) - members * (a.area - first.area);
        whole += members * (stop.area - a.area) - target * (stop.bin - a.bin);
        first = stop;
    }
    return whole / (spread->n * members * (double)(spread->bins - 1));
}

/* Let a class have one mark in the place of another, and give the new place; marks stay ascending. */
static inline int64_t replace_mark(Mark *marks, int64_t size, int64_t at, Mark mark) {
    for (; at > 0 && marks[at - 1].bin > mark.bin; at--) marks[at] = marks[at - 1];
    for (; at + 1 < size && marks[at + 1].bin < mark.bin; at++) marks[at] = marks[at + 1];
    marks[at] = mark;
    return at;
}

#endif
