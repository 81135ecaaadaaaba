#include "log/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "files/file_guard.h"

void log_line(const char *format, ...) {
    int kept = errno;
    char line[1024] = "hopscope: ";
    size_t prefix = 10;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        length = 0;
    size_t bytes = prefix + (size_t)length;
    if (bytes > sizeof line - 2)
        bytes = sizeof line - 2;
    line[bytes++] = '\n';
    struct file_guard guard; /* stderr may be a file */
    file_guard_begin(&guard);
    /* A stderr that is closed is no reason to fail. */
    if (write(STDERR_FILENO, line, bytes) < 0)
        errno = kept;
    file_guard_end(&guard);
    errno = kept;
}
