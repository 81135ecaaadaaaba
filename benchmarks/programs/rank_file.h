/* The file of a rank: a path with %d for the rank's number. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* Replaces the first %d by the rank. Without a %d all ranks have the same file. False if the path is too long.
 */
static bool rank_file(const char *pattern, int rank, char path[PATH_BYTES]) {
    const char *mark = strstr(pattern, "%d");
    int length = mark ? snprintf(path, PATH_BYTES, "%.*s%d%s", (int)(mark - pattern), pattern, rank, mark + 2)
                      : snprintf(path, PATH_BYTES, "%s", pattern);
    return length >= 0 && length < PATH_BYTES;
}
