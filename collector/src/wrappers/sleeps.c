/* Wraps functions in which a thread may sleep between its polls, because such sleep counts as polling (completions.h).
 * A thread that yields its core may also sleep, for the time slice of another thread. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/call.h"

typedef int nanosleep_function(const struct timespec *, struct timespec *);
typedef int clock_nanosleep_function(clockid_t, int, const struct timespec *, struct timespec *);
typedef int usleep_function(useconds_t);
typedef unsigned sleep_function(unsigned);
typedef int select_function(int, fd_set *, fd_set *, fd_set *, struct timeval *);
typedef int poll_function(struct pollfd *, nfds_t, int);
typedef int yield_function(void);

static nanosleep_function *next_nanosleep;
static clock_nanosleep_function *next_clock_nanosleep;
static usleep_function *next_usleep;
static sleep_function *next_sleep;
static select_function *next_select;
static poll_function *next_poll;
static yield_function *next_yield;

/* Looks up the functions when the library is loaded: a program may sleep in a signal handler, where dlsym must not be
 * called. */
__attribute__((constructor)) static void find_next(void) {
    int saved_errno = errno;
    next_nanosleep = (nanosleep_function *)dlsym(RTLD_NEXT, "nanosleep");
    next_clock_nanosleep = (clock_nanosleep_function *)dlsym(RTLD_NEXT, "clock_nanosleep");
    next_usleep = (usleep_function *)dlsym(RTLD_NEXT, "usleep");
    next_sleep = (sleep_function *)dlsym(RTLD_NEXT, "sleep");
    next_select = (select_function *)dlsym(RTLD_NEXT, "select");
    next_poll = (poll_function *)dlsym(RTLD_NEXT, "poll");
    next_yield = (yield_function *)dlsym(RTLD_NEXT, "sched_yield");
    errno = saved_errno;
}

struct nap {
    uint64_t begin; /* ticks at which the sleep began; 0: it is not between polls */
    uint64_t slept_before;
};

/* Begins a sleep. next: the C library's function; NULL if another library's constructor sleeps before find_next has
 * run. */
static struct nap begin_nap(const void *next) {
    const struct call_thread *t = &call_thread;
    if (__builtin_expect(!next, 0))
        find_next();
    if (__builtin_expect(!t->poll_leave || t->outermost, 1))
        return (struct nap){0, 0};
    return (struct nap){clock_now(), t->poll_slept};
}

/* Ends a sleep and adds its duration to the thread's poll_slept. If the C library's function called another wrapped
 * one, replaces what that one has added. */
static void end_nap(struct nap nap) {
    if (nap.begin)
        call_thread.poll_slept = nap.slept_before + (clock_now() - nap.begin);
}

WRAPPER int nanosleep(const struct timespec *duration, struct timespec *remaining) {
    struct nap nap = begin_nap((const void *)next_nanosleep);
    int result = next_nanosleep(duration, remaining);
    end_nap(nap);
    return result;
}

WRAPPER int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *remaining) {
    struct nap nap = begin_nap((const void *)next_clock_nanosleep);
    int result = next_clock_nanosleep(clock, flags, request, remaining);
    end_nap(nap);
    return result;
}

WRAPPER int usleep(useconds_t microseconds) {
    struct nap nap = begin_nap((const void *)next_usleep);
    int result = next_usleep(microseconds);
    end_nap(nap);
    return result;
}

WRAPPER unsigned sleep(unsigned seconds) {
    struct nap nap = begin_nap((const void *)next_sleep);
    unsigned result = next_sleep(seconds);
    end_nap(nap);
    return result;
}

WRAPPER int sched_yield(void) {
    struct nap nap = begin_nap((const void *)next_yield);
    int result = next_yield();
    end_nap(nap);
    return result;
}

/* Programs call select without descriptors in order to sleep. */
WRAPPER int select(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, struct timeval *timeout) {
    struct nap nap = begin_nap((const void *)next_select);
    int result = next_select(count, readable, writable, exceptional, timeout);
    if (count == 0)
        end_nap(nap);
    return result;
}

WRAPPER int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
    struct nap nap = begin_nap((const void *)next_poll);
    int result = next_poll(descriptors, count, milliseconds);
    if (count == 0)
        end_nap(nap);
    return result;
}
