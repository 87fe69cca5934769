/* Places of records along the Hilbert curve, which visits every cell of a grid and stays close to where it was. */
#include "native.h"

enum { LANES = 8, MOST_AXES = 31, CHUNK = 7 };

/* Turn the coordinates of cells into places along the curve, for some records at once: J. Skilling's transform. What
 * comes out is the place with its bits interleaved over the axes, from the highest bit of the first. */
static void transform(uint32_t x[MOST_AXES][LANES], int64_t axes, int64_t bits) {
    for (uint32_t q = (uint32_t)1 << (bits - 1); q > 1; q >>= 1) {
        uint32_t low = q - 1, *restrict head = x[0];
        for (int i = 0; i < LANES; i++) head[i] ^= low & ((uint32_t)0 - ((head[i] & q) != 0));
        for (int64_t j = 1; j < axes; j++) {
            uint32_t *restrict other = x[j];
            for (int i = 0; i < LANES; i++) { /* where the bit is set turn round, elsewhere change places */
                uint32_t set = (uint32_t)0 - ((other[i] & q) != 0), swap = (head[i] ^ other[i]) & low & ~set;
                head[i] ^= (low & set) | swap;
                other[i] ^= swap;
            }
        }
    }
    uint32_t turn[LANES] = {0};
    for (int64_t j = 1; j < axes; j++)
        for (int i = 0; i < LANES; i++) x[j][i] ^= x[j - 1][i];
    for (uint32_t q = (uint32_t)1 << (bits - 1); q > 1; q >>= 1)
        for (int i = 0; i < LANES; i++) turn[i] ^= (q - 1) & ((uint32_t)0 - ((x[axes - 1][i] & q) != 0));
    for (int64_t j = 0; j < axes; j++)
        for (int i = 0; i < LANES; i++) x[j][i] ^= turn[i];
}

/* The cell of a span along one axis of the grid; a cell without a value lies in the first. */
static inline uint32_t cell(int32_t lo, int32_t hi, double origin, double scale, double last, int64_t offset,
                            const double *table) {
    if (lo == MISSING) return 0;
    double at = (middle(lo, hi, offset, table) - origin) * scale;
    return (uint32_t)(at > 0 ? at < last ? at : last : 0);
}

/* The place of each row along the curve through some of its columns, with so many bits for each of them: together at
 * most 63. spread has room for the bits of a chunk of seven, interleaved with room for the other columns' bits. */
KERNEL void curve_keys(const int32_t *lo, const int32_t *hi, int64_t n, int64_t m, const int64_t *columns,
                       int64_t axes, int64_t bits, const double *origin, const double *scale, const double *table,
                       const int64_t *offsets, uint64_t *spread, uint64_t *key) {
    uint32_t x[MOST_AXES][LANES] = {{0}};
    double last = (double)(((uint32_t)1 << bits) - 1);
    for (int64_t value = 0; value < 1 << CHUNK; value++) {
        spread[value] = 0;
        for (int64_t bit = 0; bit < CHUNK && bit < bits; bit++) /* where axes are few there is room for all seven */
            spread[value] |= (uint64_t)(value >> bit & 1) << bit * axes;
    }
    for (int64_t first = 0; first < n; first += LANES) {
        int64_t some = n - first < LANES ? n - first : LANES;
        for (int64_t i = 0; i < some; i++)
            for (int64_t a = 0; a < axes; a++) {
                int64_t j = columns[a], at = (first + i) * m + j;
                x[a][i] = cell(lo[at], hi[at], origin[j], scale[j], last, offsets[j], table);
            }
        transform(x, axes, bits);
        for (int64_t i = 0; i < some; i++) {
            uint64_t place = 0;
            for (int64_t a = 0; a < axes; a++) {
                uint64_t interleaved = spread[x[a][i] & ((1 << CHUNK) - 1)];
                if (bits > CHUNK) interleaved |= spread[x[a][i] >> CHUNK] << CHUNK * axes;
                place |= interleaved << (axes - 1 - a);
            }
            key[first + i] = place;
        }
    }
}
