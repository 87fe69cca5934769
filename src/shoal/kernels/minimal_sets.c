/* Which sets of columns are the smallest that do something for a record: none of them holds another. */
#include "native.h"

/* Add a set, as the bits of its columns, to the records that have no set inside it so far. The sets of a record are
 * linked: the last is at heads[record], and the one before the i-th of all at before[i]; -1 ends them. Gives how many
 * sets there are then. */
KERNEL int64_t add_minimal(const int32_t *records, int64_t n, int64_t set, int64_t used, int32_t *heads,
                           int32_t *before, int32_t *owners, int64_t *sets) {
    for (int64_t i = 0; i < n; i++) {
        int32_t record = records[i], at = heads[record];
        while (at >= 0 && (sets[at] & ~set)) at = before[at];
        if (at >= 0) continue;
        before[used] = heads[record];
        owners[used] = record;
        sets[used] = set;
        heads[record] = (int32_t)used++;
    }
    return used;
}
