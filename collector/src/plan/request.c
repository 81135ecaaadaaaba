#include "plan/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plan/tree_name.h"

enum { LARGEST_FILE = 64 << 20 };

bool requested_file_read(struct requested_text *request, const char *path, char *message, size_t capacity) {
    snprintf(request->name, sizeof request->name, "%s", path);
    FILE *file = fopen(path, "rbe");
    struct stat status;
    bool is_read = file && fstat(fileno(file), &status) == 0;
    if (is_read && (!S_ISREG(status.st_mode) || status.st_size > LARGEST_FILE)) {
        errno = S_ISREG(status.st_mode) ? EFBIG : EISDIR;
        is_read = false;
    }
    if (is_read) {
        request->text = malloc((size_t)status.st_size + 1);
        is_read = request->text != NULL;
    }
    if (is_read) {
        request->length = fread(request->text, 1, (size_t)status.st_size, file);
        request->text[request->length] = '\0';
        is_read = !ferror(file);
    }
    if (!is_read)
        snprintf(message, capacity, "%s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    return is_read;
}

bool requested_tree_read(struct requested_text *request, const char *value, const char *prefix, char *message,
                         size_t capacity) {
    struct stat status;
    char text[1024];
    bool is_file = stat(value, &status) == 0 && !S_ISDIR(status.st_mode);
    size_t length = is_file ? 0 : tree_name_text(value, text, sizeof text);
    if (length) {
        snprintf(request->name, sizeof request->name, "%s%s", prefix, value);
        request->text = strdup(text);
        request->length = length;
        if (!request->text)
            snprintf(message, capacity, "%s%.200s: out of memory", prefix, value);
        return request->text != NULL;
    }
    if (is_file || strchr(value, '/') || strchr(value, '.'))
        return requested_file_read(request, value, message, capacity);
    tree_name_explain(value, text, sizeof text);
    snprintf(message, capacity, "%s%.200s: %s", prefix, value, text);
    return false;
}
