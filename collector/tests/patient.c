/* Makes waiting ranks of MPICH jobs give up their core now and then, as those of Open MPI do. Otherwise, on a machine
 * with fewer cores than ranks, a waiting rank may keep the core from the rank for which it waits. It replaces a
 * function of UCX that MPICH calls whenever it makes progress, with any transport: every 16th call sleeps for 20 us. It
 * is preloaded, or linked to a program. */
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
