#include "record/definitions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_guard.h"
#include "json/json.h"

static int file = -1;
static definitions_failed *tell_of_failure;

int definitions_open(const char *directory, int world_rank, definitions_failed *failed) {
    tell_of_failure = failed;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/spool/%d.defs", directory, world_rank) >= (int)sizeof path)
        return ENAMETOOLONG;
    /* O_EXCL: an existing file is never overwritten. This rank may have run another program before an exec, which
     * recorded here. */
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    return file < 0 ? errno : 0;
}

void definitions_reopen(const char *directory, int world_rank) {
    char path[PATH_MAX];
    if (file < 0 && snprintf(path, sizeof path, "%s/spool/%d.defs", directory, world_rank) < (int)sizeof path)
        file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void definitions_close(void) {
    if (file >= 0)
        close(file);
    file = -1;
}

static bool reserve(struct line *line, size_t extra_length) {
    if (line->failed)
        return false;
    if (line->length + extra_length + 1 <= line->capacity)
        return true;
    size_t capacity = line->capacity ? line->capacity : 256;
    while (capacity < line->length + extra_length + 1)
        capacity *= 2;
    char *text = realloc(line->text, capacity);
    if (!text) {
        line->failed = true;
        return false;
    }
    line->text = text;
    line->capacity = capacity;
    return true;
}

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list second_pass;
    va_copy(second_pass, arguments);
    int text_length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (text_length >= 0 && reserve(line, (size_t)text_length)) {
        vsnprintf(line->text + line->length, (size_t)text_length + 1, format, second_pass);
        line->length += (size_t)text_length;
    }
    va_end(second_pass);
}

void line_begin(struct line *line, const char *kind) {
    *line = (struct line){0};
    add(line, "{\"def\":\"%s\"", kind);
}

void line_text(struct line *line, const char *key, const char *value) {
    add(line, ",\"%s\":", key);
    if (!value) {
        add(line, "null");
        return;
    }
    size_t text_length = json_quote(NULL, 0, value);
    if (reserve(line, text_length + 1)) {
        json_quote(line->text + line->length, text_length + 1, value);
        line->length += text_length;
    }
}

void line_number(struct line *line, const char *key, int64_t value) {
    add(line, ",\"%s\":%" PRId64, key, value);
}

void line_unsigned(struct line *line, const char *key, uint64_t value) {
    add(line, ",\"%s\":%" PRIu64, key, value);
}

void line_real(struct line *line, const char *key, double value) {
    /* %f would print the decimal point of the application's locale. */
    int64_t thousandths = (int64_t)(value * 1000 + 0.5);
    add(line, ",\"%s\":%" PRId64 ".%03" PRId64, key, thousandths / 1000, thousandths % 1000);
}

void line_key(struct line *line, const char *key, uint64_t value) {
    add(line, ",\"%s\":\"%016" PRIx64 "\"", key, value);
}

void line_boolean(struct line *line, const char *key, bool value) {
    add(line, ",\"%s\":%s", key, value ? "true" : "false");
}

void line_ranks(struct line *line, const char *key, const int *ranks, int count) {
    if (!ranks) {
        add(line, ",\"%s\":null", key);
        return;
    }
    add(line, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        add(line, i ? ",%d" : "%d", ranks[i]);
    add(line, "]");
}

void line_end(struct line *line) {
    int saved_errno = errno;
    add(line, "}\n");
    if (!line->failed && file >= 0) {
        /* Each line is one write to an O_APPEND file, so lines of different threads do not mix. */
        size_t offset = 0;
        struct file_guard guard;
        file_guard_begin(&guard);
        while (offset < line->length) {
            ssize_t written = write(file, line->text + offset, line->length - offset);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                break;
            offset += (size_t)written; /* if the disk was full, the write was incomplete and the next one fails */
        }
        file_guard_end(&guard);
        if (offset < line->length) {
            char reason[160];
            snprintf(reason, sizeof reason, "cannot write a definition: %s", strerror(errno));
            tell_of_failure(reason);
        }
    }
    free(line->text);
    *line = (struct line){0};
    errno = saved_errno;
}
