/* A rank that waits sleeps: where ranks outnumber the cores, one that polls would keep its core from the one that it
 * waits for. It sees a message up to a nap later. Include it once, after _GNU_SOURCE. */
#include <time.h>

enum { NAP_NS = 20000 };

/* In place of libc's: the engine and Open MPI call it while they wait. */
int sched_yield(void) {
    return nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}
