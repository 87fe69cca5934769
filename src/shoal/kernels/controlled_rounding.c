/* Unbiased controlled rounding: a table of numbers becomes one of whole numbers with the same sums of rows and columns.
 *
 * Every cell goes up or down to a neighbouring whole number, and each goes up as often as its fraction says. Cells that
 * are not whole are walked along, by row and by column in turn, until the walk meets itself. On that circle cells are
 * raised and lowered in turn, which leaves all sums alone, as far as one way or the other makes a cell whole. */
#include "native.h"

#define SLACK 1e-6

static int whole(double f) { return f < SLACK || f > 1 - SLACK; }

/* Give the first cell of a line (a row or a column) from a place on that is not whole, leaving one out; -1 if none. */
static int64_t open_cell(const double *cells, int64_t step, int64_t size, int64_t from, int64_t without) {
    for (int64_t i = from; i < size; i++)
        if (i != without && !whole(cells[i * step])) return i;
    return -1;
}

/* Round the fractions of a table of rows and columns; drawn has a number from 0 to below 1 for each of its cells.
 *
 * walk has room for all rows and columns, and seen, which begins at -1, a place for each; first begins at 0 and says
 * from where each row and then each column may have cells that are not whole. */
KERNEL void round_fractions(double *fractions, int64_t rows, int64_t columns, const double *drawn, int64_t *walk,
                            int64_t *seen, int64_t *first) {
    int64_t draws = 0;
    for (int64_t start = 0; start < rows;) {
        if (stopping(start, rows)) return;
        int64_t length = 0, node = start, came = -1, circle = -1;
        while (1) { /* nodes are rows, and behind them columns */
            int row = node < rows;
            const double *line = row ? fractions + node * columns : fractions + (node - rows);
            int64_t step = row ? 1 : columns, size = row ? columns : rows;
            while (first[node] < size && whole(line[first[node] * step])) first[node]++;
            int64_t next = open_cell(line, step, size, first[node], came);
            walk[length] = node;
            seen[node] = length++;
            if (next < 0) break;
            came = row ? node : node - rows;
            node = row ? rows + next : next;
            if (seen[node] >= 0) {
                circle = seen[node];
                break;
            }
        }
        if (circle >= 0) {
            double up = 1, down = 1; /* how far cells at even places can be raised, and lowered */
            for (int pass = 0; pass < 2; pass++) {
                double change = pass == 0 ? 0 : drawn[draws++] * (up + down) < down ? up : -down;
                for (int64_t i = circle; i < length; i++) {
                    int64_t a = walk[i], b = i + 1 < length ? walk[i + 1] : walk[circle];
                    double *f = fractions + (a < rows ? a * columns + (b - rows) : b * columns + (a - rows));
                    int even = (i - circle) % 2 == 0;
                    double above = even ? 1 - *f : *f, below = even ? *f : 1 - *f;
                    if (pass == 0) up = above < up ? above : up, down = below < down ? below : down;
                    else {
                        *f += even ? change : -change;
                        if (whole(*f)) *f = *f < 0.5 ? 0 : 1;
                    }
                }
            }
        } else if (length > 1) { /* what is left over of a line by the error of its sum */
            int64_t a = walk[length - 2], b = walk[length - 1];
            double *f = fractions + (a < rows ? a * columns + (b - rows) : b * columns + (a - rows));
            *f = *f < 0.5 ? 0 : 1;
        } else start++;
        for (int64_t i = 0; i < length; i++) seen[walk[i]] = -1;
    }
}
