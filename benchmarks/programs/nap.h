/* Makes ranks sleep while they wait. Where ranks outnumber the cores, a rank that polls would keep its core from the
 * rank that it waits for. A sleeping rank sees a message up to a nap later. Include it once, after _GNU_SOURCE. */
#include <time.h>

enum { NAP_NS = 20000 };

/* Replaces libc's function, which the engine and Open MPI call while they wait. */
int sched_yield(void) {
    return nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}
