/* The generalization lattice: classes of records that become equal when values are replaced by those above them. */
#include "constraints.h"

/* A step is worthwhile that finds a class for one row in so many; so many that are not are taken in patience. */
enum { WORTHWHILE = 1024, PATIENT = 32 };

/* Where a key stands in a table of 2^bits places; it is put there if this is its first time in a turn. */
static int64_t place_of(uint64_t key, uint64_t *keys, int32_t *turns, int32_t *counts, int64_t bits, int32_t turn) {
    uint64_t mask = ((uint64_t)1 << bits) - 1, at = key & mask;
    while (turns[at] == turn && keys[at] != key) at = (at + 1) & mask;
    if (turns[at] != turn) turns[at] = turn, keys[at] = key, counts[at] = 0;
    return (int64_t)at;
}

/* Mix bits, so that equal codes of different columns have nothing in common. */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Put the rows of `left` whose class is large enough behind each other; ends[c] is where class c ends. */
static int64_t gather(const int32_t *left, int64_t n, const int32_t *places, int32_t *counts, int64_t k,
                      int32_t *rows, int64_t *ends) {
    int64_t classes = 0, all = 0;
    for (int64_t i = 0; i < n; i++) { /* a count becomes the place of its class, marked by a sign, when first met */
        int32_t *count = counts + places[i];
        if (*count < k) continue;
        ends[classes] = all;
        all += *count;
        *count = (int32_t)(-1 - classes++);
    }
    for (int64_t i = 0; i < n; i++)
        if (counts[places[i]] < 0) rows[ends[-1 - counts[places[i]]]++] = left[i];
    return classes;
}

/* Put rows into classes, node by node of the lattice: at each, the values of those that are not yet in a class are
 * replaced by those on its levels, and what becomes equal and keeps all constraints is a class. Cheap nodes come first.
 * Rows with -1 as their label are looked at, and keep it if no node serves them. Gives how many classes there are.
 *
 * codes has m values for each row; column j has heights[j] levels, which begin at levels_at[j], each as long as the
 * column has values. hashes has as many places as all levels. The table of keys has 2^bits places; turns begins at 0,
 * here at zero, seen at -1. About `budget` rows are looked at, summed over the nodes: where that is too little for all
 * nodes, some are left out after those that were of little use. */
KERNEL int64_t classes_at_nodes(const int32_t *codes, int64_t n, int64_t m, const int32_t *above,
                                const int64_t *levels_at, const int64_t *values, const int64_t *heights,
                                const uint8_t *nodes, int64_t number, int64_t budget, int64_t k,
                                const int32_t *persons, int64_t demanded, const int32_t *bins_of, const int64_t *kinds,
                                const int64_t *bins, const double *levels, const double *factors,
                                const int64_t *counts_of, const int64_t *whole, int64_t *here, int64_t *spare,
                                const int32_t *pairs, int32_t *held, int32_t *seen_people, int64_t *had, int64_t *seen,
                                uint64_t *hashes, int64_t bits, uint64_t *keys, int32_t *turns, int32_t *counts,
                                int32_t *left, int32_t *places, int32_t *rows, int64_t *ends, int64_t groups,
                                int32_t *labels) {
    Constraints of = {demanded, bins_of, kinds, bins, levels, factors, counts_of, whole, here, spare, k, persons,
                      pairs, held, seen_people, had, seen, 0};
    int64_t remaining = 0;
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < heights[j] * values[j]; i++)
            hashes[levels_at[j] + i] = mixed(((uint64_t)j << 40) + (uint64_t)above[levels_at[j] + i] + 1);
    for (int64_t i = 0; i < n; i++)
        if (labels[i] < 0) left[remaining++] = (int32_t)i;
    for (int64_t s = 0, stride = 1, idle = 0; s < number && remaining >= k && budget > 0; s += stride) {
        const uint8_t *level = nodes + s * m;
        int64_t found = 0, stay = 0, start = 0, affordable = 1 + remaining * (number - s) / budget;
        if (stopping(s, number)) return groups;
        budget -= remaining;
        if (++idle > PATIENT) stride = stride * 2 < affordable ? stride * 2 : affordable;
        for (int64_t i = 0; i < remaining; i++) {
            const int32_t *row = codes + left[i] * m;
            uint64_t key = 0;
            for (int64_t j = 0; j < m; j++) key ^= hashes[levels_at[j] + level[j] * values[j] + row[j]];
            int64_t at = place_of(key, keys, turns, counts, bits, (int32_t)s + 1);
            places[i] = (int32_t)at;
            found |= ++counts[at] >= k;
        }
        if (!found) continue;
        int64_t classes = gather(left, remaining, places, counts, k, rows, ends);
        for (int64_t c = 0; c < classes; start = ends[c++]) {
            int64_t size = trim(&of, rows + start, ends[c] - start);
            for (int64_t i = 0; i < size; i++) labels[rows[start + i]] = (int32_t)groups;
            groups += size > 0;
        }
        for (int64_t i = 0; i < remaining; i++)
            if (labels[left[i]] < 0) left[stay++] = left[i];
        if ((remaining - stay) * WORTHWHILE >= remaining) stride = 1, idle = 0;
        remaining = stay;
    }
    return groups;
}
