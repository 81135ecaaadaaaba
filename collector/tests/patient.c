/* Makes an idle rank sleep for 20 us in every 16th call that makes progress, as Open MPI's ranks yield. It is preloaded
 * into MPICH, or linked to a program. Without it a waiting rank keeps its core from the rank that it waits for. MPICH
 * calls this function of UCX whenever it makes progress, with any transport. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*library)(void *);
    static _Thread_local unsigned idle_count;
    if (!library)
        library = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned progress = library(worker);
    if (!progress && ++idle_count % 16 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    return progress;
}
