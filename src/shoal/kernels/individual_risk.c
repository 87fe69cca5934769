/* How likely a match with a record is right, given how many records and how many people share its values. */
#include "native.h"

enum { OFTEN = 1 << 12 };

/* The mean of 1/F, where F people are f records and a negative binomial number of others, each record drawn with chance
 * p: r_1 = (p/q) ln(1/p) and r_f = (p/q)(1/(f - 1) - r_(f-1)). A step forward multiplies an error by p/q, and a step
 * back by q/p. So it goes forward where errors stay small, from so far before f that they are gone where p < q, and back
 * from so far beyond f where p > q. */
static double shared(double f, double people) {
    double q = (people - f) / people, p = f / people;
    if (!(q > 0)) return 1 / f;
    double odds = p / q, steepness = log(odds), begin = 1, risk = -odds * log1p(-q);
    if (f * steepness > 7) {
        double at = f + ceil(32 / steepness);
        for (risk = p / (at - q); at > f; at--) risk = 1 / (at - 1) - risk / odds;
        return risk;
    }
    if (steepness < 0 && f + ceil(32 / steepness) > 1) {
        begin = f + ceil(32 / steepness);
        risk = p / (begin - q);
    }
    for (double at = begin + 1; at <= f; at++) risk = odds * (1 / (at - 1) - risk);
    return risk;
}

/* Give the risk of n groups of so many records, which stand for so many people. */
KERNEL void individual_risks(const double *records, const double *people, int64_t n, double *risks) {
    for (int64_t i = 0; i < n; i++) {
        risks[i] = shared(records[i], people[i]);
        if (i % OFTEN == 0 && stopping(i, n)) return;
    }
}
