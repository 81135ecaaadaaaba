/* Preloaded into MPICH, or linked to a program: an idle rank sleeps 20 us in each 16th look, as Open MPI's ranks yield.
 * Otherwise a waiting rank keeps its core from the rank that it waits for. MPICH calls this function of UCX in each
 * look, with any transport. */
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
