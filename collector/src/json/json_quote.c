/* Writes a string as JSON. */
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "json/utf8.h"

/* Appends bytes while there is room, keeping one byte for the NUL. Counts all bytes, with or without room. */
static size_t put(char *buffer, size_t capacity, size_t used, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (used + i + 1 < capacity)
            buffer[used + i] = bytes[i];
    return used + length;
}

size_t json_quote(char *buffer, size_t capacity, const char *text) {
    size_t used = put(buffer, capacity, 0, "\"", 1);
    size_t remaining = strlen(text);
    while (remaining > 0) {
        unsigned char c = (unsigned char)*text;
        size_t bytes = utf8_length((const unsigned char *)text, remaining);
        char escape[8];
        if (c == '"' || c == '\\') {
            used = put(buffer, capacity, used, (char[]){'\\', (char)c}, 2);
        } else if (c == '\n') {
            used = put(buffer, capacity, used, "\\n", 2);
        } else if (c < 0x20 || c == 0x7F) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            used = put(buffer, capacity, used, escape, 6);
        } else if (bytes == 0) {
            used = put(buffer, capacity, used, "\\ufffd", 6);
            bytes = 1;
        } else {
            used = put(buffer, capacity, used, text, bytes);
        }
        text += bytes;
        remaining -= bytes;
    }
    used = put(buffer, capacity, used, "\"", 1);
    if (capacity > 0)
        buffer[used < capacity ? used : capacity - 1] = '\0';
    return used;
}
