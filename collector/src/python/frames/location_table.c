/* Reads CPython's location table. Each entry covers some code units (of two bytes) of the bytecode. It begins with a
 * byte whose highest bit is set: bits 3 to 6 are the entry's form, bits 0 to 2 the number of its code units less one.
 * The other bytes depend on the form; those for columns are skipped. An entry has the difference of its line to the
 * line of the entry before it, so the line is the sum of all differences up to the entry. */
#include "python/frames/location_table.h"

enum { CODE_UNIT = 2 };

/* Forms of entries. A form below FIRST_ON_LINE means the same line as before, and one byte for columns follows. For the
 * forms FIRST_ON_LINE to LAST_ON_LINE, the line difference is 0, 1 and 2. */
enum { FIRST_ON_LINE = 10, LAST_ON_LINE = 12, WITHOUT_COLUMNS = 13, LONG = 14, WITHOUT_LINE = 15 };

/* Reads a number that is stored with six bits per byte, the lowest bits first. In each byte, bit 6 shows that another
 * byte follows. The lowest bit of the number is its sign. */
static int signed_number(const uint8_t *bytes, const uint8_t *end) {
    uint32_t value = 0;
    unsigned shift = 0;
    for (; bytes < end && shift < 30; bytes++, shift += 6) {
        value |= (uint32_t)(*bytes & 0x3F) << shift;
        if (!(*bytes & 0x40))
            break;
    }
    return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

int location_table_line(const uint8_t *table, size_t bytes, int first_line, uint32_t instruction) {
    const uint8_t *next = table, *end = table + bytes;
    int line = first_line;
    uint32_t covered = 0;
    while (next < end) {
        uint8_t head = *next++;
        unsigned form = head >> 3 & 0xF;
        if (form == WITHOUT_COLUMNS || form == LONG)
            line += signed_number(next, end);
        else if (form >= FIRST_ON_LINE && form <= LAST_ON_LINE)
            line += (int)(form - FIRST_ON_LINE);
        covered += ((head & 7u) + 1) * CODE_UNIT;
        if (instruction < covered)
            return form == WITHOUT_LINE ? -1 : line;
        while (next < end && !(*next & 0x80))
            next++;
    }
    return -1;
}
