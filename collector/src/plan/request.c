#include "plan/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plan/tree_name.h"

enum { LARGEST_FILE = 64 << 20 };

bool requested_file_read(struct requested_text *out, const char *path, char *message, size_t capacity) {
    snprintf(out->name, sizeof out->name, "%s", path);
    FILE *file = fopen(path, "rbe");
    struct stat status;
    bool ok = file && fstat(fileno(file), &status) == 0;
    if (ok && (!S_ISREG(status.st_mode) || status.st_size > LARGEST_FILE)) {
        errno = S_ISREG(status.st_mode) ? EFBIG : EISDIR;
        ok = false;
    }
    if (ok) {
        out->text = malloc((size_t)status.st_size + 1);
        ok = out->text != NULL;
    }
    if (ok) {
        out->length = fread(out->text, 1, (size_t)status.st_size, file);
        out->text[out->length] = '\0';
        ok = !ferror(file);
    }
    if (!ok)
        snprintf(message, capacity, "%s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    return ok;
}

bool requested_tree_read(struct requested_text *out, const char *value, const char *prefix, char *message,
                         size_t capacity) {
    struct stat status;
    char text[1024];
    bool is_file = stat(value, &status) == 0 && !S_ISDIR(status.st_mode);
    size_t length = is_file ? 0 : tree_name_text(value, text, sizeof text);
    if (length) {
        snprintf(out->name, sizeof out->name, "%s%s", prefix, value);
        out->text = strdup(text);
        out->length = length;
        if (!out->text)
            snprintf(message, capacity, "%s%.200s: out of memory", prefix, value);
        return out->text != NULL;
    }
    if (is_file || strchr(value, '/') || strchr(value, '.'))
        return requested_file_read(out, value, message, capacity);
    tree_name_explain(value, text, sizeof text);
    snprintf(message, capacity, "%s%.200s: %s", prefix, value, text);
    return false;
}
