/* Who could it be: the people who have all of some points that an attacker knows of somebody.
 *
 * Each point has an ascending list of those who have it. What is known of a person are numbers of such lists. */
#include "native.h"

/* What one search needs. A mask says of a candidate which of the known points he has: bit i stands for the i-th. */
typedef struct {
    int64_t known, words, room, effort, smallest;
    const uint64_t *masks;
    int32_t *levels;
    int64_t *tally;
    double none, one;
} Search;

static double choose(int64_t n, int64_t r) {
    double ways = n < r ? 0 : 1;
    for (int64_t i = 1; i <= r && ways > 0; i++) ways = ways * (double)(n - r + i) / (double)i;
    return ways;
}

static inline int64_t ones(uint64_t bits) { return __builtin_popcountll(bits); }

static inline int64_t ones_from(const uint64_t *mask, int64_t words, int64_t first) {
    int64_t w = first >> 6;
    if (w >= words) return 0;
    int64_t count = ones(mask[w] >> (first & 63));
    while (++w < words) count += ones(mask[w]);
    return count;
}

static inline void found(Search *s, int64_t candidates) {
    if (candidates < s->smallest) s->smallest = candidates;
}

/* Count the candidates of each further point by itself, where no point has exactly one. */
static void tally_candidates(Search *s, const int32_t *members, int64_t count, int64_t first) {
    memset(s->tally + first, 0, (size_t)(s->known - first) * sizeof *s->tally);
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = first; i < s->known; i++)
            s->tally[i] += s->masks[members[c] * s->words + (i >> 6)] >> (i & 63) & 1;
    for (int64_t i = first; i < s->known; i++)
        if (s->tally[i]) found(s, s->tally[i]);
}

/* One more point is known, of those from the first on. */
static void last_point(Search *s, const int32_t *members, int64_t count, int64_t first) {
    double one = 0, any = 0;
    for (int64_t w = first >> 6; w < s->words; w++) {
        uint64_t once = 0, twice = 0;
        for (int64_t c = 0; c < count; c++) {
            uint64_t mask = s->masks[members[c] * s->words + w];
            twice |= once & mask;
            once |= mask;
        }
        if (w == first >> 6) once &= UINT64_MAX << (first & 63);
        one += (double)ones(once & ~twice);
        any += (double)ones(once);
    }
    s->one += one;
    s->none += (double)(s->known - first) - any;
    if (one > 0) s->smallest = 1;
    if (s->smallest > 1) tally_candidates(s, members, count, first);
}

/* Count the sets of r further points, of those from the first on, that nobody has, or exactly one candidate. */
static void search(Search *s, const int32_t *members, int64_t count, int64_t first, int64_t r, int64_t level) {
    s->effort -= count * s->words + 1;
    if (s->effort < 0) return;
    if (count == 0) {
        s->none += choose(s->known - first, r);
    } else if (count == 1) {
        double one = choose(ones_from(s->masks + members[0] * s->words, s->words, first), r);
        s->one += one;
        s->none += choose(s->known - first, r) - one;
        if (one > 0) s->smallest = 1;
    } else if (r == 1) {
        last_point(s, members, count, first);
    } else {
        int32_t *left = s->levels + level * s->room;
        for (int64_t i = first; i + r <= s->known && s->effort >= 0; i++) {
            int64_t kept = 0;
            for (int64_t c = 0; c < count; c++) {
                const uint64_t *mask = s->masks + members[c] * s->words;
                if ((mask[i >> 6] >> (i & 63) & 1) && ones_from(mask, s->words, i + 1) >= r - 1)
                    left[kept++] = members[c];
            }
            s->effort -= count;
            search(s, left, kept, i + 1, r - 1, level + 1);
        }
    }
}

static void sort_few(uint64_t *keys, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t j = i - 1;
        for (; j >= 0 && keys[j] > key; j--) keys[j + 1] = keys[j];
        keys[j + 1] = key;
    }
}

/* For each person, count the sets of p points known of her that nobody has, and those that exactly one candidate has,
 * depth first; where one or none is left, all further sets are counted at once. The rarest points come first, so that
 * this is early. Gives the size of the smallest set of candidates that is not empty, INT64_MAX if all are; or -1 if it
 * takes more than some effort, or was stopped.
 *
 * slots begins at -1 and has one place per candidate; members has p rows of as many places as any person has candidates
 * at most, and masks as many times the words that the longest trace needs; keys has twice, tally once the room for the
 * longest trace. */
