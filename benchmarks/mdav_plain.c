/* MDAV as it is told: every step looks at every record that is left. The yardstick for shoal's own.
 *
 * It shares nothing with shoal but two conventions, without which ties would fall differently: distances are summed
 * column after column, and the sums behind the mean are kept in fixed point, as multiples of 2^-30 and of 2^-62. */
#include <math.h>
#include <stdint.h>

typedef struct {
    const double *points;
    int64_t m, left;
    int32_t *rows; /* those that are left, ascending */
    int64_t *whole, *part;
    int32_t *labels;
} Rest;

static double distance(const double *a, const double *b, int64_t m) {
    double total = 0;
    for (int64_t j = 0; j < m; j++) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

static void add(Rest *rest, int32_t row, int64_t sign) {
    for (int64_t j = 0; j < rest->m; j++) {
        double scaled = ldexp(rest->points[row * rest->m + j], 30), whole = rint(scaled);
        rest->whole[j] += sign * (int64_t)whole;
        rest->part[j] += sign * (int64_t)rint(ldexp(scaled - whole, 32));
    }
}

static int32_t farthest(const Rest *rest, const double *query) {
    double most = -1;
    int32_t found = -1;
    for (int64_t i = 0; i < rest->left; i++) {
        double here = distance(rest->points + rest->rows[i] * rest->m, query, rest->m);
        if (here > most) most = here, found = rest->rows[i];
    }
    return found;
}

/* Form the class of a record and the k - 1 that are nearest to it. */
static void take(Rest *rest, int32_t centre, int64_t k, int32_t class, double *near, int32_t *who) {
    int64_t number = 0, kept = 0;
    for (int64_t i = 0; i < rest->left; i++) {
        if (rest->rows[i] == centre) continue;
        double here = distance(rest->points + rest->rows[i] * rest->m, rest->points + centre * rest->m, rest->m);
        if (number == k - 1 && (k == 1 || here >= near[number - 1])) continue;
        int64_t seat = number < k - 1 ? number++ : number - 1;
        for (; seat > 0 && near[seat - 1] > here; seat--) near[seat] = near[seat - 1], who[seat] = who[seat - 1];
        near[seat] = here;
        who[seat] = rest->rows[i];
    }
    rest->labels[centre] = class;
    for (int64_t i = 0; i < number; i++) rest->labels[who[i]] = class;
    for (int64_t i = 0; i < rest->left; i++)
        if (rest->labels[rest->rows[i]] < 0) rest->rows[kept++] = rest->rows[i];
        else add(rest, rest->rows[i], -1);
    rest->left = kept;
}

__attribute__((visibility("default"))) int64_t mdav_plain(const double *points, int64_t n, int64_t m, int64_t k,
                                                          int32_t *rows, int64_t *sums, double *middle, double *near,
                                                          int32_t *who, int32_t *labels) {
    Rest rest = {points, m, n, rows, sums, sums + m, labels};
    int32_t class = 0;
    for (int64_t j = 0; j < 2 * m; j++) sums[j] = 0;
    for (int32_t i = 0; i < n; i++) rows[i] = i, labels[i] = -1, add(&rest, i, 1);
    while (rest.left >= 2 * k) {
        int two = rest.left >= 3 * k;
        for (int64_t j = 0; j < m; j++)
            middle[j] = ldexp((double)rest.whole[j] + ldexp((double)rest.part[j], -32), -30) / (double)rest.left;
        int32_t first = farthest(&rest, middle);
        take(&rest, first, k, class++, near, who);
        if (two) take(&rest, farthest(&rest, points + first * m), k, class++, near, who);
    }
    for (int64_t i = 0; i < rest.left; i++) labels[rest.rows[i]] = class;
    return class + (rest.left > 0);
}
