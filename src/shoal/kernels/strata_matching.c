/* Matching of strata: classes with one record from each, all alike.
 *
 * Each stratum is halved at its own median of one attribute, then each half again, so that what stands at the same
 * place in all strata is alike: the same share of every stratum lies on either side of each cut, and no stratum runs
 * ahead of the others. Where few records are left, classes are formed one by one from those that are nearest. */
#include <stdlib.h>

#include "native.h"

enum { FEW = 32, SAMPLE = 512 };

typedef struct {
    const float *rows; /* coordinates, `wide` for each record */
    int32_t *records;  /* the records of each stratum, one stratum behind the other */
    int64_t wide, m, groups, strata;
} Strata;

static inline float at(const Strata *all, int32_t row, int64_t j) { return all->rows[row * all->wide + j]; }

/* Whether a record comes before another in one attribute; ties go by number, which follows an order of likeness. */
static inline int before(const Strata *all, int64_t j, int32_t a, int32_t b) {
    float x = at(all, a, j), y = at(all, b, j);
    return x < y || (x == y && a < b);
}

/* Put the records of records[0..n-1] so that those before the one at place `mid` come before it. */
static void select_middle(const Strata *all, int32_t *records, int64_t n, int64_t mid, int64_t j) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        int32_t pivot = records[low + (high - low) / 2], swap;
        int64_t a = low, b = high;
        while (a <= b) {
            while (before(all, j, records[a], pivot)) a++;
            while (before(all, j, pivot, records[b])) b--;
            if (a <= b) {
                swap = records[a];
                records[a++] = records[b];
                records[b--] = swap;
            }
        }
        if (mid <= b) high = b;
        else if (mid >= a) low = a;
        else return;
    }
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The sum of squares of numbers around their mean. */
static double around_mean(const float *numbers, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += numbers[i], squares += (double)numbers[i] * numbers[i];
    return n > 0 ? squares - sum * sum / (double)n : 0;
}

/* The attribute by which halving takes away most of the variation inside the strata, by a sample of the records at some
 * places. Long tails vary much, but halving does not take that away. */
static int64_t best_cut(const Strata *all, int64_t first, int64_t n) {
    float sample[SAMPLE];
    int64_t step = n / (SAMPLE / (all->strata < 8 ? all->strata : 8)) + 1, best = 0;
    double most_gain = -1;
    for (int64_t j = 0; j < all->m; j++) {
        double gain = 0;
        for (int64_t s = 0; s < all->strata; s++) {
            int64_t count = 0;
            for (int64_t i = 0; i < n && count < SAMPLE; i += step)
                sample[count++] = at(all, all->records[s * all->groups + first + i], j);
            qsort(sample, (size_t)count, sizeof *sample, ascending);
            gain += around_mean(sample, count) - around_mean(sample, count / 2) -
                    around_mean(sample + count / 2, count - count / 2);
        }
        if (gain > most_gain) most_gain = gain, best = j;
    }
    return best;
}

/* Give each class of a few the record of each further stratum that makes its box larger by least. */
static void match_few(const Strata *all, int64_t first, int64_t n, float *low, float *high) {
    for (int64_t c = first; c < first + n; c++) {
        const float *seed = all->rows + all->records[c] * all->wide;
        for (int64_t j = 0; j < all->wide; j++) low[j] = high[j] = seed[j];
        for (int64_t s = 1; s < all->strata; s++) {
            int32_t *records = all->records + s * all->groups;
            int64_t best = c;
            float least_cost = INFINITY;
            for (int64_t i = c; i < first + n; i++) {
                const float *row = all->rows + records[i] * all->wide;
                float cost = 0;
                for (int64_t j = 0; j < all->wide; j++) {
                    float lo = row[j] < low[j] ? row[j] : low[j], hi = row[j] > high[j] ? row[j] : high[j];
                    cost += (hi - lo) * (hi - lo);
                }
                if (cost < least_cost) least_cost = cost, best = i;
            }
            int32_t chosen = records[best];
            records[best] = records[c];
            records[c] = chosen;
            const float *row = all->rows + chosen * all->wide;
            for (int64_t j = 0; j < all->wide; j++) {
                low[j] = row[j] < low[j] ? row[j] : low[j];
                high[j] = row[j] > high[j] ? row[j] : high[j];
            }
        }
    }
}

/* Order the records of all strata so that those at the same place are alike. rows holds coordinates in units of what is
 * counted, padded to `wide`; stack has room for 256 numbers, box for 2 * wide. */
KERNEL void match_strata(const float *rows, int64_t wide, int64_t m, int32_t *records, int64_t groups, int64_t strata,
                         int64_t *stack, float *box) {
    Strata all = {rows, records, wide, m, groups, strata};
    int64_t top = 0;
    stack[top++] = 0, stack[top++] = groups;
    while (top > 0) {
        int64_t stop = stack[--top], first = stack[--top], n = stop - first;
        if (stopping(first, groups)) return;
        if (n <= FEW) {
            match_few(&all, first, n, box, box + wide);
            continue;
        }
        int64_t j = best_cut(&all, first, n), half = n / 2;
        for (int64_t s = 0; s < strata; s++) select_middle(&all, records + s * groups + first, n, half, j);
        stack[top++] = first + half, stack[top++] = stop; /* the nearer half is taken up first */
        stack[top++] = first, stack[top++] = first + half;
    }
}
