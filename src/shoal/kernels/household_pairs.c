/* Targeted record swapping: households choose a partner to exchange their places with.
 *
 * Households that agree on a profile stand side by side in the order of their areas, so that those of an area that
 * agree are a stretch of those that agree. A tree of sums (Fenwick) over that order gives one of them with a
 * probability in proportion to its weight, its own area left out, in as many steps as their number has digits. */
#include "native.h"

/* Sum the weights before a place. */
static uint64_t before(const uint64_t *tree, int64_t place) {
    uint64_t sum = 0;
    for (; place > 0; place &= place - 1) sum += tree[place];
    return sum;
}

static void take(uint64_t *tree, int64_t n, int64_t place, uint64_t weight) {
    for (place++; place <= n; place += place & -place) tree[place] -= weight;
}

/* Give the place at which the running sum of the weights goes beyond a number. */
static int64_t place_of(const uint64_t *tree, int64_t n, uint64_t number) {
    int64_t place = 0, step = 1;
    while (2 * step <= n) step *= 2;
    for (; step > 0; step /= 2)
        if (place + step <= n && tree[place + step] <= number) {
            place += step;
            number -= tree[place];
        }
    return place;
}

/* Multiply a number below a sum by a fraction of 64 bits. */
static uint64_t share(uint64_t whole, uint64_t fraction) {
    uint64_t high = fraction >> 32, low = fraction & 0xffffffff, a = whole >> 32, b = whole & 0xffffffff;
    uint64_t middle = a * low + (b * low >> 32), other = b * high + (middle & 0xffffffff);
    return a * high + (middle >> 32) + (other >> 32);
}

/* Let households, in an order, choose a partner among those that have none, if their area still wants some.
 *
 * Of each profile, order has the households in their order and place where each stands in it; of each household, ends
 * has where those begin and end that agree with it, and where those of its area do. weights sum up to less than 2^63.
 * Profiles are tried in turn. wanted has how many households of each area are still to be swapped; partner has -1 for
 * those that have none. missed says which of the households found nobody. tree has room for one sum more than there are
 * households, for each profile. */
KERNEL void pair_households(int64_t households, int64_t profiles, const int32_t *order, const int32_t *place,
                            const int32_t *ends, const int64_t *weights, const int32_t *area, int64_t *wanted,
                            const int32_t *choosing, int64_t choices, const uint64_t *drawn, uint64_t *tree,
                            int32_t *partner, uint8_t *missed) {
    int64_t n = households;
    for (int64_t p = 0; p < profiles; p++) {
        uint64_t *sums = tree + p * (n + 1);
        sums[0] = 0;
        for (int64_t i = 0; i < n; i++) {
            int32_t h = order[p * n + i];
            sums[i + 1] = partner[h] < 0 ? (uint64_t)weights[h] : 0;
        }
        for (int64_t i = 1; i <= n; i++) {
            int64_t above = i + (i & -i);
            if (above <= n) sums[above] += sums[i];
        }
    }
    for (int64_t c = 0; c < choices; c++) {
        if (c % 64 == 0 && stopping(c, choices)) return;
        int32_t h = choosing[c];
        missed[c] = 0;
        if (partner[h] >= 0 || wanted[area[h]] <= 0) continue;
        int32_t found = -1;
        for (int64_t p = 0; p < profiles && found < 0; p++) {
            const uint64_t *sums = tree + p * (n + 1);
            const int32_t *mine = ends + (p * n + h) * 4;
            uint64_t first = before(sums, mine[0]), near = before(sums, mine[2]);
            uint64_t own = before(sums, mine[3]) - near, others = before(sums, mine[1]) - first - own;
            if (others == 0) continue;
            uint64_t number = first + share(others, drawn[c]);
            if (number >= near) number += own;
            found = order[p * n + place_of(sums, n, number)];
        }
        if (found < 0) {
            missed[c] = 1;
            continue;
        }
        partner[h] = found, partner[found] = h;
        wanted[area[h]]--, wanted[area[found]]--;
        for (int64_t p = 0; p < profiles; p++) {
            take(tree + p * (n + 1), n, place[p * n + h], (uint64_t)weights[h]);
            take(tree + p * (n + 1), n, place[p * n + found], (uint64_t)weights[found]);
        }
    }
}
