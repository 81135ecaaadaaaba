#include "native/mpich/builds.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/sha256.h"

static const char *const tested_sums[] = {
    "86406bb225ffe9ef2f9176406407b4569671417d0ff3f3b8ac490c5380199f72", /* MPICH 4.0.2, Debian 12 (4.0.2-3+b1) */
    "ad61552225906fe1f388a398c7a32eb0f826973150dafa2011d6e9a012efb7d7", /* MPICH 5.0.2, PyPI */
    "0b7a6b01b8342c12453797f6f0bf2224d7d357ef8dfccd46ea2cd26ea646fb4d", /* Intel MPI 2021.18.1, PyPI */
};

static bool is_in_users_list(const char *sum) {
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[PATH_MAX], line[256];
    int length = folder && *folder ? snprintf(path, sizeof path, "%s/hopscope/native", folder)
                                   : snprintf(path, sizeof path, "%s/.config/hopscope/native", home ? home : "");
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    bool is_listed = false;
    while (file && !is_listed && fgets(line, sizeof line, file))
        is_listed = strncmp(line, sum, strlen(sum)) == 0;
    if (file)
        fclose(file);
    return is_listed;
}

bool mpich_build_is_known(const char *library) {
    char sum[SHA256_TEXT];
    if (!sha256_of_file(library, sum))
        return false;
    for (size_t i = 0; i < sizeof tested_sums / sizeof *tested_sums; i++)
        if (strcmp(sum, tested_sums[i]) == 0)
            return true;
    return is_in_users_list(sum);
}
