/* Delimited text to numbers: one pass over the bytes, whole numbers parsed in place, other cells interned. */
#include "native.h"

enum { SKIP, NUMBER, TEXT };
enum { DONE, MORE_ROWS, MORE_WORDS, RAGGED, OPEN_QUOTE, LONG_CELL, BLANK };
enum { COLUMN, PLACE, LENGTH, CODE, LINE, FIELDS }; /* what is known of a distinct text */

/* The distinct texts found so far: a hash table of slots, and the texts themselves one behind the other. */
typedef struct {
    int32_t *slots;
    int64_t slot_count;
    int64_t *words;
    int64_t word_room;
    uint8_t *heap;
    int64_t heap_room;
    /* Number of words, filled part of the heap, then for each column its number of codes, and for each the word that
     * stood in it last, counted from 1; negative if it stood in quotes. */
    int64_t *state;
    int64_t columns;
    const uint64_t *key;
} Words;

static inline uint64_t turned(uint64_t x, int by) { return x << by | x >> (64 - by); }

static inline void sip_round(uint64_t v[4]) {
    v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
    v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

/* SipHash-1-3 of a text and its column: who does not know the key cannot make up texts that share a slot. */
static inline uint64_t hashed(const uint64_t *key, const uint8_t *text, int64_t size, int64_t column) {
    uint64_t one = key[0], other = key[1] + (uint64_t)column, word;
    uint64_t v[4] = {one ^ 0x736F6D6570736575u, other ^ 0x646F72616E646F6Du, one ^ 0x6C7967656E657261u,
                     other ^ 0x7465646279746573u};
    int64_t i = 0;
    for (; i + 8 <= size; i += 8) {
        memcpy(&word, text + i, 8);
        sip_word(v, word);
    }
    word = (uint64_t)size << 56;
    for (int64_t j = 0; i + j < size; j++) word ^= (uint64_t)text[i + j] << 8 * j;
    sip_word(v, word);
    v[2] ^= 0xFF;
    for (int round = 0; round < 3; round++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static int same(const Words *known, int64_t number, const uint8_t *text, int64_t size) {
    const int64_t *word = known->words + number * FIELDS;
    return word[LENGTH] == size && !memcmp(known->heap + word[PLACE], text, (size_t)size);
}

/* The slot of a text in the hash table, or the empty slot where it belongs. */
static int64_t find(const Words *known, const uint8_t *text, int64_t size, int64_t column) {
    int64_t slot = (int64_t)(hashed(known->key, text, size, column) & (uint64_t)(known->slot_count - 1));
    for (; known->slots[slot] >= 0; slot = (slot + 1) & (known->slot_count - 1)) {
        if (known->words[(int64_t)known->slots[slot] * FIELDS + COLUMN] == column && same(known, known->slots[slot], text, size))
            break;
    }
    return slot;
}

/* Fill a larger, empty hash table with the texts found so far. */
KERNEL void rehash(int32_t *slots, int64_t slot_count, int64_t *words, int64_t count, uint8_t *heap,
                   const uint64_t *key) {
    Words known = {slots, slot_count, words, count, heap, 0, 0, 0, key};
    for (int64_t w = 0; w < count; w++) {
        const int64_t *word = words + w * FIELDS;
        slots[find(&known, heap + word[PLACE], word[LENGTH], word[COLUMN])] = (int32_t)w;
    }
}

/* The word of a column that stands in front once more, without quotes, if it is the one of the row before; else 0.
 * Rows of a class stand together in a release, so that most cells are known before their ends are looked for. */
static inline const int64_t *repeated(const Words *known, const uint8_t *text, const uint8_t *end, int64_t column,
                                      uint8_t mark) {
    const int64_t last = known->state[2 + known->columns + column];
    if (last <= 0) return 0;
    const int64_t *word = known->words + (last - 1) * FIELDS;
    const int64_t size = word[LENGTH];
    if (end - text <= size || (text[size] != mark && (text[size] != '\n' || (size && text[size - 1] == '\r')))) return 0;
    return memcmp(known->heap + word[PLACE], text, (size_t)size) ? 0 : word;
}

/* The number of a text among all, stored when it is new; -1 when there is no room to store it. */
static int64_t stored(Words *known, const uint8_t *text, int64_t size, int64_t column, int64_t line) {
    int64_t slot = find(known, text, size, column);
    if (known->slots[slot] < 0) {
        int64_t *state = known->state;
        if (state[1] + size > known->heap_room) return -1;
        int64_t *word = known->words + state[0] * FIELDS;
        memcpy(known->heap + state[1], text, (size_t)size);
        word[COLUMN] = column;
        word[PLACE] = state[1];
        word[LENGTH] = size;
        word[CODE] = state[2 + column]++;
        word[LINE] = line;
        known->slots[slot] = (int32_t)state[0]++;
        state[1] += size;
    }
    return known->slots[slot];
}

/* The code of a text; -1 when it is new and there is no room to store it. */
static int64_t intern(Words *known, const uint8_t *text, int64_t size, int64_t column, int64_t line, int quoted) {
    int64_t *last = known->state + 2 + known->columns + column, number = (*last < 0 ? -*last : *last) - 1;
    if (number < 0 || !same(known, number, text, size)) number = stored(known, text, size, column, line);
    if (number < 0) return -1;
    *last = quoted ? -number - 1 : number + 1;
    return known->words[number * FIELDS + CODE];
}

/* A canonical integer of 32 bits, MISSING for an empty cell, TOP, which is no value, for anything else. */
static int32_t number(const uint8_t *text, int64_t size) {
    if (size == 0) return MISSING;
    int negative = text[0] == '-';
    const uint8_t *p = text + negative, *end = text + size;
    if (end - p > 10 || p == end || (*p == '0' && (end - p > 1 || negative))) return TOP;
    int64_t value = 0;
    for (; p < end; p++) {
        if ((uint8_t)(*p - '0') > 9) return TOP;
        value = value * 10 + (*p - '0');
    }
    if (value >= TOP) return TOP;
    return (int32_t)(negative ? -value : value);
}

/* Copy a cell that begins with a quote to scratch. Gives its length, and moves p behind it; -1 when the quote is not
 * closed before the end, -2 when the cell is longer than can be. What stands between the closing quote and the
 * delimiter belongs to the cell, as in other readers. */
static int64_t unquote(const uint8_t **place, const uint8_t *end, uint8_t delimiter, uint8_t *scratch, int64_t room,
                       int64_t *lines) {
    const uint8_t *p = *place + 1;
    int64_t length = 0;
    int open = 1;
    for (; p < end; p++) {
        if (open) {
            if (*p == '"') {
                if (p + 1 < end && p[1] == '"') p++;
                else {
                    open = 0;
                    continue;
                }
            } else if (*p == '\n') ++*lines;
        } else if (*p == delimiter || *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n')) {
            *place = p + (*p == '\r' && *p != delimiter);
            return length;
        }
        if (length == room) return -2;
        scratch[length++] = *p;
    }
    return -1;
}

/* How much text is cut into cells at a time, and how far it is looked beyond. */
enum { STRETCH = 2048, BEYOND = 16 };

/* Cells of up to eight digits: where each ends, and its digits, the last one on top, as one number or two halves. */
typedef struct {
    uint16_t ends[STRETCH];
    union {
        uint64_t digits[STRETCH];
        uint32_t halves[2 * STRETCH];
    };
} Cut;

/* Cut a stretch of text into cells; gives how many there are, or 0 where any is not one to eight digits without a zero
 * before others. What ends cells is found first, for all bytes alike, so that no cell waits for the one before. */
static int64_t cut(const uint8_t *text, Cut *cells) {
    uint8_t other[STRETCH + BEYOND], odd = 0;
    for (int64_t i = 0; i < STRETCH + BEYOND; i++) other[i] = (uint8_t)(text[i] - '0') > 9;
    for (int64_t i = 0; i < STRETCH; i++) odd |= other[i] & (other[i + 1] | ((text[i + 1] == '0') & ~other[i + 2]));
    odd |= other[0] | ((text[0] == '0') & ~other[1]);
    int64_t found = 0, first = 0, spare = 0;
    for (int64_t at = 0; at < STRETCH; at += 64) {
        uint64_t set = 0, bytes;
        for (int64_t i = 0; i < 64; i += 8) {
            memcpy(&bytes, other + at + i, 8);
            set |= (bytes * 0x0102040810204080u >> 56) << i; /* the lowest bits of eight bytes, side by side */
        }
        for (; set; set &= set - 1) {
            int64_t end = at + __builtin_ctzll(set);
            memcpy(&bytes, text + first, 8);
            spare |= 8 - (end - first);
            cells->digits[found] = bytes << (8 * (first - end) & 63);
            cells->ends[found++] = (uint16_t)end;
            first = end + 1;
        }
    }
    return odd || spare < 0 ? 0 : found;
}

/* Read rows of plain numbers: gives how many a stretch of text begins with, and moves place behind them. A stretch in
 * which a cell is anything else is not read at all. */
static int64_t plain_rows(const uint8_t **place, uint8_t mark, const int32_t *targets, int64_t columns, int32_t *cells,
                          int64_t width, int32_t *others, int64_t other_width, int64_t room) {
    Cut from;
    const uint8_t *text = *place;
    int64_t rows = cut(text, &from) / columns;
    rows = rows < room ? rows : room;
    for (int64_t i = 0; i < 2 * rows * columns; i++) { /* the digits of neighbours together, then those of twos */
        uint32_t twos = (from.halves[i] & 0x0F0F0F0F) * (10 << 8 | 1) >> 8;
        from.halves[i] = (twos & 0x00FF00FF) * (100 << 16 | 1) >> 16;
    }
    uint8_t strange = 0;
    for (int64_t column = 0; column < columns; column++) {
        int64_t target = targets[column], step = target >= 0 ? width : other_width;
        int32_t *out = target >= 0 ? cells + target : others - 1 - target;
        const uint8_t last = column + 1 < columns ? mark : '\n';
        for (int64_t row = 0, i = column; row < rows; row++, i += columns, out += step) {
            *out = (int32_t)(from.halves[2 * i] * 10000 + from.halves[2 * i + 1]);
            strange |= text[from.ends[i]] ^ last;
        }
    }
    if (strange || rows == 0) return 0;
    *place += from.ends[rows * columns - 1] + 1;
    return rows;
}

/* Read whole rows of buffer[start..stop-1] into two matrices; where tells status, place, row, line and a detail.
 *
 * The last byte must be a line feed, so that no cell without quotes runs beyond it. A column's target is its place in
 * cells, or, counted down from -1, in others. irregular counts per number column the cells that are no canonical
 * integers: the caller then reads the column again as text. */
KERNEL void read_rows(const uint8_t *buffer, int64_t start, int64_t stop, int32_t delimiter, const int32_t *modes,
                      const int32_t *targets, int64_t columns, int32_t *cells, int64_t width, int32_t *others,
                      int64_t other_width, int64_t row_room, int32_t *slots, int64_t slot_count, int64_t *words,
                      int64_t word_room, uint8_t *heap, int64_t heap_room, int64_t *state, const uint64_t *key,
                      int64_t *irregular, uint8_t *scratch, int64_t scratch_room, int64_t *where) {
    Words known = {slots, slot_count, words, word_room, heap, heap_room, state, columns, key};
    const uint8_t mark = (uint8_t)delimiter, *end = buffer + stop, *place = buffer + start;
    int64_t row = where[2], line = where[3], status = DONE, detail = 0;
    int plain = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* so that digits are in their order */
    for (int64_t column = 0; column < columns; column++) plain = plain && modes[column] == NUMBER;
    int64_t next = plain ? start : stop, careful = STRETCH; /* where, and after how much, rows may be plain again */
    while (place < end) {
        if (row >= row_room) {
            status = MORE_ROWS;
            break;
        }
        if (place - buffer >= next && end - place >= STRETCH + BEYOND) {
            int64_t rows = plain_rows(&place, mark, targets, columns, cells + row * width, width,
                                      others + row * other_width, other_width, row_room - row);
            row += rows;
            line += rows;
            careful = rows > 0 ? STRETCH : 2 * careful;
            if (rows > 0) continue;
            next = place - buffer + careful;
        }
        /* A row that may need more room than is left must not be begun: nothing is taken back. */
        if (state[0] + columns >= word_room || 2 * (state[0] + columns) >= slot_count) {
            status = MORE_WORDS;
            break;
        }
        const uint8_t *p = place;
        int32_t *row_cells = cells + row * width, *row_others = others + row * other_width - 1;
        int64_t column = 0, lines = 1;
        for (;;) {
            int32_t mode = modes[column];
            int64_t value = 0;
            const uint8_t *first = p;
            if (mode == NUMBER) {
                /* The hot path: up to nine digits that end at a delimiter need no second look. */
                uint32_t digit, small = 0;
                while ((digit = (uint32_t)*p - '0') < 10) small = small * 10 + digit, p++;
                const uint8_t c = *p;
                const int64_t digits = p - first;
                if ((uint64_t)(digits - 1) < 9 && (c == mark || c == '\n') && (*first != '0' || digits == 1)) {
                    int32_t target = targets[column];
                    *(target >= 0 ? row_cells + target : row_others - target) = (int32_t)small;
                    p++;
                    column++;
                    if (c == '\n') break;
                    if (column < columns) continue;
                    goto too_many;
                }
                p = first;
            }
            const int64_t *word = mode == TEXT ? repeated(&known, p, end, column, mark) : 0;
            if (word) {
                p += word[LENGTH];
                value = word[CODE];
            } else if (mode == NUMBER && *p != '"') {
                while (*p != mark && *p != '\n') p++;
                value = number(first, p - first - (*p == '\n' && p > first && p[-1] == '\r'));
                irregular[column] += value == TOP;
                if (p - first > scratch_room) status = LONG_CELL;
            } else if (*p != '"') {
                while (*p != mark && *p != '\n') p++;
                int64_t size = p - first - (*p == '\n' && p > first && p[-1] == '\r');
                if (size > scratch_room) {
                    status = LONG_CELL;
                } else if (mode == TEXT && (value = intern(&known, first, size, column, line, 0)) < 0) {
                    status = MORE_WORDS;
                    detail = size;
                }
            } else {
                int64_t size = unquote(&p, end, mark, scratch, scratch_room, &lines);
                if (size < 0) {
                    status = size == -1 ? OPEN_QUOTE : LONG_CELL;
                } else if (mode == NUMBER) {
                    value = number(scratch, size);
                    irregular[column] += value == TOP;
                } else if (mode == TEXT && (value = intern(&known, scratch, size, column, line, 1)) < 0) {
                    status = MORE_WORDS;
                    detail = size;
                }
            }
            if (status != DONE) goto out;
            if (mode != SKIP) {
                int32_t target = targets[column];
                *(target >= 0 ? row_cells + target : row_others - target) = (int32_t)value;
            }
            column++;
            if (*p++ == '\n') break;
            if (column == columns) goto too_many;
        }
        if (column < columns) {
            if (column == 1 && (*place == '\n' || (*place == '\r' && place[1] == '\n'))) {
                status = BLANK;
                place = p;
                line++;
            } else {
                status = RAGGED;
                detail = column;
            }
            break;
        }
        place = p;
        row++;
        line += lines;
        continue;
    too_many:
        detail = columns + 1;
        for (int inside = 0; p < end && (inside || *p != '\n'); p++) {
            inside ^= *p == '"';
            detail += *p == mark && !inside;
        }
        status = RAGGED;
        goto out;
    }
out:
    where[0] = status;
    where[1] = place - buffer;
    where[2] = row;
    where[3] = line;
    where[4] = detail;
}