KERNEL int64_t count_candidate_sets(const int64_t *starts, const int32_t *known, int64_t people,
                                    const int64_t *list_starts, const int32_t *holders, int64_t p, int64_t effort,
                                    int64_t room, int32_t *slots, int32_t *touched, uint64_t *masks, int32_t *members,
                                    uint64_t *keys, int64_t longest, int64_t *tally, double *none, double *one) {
    Search s = {.room = room, .effort = effort, .smallest = INT64_MAX, .masks = masks, .tally = tally};
    s.levels = members + room;
    for (int64_t u = 0; u < people; u++) {
        int64_t n = starts[u + 1] - starts[u], count = 0, able = 0;
        none[u] = one[u] = 0;
        if (n < p) continue;
        if ((u & 63) == 0 && stopping(u, people)) return -1;
        uint64_t *order = keys;
        for (int64_t i = 0; i < n; i++) {
            int64_t list = known[starts[u] + i];
            order[i] = (uint64_t)(list_starts[list + 1] - list_starts[list]) << 32 | (uint64_t)list;
        }
        if (n <= 32)
            sort_few(order, n);
        else
            order = sort_packed(order, keys + longest, n);
        s.known = n;
        s.words = (n + 63) / 64;
        s.none = s.one = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t list = (int64_t)(uint32_t)order[i];
            s.effort -= list_starts[list + 1] - list_starts[list];
            for (int64_t h = list_starts[list]; h < list_starts[list + 1]; h++) {
                int32_t who = holders[h];
                if (slots[who] < 0) {
                    slots[who] = (int32_t)count;
                    touched[count] = who;
                    memset(masks + count * s.words, 0, (size_t)s.words * sizeof *masks);
                    count++;
                }
                masks[slots[who] * s.words + (i >> 6)] |= (uint64_t)1 << (i & 63);
            }
        }
        for (int64_t c = 0; c < count; c++) {
            slots[touched[c]] = -1;
            if (ones_from(masks + c * s.words, s.words, 0) >= p) members[able++] = (int32_t)c;
        }
        search(&s, members, able, 0, p, 0);
        if (s.effort < 0) return -1;
        none[u] = s.none;
        one[u] = s.one;
    }
    return s.smallest;
}

/* The first place from some place on in an ascending list that holds at least this number. */
static int64_t gallop(const int32_t *list, int64_t from, int64_t stop, int32_t number) {
    int64_t step = 1, low = from;
    while (low < stop && list[low] < number) {
        from = low + 1;
        low += step;
        step *= 2;
    }
    int64_t high = low < stop ? low : stop;
    while (from < high) {
        int64_t mid = from + (high - from) / 2;
        if (list[mid] < number)
            from = mid + 1;
        else
            high = mid;
    }
    return from;
}

/* Count the candidates who have all of p points, for each of some sets of points: none, one, or two for more. Gives the
 * size of the smallest set of candidates that is not empty, INT64_MAX if all are. at and stop have room for p places. */
KERNEL int64_t count_candidates(const int32_t *drawn, int64_t sets, int64_t p, const int64_t *list_starts,
                                const int32_t *holders, int64_t *at, int64_t *stop, uint8_t *counts) {
    int64_t smallest = INT64_MAX;
    for (int64_t row = 0; row < sets; row++) {
        int64_t count = 0;
        if ((row & 63) == 0 && stopping(row, sets)) return smallest;
        for (int64_t j = 0; j < p; j++) { /* the shortest list first: it excludes most */
            int64_t begin = list_starts[drawn[row * p + j]], end = list_starts[drawn[row * p + j] + 1], i = j;
            for (; i > 0 && stop[i - 1] - at[i - 1] > end - begin; i--) {
                at[i] = at[i - 1];
                stop[i] = stop[i - 1];
            }
            at[i] = begin;
            stop[i] = end;
        }
        while (at[0] < stop[0]) {
            int32_t who = holders[at[0]];
            int64_t j = 1;
            for (; j < p; j++) {
                at[j] = gallop(holders, at[j], stop[j], who);
                if (at[j] == stop[j] || holders[at[j]] != who) break;
            }
            /* More than the smallest set so far need not be counted. */
            if (j == p && ++count >= 2 && count >= smallest) break;
            if (j < p && at[j] == stop[j]) break;
            at[0]++;
        }
        counts[row] = (uint8_t)(count < 2 ? count : 2);
        if (count && count < smallest) smallest = count;
    }
    return smallest;
}
