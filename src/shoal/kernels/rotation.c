/* Rotation of rows by the orthogonal factor of a square matrix: A. S. Householder's reflections, in one order of sums. */
#include "native.h"

enum { SUMS = 4 };

/* The sum of products of two stretches, in four sums that a vector holds. */
static double product(const double *a, const double *b, int64_t n) {
    double part[SUMS] = {0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int c = 0; c < SUMS; c++) part[c] += a[i + c] * b[i + c];
    for (; i < n; i++) part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Reflect a stretch at the plane to which a direction of this squared length is upright. */
static void reflect(const double *direction, double *at, int64_t n, double squared) {
    if (squared == 0) return;
    double share = 2 * product(direction, at, n) / squared;
    for (int64_t i = 0; i < n; i++) at[i] -= share * direction[i];
}

/* Multiply columns of m numbers, d of them one after the other, by the orthogonal factor Q of a matrix QR that is given
 * column after column, where the diagonal of R is positive. The matrix is used up; lengths has room for m numbers. */
KERNEL void rotate(double *square, int64_t m, double *columns, int64_t d, double *lengths) {
    for (int64_t k = 0; k < m; k++) {
        double *direction = square + k * m + k, whole = sqrt(product(direction, direction, m - k));
        double diagonal = direction[0] > 0 ? -whole : whole;
        direction[0] -= diagonal;
        lengths[k] = product(direction, direction, m - k);
        for (int64_t j = k + 1; j < m; j++) reflect(direction, square + j * m + k, m - k, lengths[k]);
        if (diagonal < 0)
            for (int64_t j = 0; j < d; j++) columns[j * m + k] = -columns[j * m + k];
        if (stopping(k, m)) return;
    }
    for (int64_t k = m - 1; k >= 0; k--)
        for (int64_t j = 0; j < d; j++)
            reflect(square + k * m + k, columns + j * m + k, m - k, lengths[k]);
}
