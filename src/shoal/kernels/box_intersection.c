/* Intersection of boxes: how many meet a box, counted no further than is asked for.
 *
 * Boxes stand in an order in which neighbours are alike. Every so many that follow each other are a family with a hull,
 * families are families of a higher level, and so on up to a single one. A box looks among its own family first,
 * and then, one level up after the other, into those whose hull it meets. */
#include "native.h"

enum { FAMILY = 16, LEVELS = 16 };
enum { FEW, ENOUGH, UNSETTLED };

typedef struct {
    int64_t m, q;               /* columns of ends, and of sets */
    const int32_t *lo, *hi;     /* all levels behind each other; the boxes themselves are the first */
    const uint64_t *sets;       /* what may be in a cell, as bits */
    int64_t start[LEVELS], count[LEVELS], levels;
    const int32_t *from, *to;   /* the box that asks */
    const uint64_t *among;
    int64_t found, k, left;     /* how many were found, are wanted, and may still be looked at */
} Search;

static int64_t levels_of(int64_t n, int64_t *start, int64_t *count) {
    int64_t levels = 1;
    start[0] = 0;
    count[0] = n;
    for (; count[levels - 1] > FAMILY && levels < LEVELS; levels++) {
        start[levels] = start[levels - 1] + count[levels - 1];
        count[levels] = (count[levels - 1] + FAMILY - 1) / FAMILY;
    }
    return levels;
}

/* Fill the levels above the boxes: what each family spans. */
KERNEL void span_families(int64_t n, int64_t m, int64_t q, int32_t *lo, int32_t *hi, uint64_t *sets) {
    int64_t start[LEVELS], count[LEVELS], levels = levels_of(n, start, count);
    for (int64_t level = 1; level < levels; level++)
        for (int64_t i = 0; i < count[level]; i++) {
            int64_t node = start[level] + i, kid = start[level - 1] + i * FAMILY;
            int64_t end = kid + FAMILY < start[level] ? kid + FAMILY : start[level];
            memcpy(lo + node * m, lo + kid * m, (size_t)m * sizeof *lo);
            memcpy(hi + node * m, hi + kid * m, (size_t)m * sizeof *hi);
            memcpy(sets + node * q, sets + kid * q, (size_t)q * sizeof *sets);
            while (++kid < end) {
                for (int64_t d = 0; d < m; d++) {
                    lo[node * m + d] = least(lo[node * m + d], lo[kid * m + d]);
                    hi[node * m + d] = most(hi[node * m + d], hi[kid * m + d]);
                }
                for (int64_t d = 0; d < q; d++) sets[node * q + d] |= sets[kid * q + d];
            }
        }
}

static inline int meets(const Search *s, int64_t node) {
    const int32_t *lo = s->lo + node * s->m, *hi = s->hi + node * s->m;
    const uint64_t *sets = s->sets + node * s->q;
    for (int64_t d = 0; d < s->m; d++)
        if (lo[d] > s->to[d] || hi[d] < s->from[d]) return 0;
    for (int64_t d = 0; d < s->q; d++)
        if (!(sets[d] & s->among[d])) return 0;
    return 1;
}

/* Look among the family that begins at a place of a level, but for one of its members. */
static void look(Search *s, int64_t level, int64_t first, int64_t but) {
    int64_t end = first + FAMILY < s->count[level] ? first + FAMILY : s->count[level];
    for (int64_t i = first; i < end && s->found < s->k && s->left > 0; i++) {
        if (i == but) continue;
        s->left--;
        if (!meets(s, s->start[level] + i)) continue;
        if (level == 0)
            s->found++;
        else
            look(s, level - 1, i * FAMILY, -1);
    }
}

/* Say of each box whether fewer than k meet it, itself among them. Each looks at no more than an effort of others. */
KERNEL void count_meeting(int64_t n, int64_t m, int64_t q, const int32_t *lo, const int32_t *hi, const uint64_t *sets,
                          int64_t k, int64_t effort, uint8_t *verdicts) {
    Search s = {.m = m, .q = q, .lo = lo, .hi = hi, .sets = sets, .k = k};
    s.levels = levels_of(n, s.start, s.count);
    for (int64_t row = 0; row < n; row++) {
        s.from = lo + row * m;
        s.to = hi + row * m;
        s.among = sets + row * q;
        s.found = 1;
        if (row % 64 == 0 && stopping(row, n)) return;
        s.left = effort;
        for (int64_t level = 0, at = row; level < s.levels && s.found < k && s.left > 0; level++, at /= FAMILY)
            look(&s, level, at - at % FAMILY, at);
        verdicts[row] = s.found >= k ? ENOUGH : s.left > 0 ? FEW : UNSETTLED;
    }
}
