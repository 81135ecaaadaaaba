/* An entry of the table begins with a byte whose highest bit is set: bits 3 to 6 are the entry's form, bits 0 to 2 the
 * number of its code units less one. The rest depends on the form; columns are skipped. A line is the sum of the
 * entries' differences up to it. */
#include "python/frames/location_table.h"

enum { CODE_UNIT = 2 };

/* Forms. Forms below FIRST_ON_LINE have no line difference and one byte of columns. In the next three forms the form
 * itself tells the difference. */
enum { FIRST_ON_LINE = 10, LAST_ON_LINE = 12, WITHOUT_COLUMNS = 13, LONG = 14, WITHOUT_LINE = 15 };

/* Reads a number: six bits a byte, the lowest bits first. Bit 6 shows that more bytes follow. The lowest bit of the
 * result is the sign. */
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
