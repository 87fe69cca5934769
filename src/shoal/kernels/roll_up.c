/* Rolling up: the classes of a coarser node of a lattice of levels, from those of a finer one and never from rows.
 *
 * A class is a key of some 64-bit words, in which each column has a field of bits for the number of its value; fields
 * do not reach over the end of a word. */
#include "native.h"

static inline uint64_t mixed(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    return x * 0xD6E8FEB86659FD93u;
}

/* How many keys are looked at together, and the most words of a key. */
enum { BLOCK = 32, WORDS = 8 };

/* What is above the values of a key: number columns go to other values, listed one column after the other. */
typedef struct {
    int64_t number;
    const int64_t *word, *shift, *width, *from;
    const int32_t *above;
} Steps;

ALWAYS_INLINE void climb(const Steps *steps, uint64_t *key) {
    for (int64_t c = 0; c < steps->number; c++) {
        uint64_t *word = key + steps->word[c];
        uint64_t value = *word >> steps->shift[c] & (((uint64_t)1 << steps->width[c]) - 1);
        *word ^= (value ^ (uint64_t)steps->above[steps->from[c] + (int64_t)value]) << steps->shift[c];
    }
}

/* Classes may be written over those that they are made of: none is written before it is read. */
ALWAYS_INLINE int64_t rolled(const uint64_t *keys, const int64_t *counts, int64_t n, int64_t words, const Steps *steps,
                             int32_t *slots, int64_t bits, uint64_t *out, int64_t *sums, int32_t *labels) {
    int64_t found = 0, most_bits = 4;
    while (most_bits < bits && (int64_t)1 << most_bits < 2 * n) most_bits++;
    uint64_t mask = ((uint64_t)1 << most_bits) - 1;
    int64_t down = 64 - most_bits;
    memset(slots, 0xFF, sizeof(int32_t) << most_bits);
    for (int64_t first = 0; first < n; first += BLOCK) { /* slots are fetched for a block before they are looked at */
        int64_t size = n - first < BLOCK ? n - first : BLOCK;
        uint64_t block[BLOCK * WORDS], places[BLOCK];
        int64_t number[BLOCK];
        for (int64_t i = 0; i < size; i++) {
            uint64_t *key = block + i * words, hash = 0;
            number[i] = counts[first + i];
            for (int64_t w = 0; w < words; w++) key[w] = keys[(first + i) * words + w];
            climb(steps, key);
            for (int64_t w = 0; w < words; w++) hash = mixed(hash ^ key[w]);
            places[i] = hash >> down;
            FETCH(slots + places[i]);
        }
        for (int64_t i = 0; i < size; i++) {
            int32_t here = slots[places[i]];
            if (here >= 0) FETCH(out + here * words);
        }
        for (int64_t i = 0; i < size; i++) {
            const uint64_t *key = block + i * words;
            for (uint64_t at = places[i];; at = (at + 1) & mask) {
                int32_t here = slots[at];
                if (here < 0) {
                    slots[at] = here = (int32_t)found++;
                    for (int64_t w = 0; w < words; w++) out[here * words + w] = key[w];
                    sums[here] = number[i];
                } else {
                    int same = 1;
                    for (int64_t w = 0; w < words; w++) same &= out[here * words + w] == key[w];
                    if (!same) continue;
                    sums[here] += number[i];
                }
                if (labels) labels[first + i] = here;
                break;
            }
        }
    }
    return found;
}

static int64_t roll(const uint64_t *keys, const int64_t *counts, int64_t n, int64_t words, const Steps *steps,
                    int32_t *slots, int64_t bits, uint64_t *out, int64_t *sums, int32_t *labels) {
    switch (words) {
        case 1: return rolled(keys, counts, n, 1, steps, slots, bits, out, sums, labels);
        case 2: return rolled(keys, counts, n, 2, steps, slots, bits, out, sums, labels);
        default: return rolled(keys, counts, n, words, steps, slots, bits, out, sums, labels);
    }
}

/* Replace values by those above them in some columns, and add up the counts of what becomes equal; gives how many
 * classes there are, in the order in which they are first met. There are 2^bits slots, at least twice the classes. */
KERNEL int64_t roll_up(const uint64_t *keys, const int64_t *counts, int64_t n, int64_t words, int64_t number,
                       const int64_t *word, const int64_t *shift, const int64_t *width, const int64_t *from,
                       const int32_t *above, int64_t bits, int32_t *slots, uint64_t *out, int64_t *sums,
                       int32_t *labels) {
    Steps steps = {number, word, shift, width, from, above};
    return roll(keys, counts, n, words, &steps, slots, bits, out, sums, labels);
}

