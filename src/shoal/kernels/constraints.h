/* What a class must be beside alike: of k records or people, and with confidential values spread as is demanded. */
#ifndef SHOAL_CONSTRAINTS_H
#define SHOAL_CONSTRAINTS_H

#include "native.h"

enum { VARIATION, SHARE, DISTINCT, ENTROPY, RECURSIVE };

/* Constraints on confidential values, one column of codes for each. The last bin of all but VARIATION is that of cells
 * without a value, which count to the most frequent one.
 *
 * Where people have several rows, a person counts once for each bin: `held` says how often each pair of a person and a
 * bin was counted, and `seen_people` how often each person was. The models look closer at people with cells without a
 * value, and at those who share values; what is found here is measured again by them in any case. */
typedef struct {
    int64_t number;
    const int32_t *codes;        /* rows of `number` bins */
    const int64_t *kinds, *bins; /* of each constraint, and how many bins its column has */
    const double *levels, *factors; /* the bound: t, alpha or l; and c */
    const int64_t *counts;       /* of the bins in the whole table, constraint after constraint */
    const int64_t *whole;        /* the sum of these for each constraint */
    int64_t *here, *spare;       /* scratch: the bins of a class, which begin at zero; and as many more */
    int64_t k;
    const int32_t *persons;      /* whose each row is; null where each row is somebody else's */
    const int32_t *pairs;        /* rows of `number` pairs, those of all constraints numbered together; null as persons,
                                    and -1 in the only row of a person */
    int32_t *held, *seen_people; /* scratch, from zero: how often each pair, and each person, was counted */
    int64_t *had;                /* scratch, from zero: the pairs counted for each constraint, then the people */
    int64_t *seen, turn;         /* scratch: when each person was met last */
} Constraints;

/* Count something, or no longer; tells whether it is there for the first time, or gone. */
static inline int counted_first(int32_t *times, int64_t sign) {
    *times += (int32_t)sign;
    return sign > 0 ? *times == 1 : *times == 0;
}

/* Let a record count, or no longer. */
static inline void count_in(const Constraints *of, int32_t row, int64_t sign) {
    int64_t at = 0, first = row * of->number;
    int several = of->number > 0 && of->pairs && of->pairs[first] >= 0;
    if (of->pairs && (!several || counted_first(of->seen_people + of->persons[row], sign))) of->had[of->number] += sign;
    for (int64_t p = 0; p < of->number; at += of->bins[p++]) {
        if (several && !counted_first(of->held + of->pairs[first + p], sign)) continue;
        of->here[at + of->codes[first + p]] += sign;
        if (of->pairs) of->had[p] += sign;
    }
}

/* How many units are counted for a constraint, and how many people, of so many records. */
static inline int64_t units(const Constraints *of, int64_t p, int64_t size) { return of->pairs ? of->had[p] : size; }
static inline int64_t people(const Constraints *of, int64_t size) { return of->pairs ? of->had[of->number] : size; }

static inline int64_t fullest(const int64_t *here, int64_t bins) {
    int64_t best = 0;
    for (int64_t b = 1; b < bins; b++)
        if (here[b] > here[best]) best = b;
    return best;
}

/* The bin that a class has most too many of; also gives all that is too much, times the rows of the table. */
static inline int64_t most_excess(const int64_t *here, const int64_t *counts, int64_t bins, int64_t rows, int64_t size,
                                  int64_t *all) {
    int64_t worst = 0, most_of = INT64_MIN;
    *all = 0;
    for (int64_t b = 0; b < bins; b++) {
        int64_t more = here[b] * rows - counts[b] * size;
        if (more > 0) *all += more;
        if (here[b] > 0 && more > most_of) most_of = more, worst = b;
    }
    return worst;
}

/* The exponential of the entropy; where people have several values, the most frequent has its share of the people. */
static inline double spread(const int64_t *here, int64_t bins, int64_t size, int64_t persons) {
    int64_t top = fullest(here, bins - 1), most_of = here[top] + here[bins - 1];
    double logs = 0;
    if (persons != size && most_of >= persons) return 1;
    for (int64_t b = 0; b < bins - 1; b++) {
        double count = (double)(here[b] + (b == top ? here[bins - 1] : 0));
        if (count > 1 && (persons == size || b != top)) logs += count * log(count);
    }
    if (persons == size) return exp(log((double)size) - logs / (double)size);
    double share = (double)most_of / (double)persons, rest = (double)(size - most_of);
    return exp((1 - share) * (log(rest) - logs / rest - log(1 - share)) - share * log(share));
}

/* How many times all values from the l-th on the most frequent value has. */
static inline double dominance(const Constraints *of, const int64_t *here, int64_t bins, int64_t size, int64_t persons,
                               int64_t l) {
    int64_t tail = size, top = 0;
    memcpy(of->spare, here, (size_t)(bins - 1) * sizeof *here);
    for (int64_t i = 0; i < l - 1 && i < bins - 1; i++) {
        int64_t b = fullest(of->spare, bins - 1), count = of->spare[b] + (i == 0 ? here[bins - 1] : 0);
        if (i == 0) top = count;
        tail -= count;
        of->spare[b] = 0;
    }
    if (persons != size && top >= persons) return INFINITY;
    double others = (double)tail * (persons != size ? (double)(persons - top) / (double)(size - top) : 1);
    return tail > 0 ? (double)top / others : INFINITY;
}

