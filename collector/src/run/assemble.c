#include "run/assemble.h"

#include <dlfcn.h>
#include <stddef.h>

#include "files/file_guard.h"
#include "log/log.h"
#include "mpi/loaded_object.h"

enum {
    WHOLE = 0,
    INCOMPLETE = 1,
    DEFERRED = 3
}; /* results of hopscope_assemble (assembly/assemble.h); DEFERRED is its ASSEMBLE_LATER: another world assembles */

static const char *const file_name = "libhopscope-assemble.so";

bool assemble(const char *directory) {
    char message[1024] = "";
    void *library = loaded_object_beside(file_name);
    int (*entry)(const char *, char *, size_t) = NULL;
    if (library)
        *(void **)&entry = dlsym(library, "hopscope_assemble_after_all");
    if (!entry) {
        const char *failure = dlerror();
        log_line("no archive was made (%s). The spools are in %s; `hopscope recover %s` makes an archive from them",
                 failure ? failure : "libhopscope-assemble.so lacks its entry point", directory, directory);
        return false;
    }
    struct file_guard guard; /* also for the files that libotf2 writes */
    file_guard_begin(&guard);
    int code = entry(directory, message, sizeof message);
    file_guard_end(&guard);
    if (code == WHOLE && message[0])
        log_line("%s", message);
    if (code != WHOLE && code != DEFERRED)
        log_line("%s %s. The spools stay in %s",
                 code == INCOMPLETE ? "the archive is incomplete;" : "no archive was made:",
                 message[0] ? message : "no reason given", directory);
    return code == WHOLE || code == INCOMPLETE;
}
