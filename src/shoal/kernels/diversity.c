/* How diverse the values of a group are. */
#include "native.h"

/* For each group: the number of different bins, the largest count, the sum of counts from the l-th largest on, the sum
 * of count * log(count), and the number of records without a value. bins lists the bin of each record, group after
 * group, or -1 where there is no value. Those may be anything: they are counted to the most frequent value, so that a
 * group never looks more diverse than it is. here begins at zero and has one place per bin; counts has room for the
 * largest group. */
KERNEL void diversity(const int32_t *bins, const int64_t *starts, int64_t groups, int64_t l, int64_t *here,
                      int64_t *counts, int64_t *distinct, int64_t *top, int64_t *tail, double *logs) {
    for (int64_t g = 0; g < groups; g++) {
        int64_t found = 0, unknown = 0;
        for (int64_t i = starts[g]; i < starts[g + 1]; i++)
            if (bins[i] < 0) unknown++;
            else here[bins[i]]++;
        for (int64_t i = starts[g]; i < starts[g + 1]; i++)
            if (bins[i] >= 0 && here[bins[i]] > 0) {
                int64_t count = here[bins[i]], j = found++;
                here[bins[i]] = 0;
                for (; j > 0 && counts[j - 1] < count; j--) counts[j] = counts[j - 1]; /* largest first */
                counts[j] = count;
            }
        if (found == 0) counts[found++] = 0;
        counts[0] += unknown;
        distinct[g] = found;
        top[g] = counts[0];
        tail[g] = 0;
        logs[g] = 0;
        for (int64_t j = 0; j < found; j++) {
            if (j + 1 >= l) tail[g] += counts[j];
            if (counts[j] > 1) logs[g] += (double)counts[j] * log((double)counts[j]);
        }
    }
}
