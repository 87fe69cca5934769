/* What the compiled kernels share. They know arrays only: no schema, no frames, no files.
 *
 * Positions are 32-bit. Two are reserved: MISSING stands for a cell without a value, and the pair (MISSING, TOP) is
 * the wildcard. With this choice the hull of any cells is a plain minimum and maximum. Callers pass every piece of
 * memory, so nothing is allocated here and nothing can leak.
 */
#ifndef SHOAL_NATIVE_H
#define SHOAL_NATIVE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define MISSING INT32_MIN
#define TOP INT32_MAX

#ifdef _WIN32
#define KERNEL __declspec(dllexport)
#else
#define KERNEL __attribute__((visibility("default")))
#endif

/* Groups lie anywhere in memory. Kernels that follow labels ask for what a later row needs this many rows ahead, so
 * that the machine fetches many lines at once instead of waiting for one after the other. */
#define AHEAD 24
#define FETCH(address) __builtin_prefetch((const void *)(address))

/* A condition that holds as often as not: where the compiler knows how to say so, it chooses instead of jumping. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_unpredictable)
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#endif
#endif
#ifndef UNPREDICTABLE
#define UNPREDICTABLE(condition) (condition)
#endif

/* Do something for rows of m columns. For the usual widths m is a constant in it, so that loops over the columns of a
 * row become plain vector code. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define WIDTH(number, statement) case number: { enum { m = number }; statement; } break;
#define FOR_WIDTH(statement) \
    switch (m) { \
        WIDTH(1, statement) WIDTH(2, statement) WIDTH(3, statement) WIDTH(4, statement) WIDTH(5, statement) \
        WIDTH(6, statement) WIDTH(7, statement) WIDTH(8, statement) WIDTH(9, statement) WIDTH(10, statement) \
        WIDTH(11, statement) WIDTH(12, statement) default: statement; \
    }

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

/* The number behind a position: itself on a plain axis (offset < 0), looked up on a listed one. */
static inline double coordinate(int32_t position, int64_t offset, const double *table) {
    return offset < 0 ? (double)position : table[offset + position];
}

/* The number that a span counts with in means and distances: its middle. */
static inline double middle(int32_t lo, int32_t hi, int64_t offset, const double *table) {
    double a = coordinate(lo, offset, table);
    return lo == hi ? a : (a + coordinate(hi, offset, table)) / 2;
}

/* Say how much of a kernel's work is done; tells whether it is to stop and return at once. Fit for every ten
 * microseconds of work or so, not for every record. */
int stopping(int64_t done, int64_t total);

uint64_t *sort_packed(uint64_t *packed, uint64_t *spare, int64_t n);
void order_by_lengths(const uint64_t *bits, int64_t n, uint64_t *packed, uint64_t *spare, int32_t *order,
                      int32_t *scratch);

#endif