/* How many records are in classes that break a promise, or have fewer than k; then classes, and the squares of their
 * sizes, of those that are kept and of all. The records that break it are counted by value, column after column, if
 * there is a place for that. */
KERNEL void count_outliers(const uint64_t *keys, const int64_t *counts, int64_t n, int64_t words,
                           const uint8_t *broken, int64_t k, int64_t columns, const int64_t *word,
                           const int64_t *shift, const int64_t *width, const int64_t *from, int64_t *by_value,
                           int64_t *found) {
    int64_t outliers = 0, kept = 0, squares = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = counts[i];
        all += count * count;
        if (count >= k && !(broken && broken[i])) {
            kept++;
            squares += count * count;
            continue;
        }
        outliers += count;
        for (int64_t c = 0; by_value && c < columns; c++) {
            uint64_t value = keys[i * words + word[c]] >> shift[c] & (((uint64_t)1 << width[c]) - 1);
            by_value[from[c] + (int64_t)value] += count;
        }
    }
    found[0] = outliers, found[1] = kept, found[2] = squares, found[3] = all;
}

/* Go through all nodes of a lattice, whose last column changes fastest, each from the next finer one on the way.
 *
 * Column c has the levels 0 to tops[c], and from[c * stride + l] says where the values above those of level l begin,
 * and where the weights of these values do. strides tells the number of a node by its levels. Buffers hold n classes
 * for each column. Of each node: records in classes of fewer than k, classes, the squares of the sizes of classes that
 * are kept, and for each column the weights of the records that are not. */
KERNEL int64_t walk_lattice(const uint64_t *keys, const int64_t *counts, int64_t n, int64_t words, int64_t k,
                            int64_t columns, const int64_t *word, const int64_t *shift, const int64_t *width,
                            const int64_t *tops, const int64_t *strides, const int64_t *from, int64_t stride,
                            const int32_t *above, const int64_t *weights, int64_t bits, int32_t *slots,
                            uint64_t *buffers, int64_t *sums, int64_t *sizes, int64_t *level, int64_t *source,
                            int64_t nodes, int64_t *outliers, int64_t *classes, int64_t *squares, int64_t *weighed) {
    int64_t node = 0;
    for (int64_t c = 0; c < columns; c++) level[c] = 0, source[c] = -1;
    for (int64_t done = 0; done < nodes; done++) {
        int64_t last = source[columns - 1], size = last < 0 ? n : sizes[last], few = 0, kept = 0;
        const uint64_t *key = last < 0 ? keys : buffers + last * n * words;
        const int64_t *count = last < 0 ? counts : sums + last * n;
        int64_t *weight = weighed + node * columns;
        if (stopping(done, nodes)) return 0;
        for (int64_t c = 0; c < columns; c++) weight[c] = 0;
        for (int64_t i = 0; i < size; i++) {
            if (count[i] >= k) {
                kept += count[i] * count[i];
                continue;
            }
            few += count[i];
            for (int64_t c = 0; c < columns; c++) {
                uint64_t value = key[i * words + word[c]] >> shift[c] & (((uint64_t)1 << width[c]) - 1);
                weight[c] += count[i] * weights[from[c * stride + level[c]] + (int64_t)value];
            }
        }
        outliers[node] = few, classes[node] = size, squares[node] = kept;
        int64_t at = columns - 1;
        while (at >= 0 && level[at] == tops[at]) node -= level[at] * strides[at], level[at--] = 0;
        if (at < 0) break;
        int64_t below = source[at];
        Steps step = {1, word + at, shift + at, width + at, from + at * stride + level[at], above};
        sizes[at] = roll(below < 0 ? keys : buffers + below * n * words, below < 0 ? counts : sums + below * n,
                         below < 0 ? n : sizes[below], words, &step, slots, bits, buffers + at * n * words,
                         sums + at * n, NULL);
        level[at]++;
        node += strides[at];
        for (int64_t c = at; c < columns; c++) source[c] = at;
    }
    return 1;
}

/* Find the place of each key among others, which are sorted in ascending order as rows of words; -1 where it is not. */
KERNEL void find_keys(const uint64_t *keys, int64_t n, int64_t words, const uint64_t *among, int64_t number,
                      int32_t *places) {
    for (int64_t i = 0; i < n; i++) {
        int64_t low = 0, high = number;
        const uint64_t *key = keys + i * words;
        while (low < high) {
            int64_t middle = (low + high) / 2, w = 0;
            const uint64_t *other = among + middle * words;
            while (w < words - 1 && other[w] == key[w]) w++;
            if (other[w] < key[w]) low = middle + 1;
            else high = middle;
        }
        int same = low < number;
        for (int64_t w = 0; same && w < words; w++) same = among[low * words + w] == key[w];
        places[i] = same ? (int32_t)low : -1;
    }
}
