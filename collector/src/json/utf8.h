/* Recognises UTF-8 characters. */
#ifndef HOPSCOPE_UTF8_H
#define HOPSCOPE_UTF8_H

#include <stddef.h>

/* Number of bytes of the well-formed UTF-8 character at s; 0 if there is none (overlong forms and surrogates are
 * ill-formed). */
static inline size_t utf8_length(const unsigned char *s, size_t available) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || length > available)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

#endif