/* What a class reaches of a constraint, measured as the models do. */
static inline double reached(const Constraints *of, int64_t p, const int64_t *here, const int64_t *counts,
                             int64_t size) {
    int64_t bins = of->bins[p], all = 0, persons = people(of, size);
    size = units(of, p, size);
    switch (of->kinds[p]) {
        case VARIATION:
            most_excess(here, counts, bins, of->whole[p], size, &all);
            return (double)all / ((double)of->whole[p] * (double)size);
        case SHARE: return (double)(here[fullest(here, bins - 1)] + here[bins - 1]) / (double)persons;
        case DISTINCT: /* no more than people can have apart from each other */
            for (int64_t b = 0; b < bins - 1; b++) all += here[b] > 0;
            if (of->pairs && here[fullest(here, bins - 1)] + here[bins - 1] >= persons) all = 1;
            return (double)(all > persons ? persons : all > 0 ? all : 1);
        case ENTROPY: return spread(here, bins, size, persons);
        default: return dominance(of, here, bins, size, persons, (int64_t)of->levels[p]);
    }
}

static inline int kept(const Constraints *of, int64_t p, double level) {
    switch (of->kinds[p]) {
        case VARIATION: case SHARE: return level <= of->levels[p];
        case RECURSIVE: return level < of->factors[p];
        default: return level >= of->levels[p];
    }
}

/* The first constraint that the records counted break; -1 if they keep all. Gives where its bins begin. */
static inline int64_t broken(const Constraints *of, int64_t size, int64_t *begin) {
    *begin = 0;
    for (int64_t p = 0; p < of->number; *begin += of->bins[p++])
        if (!kept(of, p, reached(of, p, of->here + *begin, of->counts + *begin, size))) return p;
    return -1;
}

/* How far the records counted are from keeping all constraints. */
static inline double lack(const Constraints *of, int64_t size) {
    double all = 0;
    for (int64_t p = 0, begin = 0; p < of->number; begin += of->bins[p++]) {
        double level = reached(of, p, of->here + begin, of->counts + begin, size);
        if (kept(of, p, level)) continue;
        double asked = of->kinds[p] == RECURSIVE ? of->factors[p] : of->levels[p];
        all += 1e-9 + (level < INFINITY ? fabs(level - asked) : (double)size);
    }
    return all;
}

/* The bin whose records stand most in the way of a constraint; -1 if it does not help to lose any. */
static inline int64_t in_the_way(const Constraints *of, int64_t p, int64_t begin, int64_t size) {
    const int64_t *here = of->here + begin;
    int64_t bins = of->bins[p], all;
    if (of->kinds[p] == DISTINCT) return -1;
    if (of->kinds[p] == VARIATION)
        return most_excess(here, of->counts + begin, bins, of->whole[p], units(of, p, size), &all);
    return here[bins - 1] > 0 ? bins - 1 : fullest(here, bins - 1);
}

/* Tell whether no part of the records counted can keep a constraint, because too few values occur among them. */
static inline int hopeless(const Constraints *of) {
    int64_t begin = 0;
    for (int64_t p = 0; p < of->number; begin += of->bins[p++]) {
        const int64_t *here = of->here + begin, *counts = of->counts + begin;
        int64_t absent = 0, present = 0, varies = of->kinds[p] == VARIATION;
        for (int64_t b = 0; b < of->bins[p]; b++)
            if (here[b]) present++;
            else absent += counts[b];
        double needed = of->kinds[p] == SHARE ? 1 / of->levels[p] - 1e-9 : of->levels[p] * (1 - 1e-9);
        if (varies ? (double)absent > of->levels[p] * (double)of->whole[p] : (double)present < needed) return 1;
    }
    return 0;
}

/* Tell whether there are k among rows: records, or different people. */
static inline int enough(Constraints *of, const int32_t *rows, int64_t n) {
    if (!of->persons || n < of->k) return n >= of->k;
    int64_t found = 0;
    of->turn++;
    for (int64_t i = 0; i < n && found < of->k; i++) {
        int64_t *last = of->seen + of->persons[rows[i]];
        found += *last != of->turn;
        *last = of->turn;
    }
    return found >= of->k;
}

/* Give how many of some records can be a class, the first after sorting: all of them, or those that are left when what
 * stands in the way of a constraint is taken out. 0 if they cannot. */
static inline int64_t trim(Constraints *of, int32_t *rows, int64_t n) {
    int64_t begin, p = -1;
    for (int64_t i = 0; i < n; i++) count_in(of, rows[i], 1);
    int64_t possible = !hopeless(of);
    while (possible && n >= of->k && (p = broken(of, n, &begin)) >= 0) {
        int64_t bin = in_the_way(of, p, begin, n), most_out = 1 + n / 64;
        if (bin < 0) break;
        for (int64_t i = n - 1; i >= 0 && most_out > 0; i--) {
            int32_t row = rows[i];
            if (of->codes[row * of->number + p] != bin) continue;
            count_in(of, row, -1);
            rows[i] = rows[--n];
            rows[n] = row;
            most_out--;
        }
    }
    for (int64_t i = 0; i < n; i++) count_in(of, rows[i], -1);
    return possible && p < 0 && enough(of, rows, n) ? n : 0;
}

#endif
