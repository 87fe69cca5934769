/* People who have several records in a class, and what they have in common. */
#include <stdlib.h>

#include "native.h"

/* Mark the first row of each code inside each group of rows that stand side by side; seen begins at -1. */
KERNEL void mark_first(const int32_t *codes, const int64_t *starts, int64_t groups, int64_t *seen, uint8_t *first) {
    for (int64_t g = 0; g < groups; g++)
        for (int64_t i = starts[g]; i < starts[g + 1]; i++) {
            first[i] = seen[codes[i]] != g;
            seen[codes[i]] = g;
        }
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_keys(uint64_t *keys, int64_t n) {
    if (n > 32) {
        qsort(keys, (size_t)n, sizeof *keys, ascending);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t j = i - 1;
        for (; j >= 0 && keys[j] > key; j--) keys[j + 1] = keys[j];
        keys[j + 1] = key;
    }
}

/* For each group: how many people are found in it no two of whom have a value in common, those with the fewest values
 * first, and of these the one with the lowest number. It does not depend on the order of rows.
 *
 * persons and bins list pairs, each once in a group; pairs with a bin below 0 do not count. taken begins at -1 and has
 * one place per bin; head at -1 and held at 0, one place per person; next and keys have room for the largest group. */
KERNEL void disjoint_people(const int32_t *persons, const int32_t *bins, const int64_t *starts, int64_t groups,
                            int64_t *taken, int32_t *head, int32_t *held, int32_t *next, uint64_t *keys,
                            int64_t *found) {
    for (int64_t g = 0; g < groups; g++) {
        const int32_t *who = persons + starts[g], *what = bins + starts[g];
        int64_t n = starts[g + 1] - starts[g], people = 0;
        found[g] = 0;
        for (int64_t i = 0; i < n; i++) {
            if (what[i] < 0) continue;
            next[i] = head[who[i]];
            head[who[i]] = (int32_t)i;
            held[who[i]]++;
        }
        for (int64_t i = 0; i < n; i++)
            if (what[i] >= 0 && head[who[i]] == i) keys[people++] = (uint64_t)held[who[i]] << 32 | (uint32_t)who[i];
        sort_keys(keys, people);
        for (int64_t p = 0; p < people; p++) {
            int32_t person = (int32_t)(uint32_t)keys[p], i = head[person];
            while (i >= 0 && taken[what[i]] != g) i = next[i];
            if (i < 0) { /* has no bin in common with any before */
                found[g]++;
                for (i = head[person]; i >= 0; i = next[i]) taken[what[i]] = g;
            }
            head[person] = -1;
            held[person] = 0;
        }
    }
}
