#include "log/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/file_guard.h"

enum { LONGEST_LINE = 1024 };

/* Number of bytes of the control character at `text`: ASCII's (C0, DEL), or a C1 character in UTF-8. 0: it is not a
 * control character. */
static size_t control_at(const unsigned char *text) {
    if (text[0] < 0x20 || text[0] == 0x7f)
        return 1;
    return text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f ? 2 : 0;
}

/* Appends the text with escape characters as \x1b and so on, because names of regions, hosts and files may contain
 * anything. Returns the new length, at most `capacity`. */
static size_t append_visible(char *line, size_t length, size_t capacity, const char *text) {
    const unsigned char *next = (const unsigned char *)text;
    while (*next) {
        char visible[5] = {(char)*next};
        size_t control_bytes = control_at(next);
        if (control_bytes)
            snprintf(visible, sizeof visible, "\\x%02x", (unsigned)next[control_bytes - 1]);
        size_t bytes = strlen(visible);
        if (length + bytes > capacity)
            break;
        memcpy(line + length, visible, bytes);
        length += bytes;
        next += control_bytes ? control_bytes : 1;
    }
    return length;
}

void log_line(const char *format, ...) {
    int saved_errno = errno;
    char text[LONGEST_LINE] = "", line[LONGEST_LINE] = "hopscope: ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t bytes = append_visible(line, strlen(line), sizeof line - 1, text);
    line[bytes++] = '\n';
    struct file_guard guard; /* stderr may be a file, whose size the user may have limited */
    file_guard_begin(&guard);
    /* A closed stderr is not a failure. */
    if (write(STDERR_FILENO, line, bytes) < 0)
        errno = saved_errno;
    file_guard_end(&guard);
    errno = saved_errno;
}
