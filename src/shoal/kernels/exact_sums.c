/* Sums of numbers and of their products that do not depend on the order of records: numbers become whole ones first. */
#include "native.h"

enum { OFTEN = 1 << 15 };

/* Add a number of 128 bits to one that lies in memory, its lower half first. */
static inline void add(uint64_t *sum, __int128 number) {
    unsigned __int128 all = ((unsigned __int128)sum[1] << 64 | sum[0]) + (unsigned __int128)number;
    sum[0] = (uint64_t)all;
    sum[1] = (uint64_t)(all >> 64);
}

/* The nearest whole number, of one below 2^51. */
static inline int64_t nearest(double x) {
    double shifted = x + 0x1.8p52;
    return (int64_t)(shifted - 0x1.8p52);
}

/* Sum the m columns of n rows, less their middles and in their units, and the products of each two: of rows that lack
 * no number if they are to be together, else column by column. NaN is no number. whole has room for a row. */
KERNEL void exact_sums(const double *rows, int64_t n, int64_t m, const double *middle, const double *unit,
                       int64_t together, int64_t *whole, int64_t *count, uint64_t *total, uint64_t *products) {
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + i * m;
        int lacking = 0;
        for (int64_t j = 0; j < m; j++) lacking |= row[j] != row[j];
        if (i % OFTEN == 0 && stopping(i, n)) return;
        if (lacking && together) continue;
        for (int64_t j = 0; j < m; j++) {
            if (row[j] != row[j]) continue;
            whole[j] = nearest((row[j] - middle[j]) * unit[j]);
            count[j]++;
            add(total + 2 * j, whole[j]);
            for (int64_t k = together ? 0 : j; k <= j; k++)
                add(products + 2 * (j * m + k), (__int128)whole[j] * whole[k]);
        }
    }
}
