/* Random numbers that are looked up, not drawn: each depends on a key, on the number of the record and on the number of
 * the draw alone. So it is the same however records are divided. Philox 4x64 with ten rounds: J. K. Salmon and others,
 * Parallel random numbers: as easy as 1, 2, 3, SC 2011, doi:10.1145/2063384.2063405. */
#include "native.h"

enum { ROUNDS = 10, OFTEN = 1 << 15, PATIENCE = 10000 };

typedef struct {
    uint64_t word[4];
} Block;

/* The block of a key and a counter. */
static inline Block philox(const uint64_t *key, uint64_t first, uint64_t second) {
    uint64_t a = first, b = second, c = 0, d = 0, low = key[0], high = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        unsigned __int128 one = (unsigned __int128)0xD2E7470EE14C6C93u * a;
        unsigned __int128 two = (unsigned __int128)0xCA5A826395121157u * c;
        uint64_t was = b;
        a = (uint64_t)(two >> 64) ^ was ^ low;
        c = (uint64_t)(one >> 64) ^ d ^ high;
        b = (uint64_t)two;
        d = (uint64_t)one;
        low += 0x9E3779B97F4A7C15u;
        high += 0xBB67AE8584CAA73Bu;
    }
    return (Block){{a, b, c, d}};
}

/* 64 random bits for each record and draw. Four records share a block. */
KERNEL void random_words(const uint64_t *key, const int64_t *records, int64_t n, int64_t draw, uint64_t *words) {
    uint64_t known = UINT64_MAX;
    Block block = {{0}};
    for (int64_t i = 0; i < n; i++) {
        uint64_t record = (uint64_t)records[i];
        if (record >> 2 != known) block = philox(key, known = record >> 2, (uint64_t)draw);
        words[i] = block.word[record & 3];
        if (i % OFTEN == 0 && stopping(i, n)) return;
    }
}

/* The natural logarithm of a positive number, the same on every machine: libraries differ in the last digit. */
static double logarithm(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum + exponent * 0.69314718055994531;
}

static inline double ratio(const double *above, const double *below, double x) {
    double top = above[7], bottom = below[7];
    for (int i = 6; i >= 0; i--) {
        top = top * x + above[i];
        bottom = bottom * x + below[i];
    }
    return top / bottom;
}

/* Standard normal numbers from random bits, by the inverse of the distribution, to sixteen digits: M. J. Wichura,
 * Algorithm AS 241, Applied Statistics 37(3), 1988, doi:10.2307/2347330. */
KERNEL void normal_quantiles(const uint64_t *words, int64_t n, double *found) {
    static const double
        a[] = {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
               4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
        b[] = {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
               2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
        c[] = {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
               1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
               7.74545014278341407640e-4},
        d[] = {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
               1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
               1.05075007164441684324e-9},
        e[] = {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
               2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
               2.01033439929228813265e-7},
        f[] = {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
               7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
               2.04426310338993978564e-15};
    for (int64_t i = 0; i < n; i++) {
        double p = ((double)(words[i] >> 12) + 0.5) * 0x1p-52, q = p - 0.5;
        if (fabs(q) <= 0.425) {
            found[i] = q * ratio(a, b, 0.180625 - q * q);
        } else {
            double r = sqrt(-logarithm(q < 0 ? p : 1 - p));
            double size = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
            found[i] = q < 0 ? -size : size;
        }
        if (i % OFTEN == 0 && stopping(i, n)) return;
    }
}

/* A whole number below a limit from random bits. */
static inline int64_t within(uint64_t word, int64_t limit) {
    return (int64_t)((unsigned __int128)word * (uint64_t)limit >> 64);
}

/* Let ranks change places in pairs: the lowest that is still free with a free one above it, and so on. Which one: any
 * of the next so many with equal chance; or, with a scale, at a distance that is geometric and has no limit. partner
 * begins with every rank being its own. */
KERNEL void swap_ranks(const uint64_t *key, int64_t n, int64_t window, const double *scales, int32_t *partner) {
    double scale = scales[0];
    int64_t free_above = scale > 0 ? n - 1 : n - 1 < window ? n - 1 : window; /* among those that can be reached */
    for (int64_t i = 0; i < n; i++) {
        if (partner[i] == i && free_above > 0) {
            int64_t reach = n - 1 - i < window || scale > 0 ? n - 1 - i : window, at = -1;
            for (int64_t draw = 0; at < 0; draw++) {
                Block block = philox(key, (uint64_t)i, (uint64_t)draw);
                for (int turn = 0; turn < 4 && at < 0; turn++) {
                    int64_t step = within(block.word[turn], reach) + 1;
                    if (scale > 0) {
                        double far = -logarithm(((double)(block.word[turn] >> 12) + 0.5) * 0x1p-52) * scale;
                        step = far < (double)reach ? (int64_t)far + 1 : 0;
                        if (draw == PATIENCE) /* chances are next to nothing: then the nearest */
                            for (step = 1; partner[i + step] != i + step;) step++;
                    }
                    if (step && partner[i + step] == i + step) at = i + step;
                }
            }
            partner[i] = (int32_t)at;
            partner[at] = (int32_t)i;
            free_above--;
        }
        if (i + 1 < n && partner[i + 1] == i + 1) free_above--;
        if (scale <= 0 && i + 1 + window < n) free_above++; /* nobody could reach it before */
        if (i % OFTEN == 0 && stopping(i, n)) return;
    }
}
