/* Records when threads begin, and when a thread waits for the end of another one. A thread that waits for one that
 * communicates does not compute. */
#include <dlfcn.h>
#include <errno.h>
#include <threads.h>
#include <time.h>

#include "wrappers/call.h"

/* The next definition of a function after ours: the C library's or another tool's. */
static void *next_definition(const char *name) {
    int saved_errno = errno;
    void *definition = dlsym(RTLD_NEXT, name);
    errno = saved_errno;
    return definition;
}

/* False inside an MPI call: the MPI library's own threads are not recorded. */
static bool is_outside_mpi(void) {
    return __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE) && !call_thread.outermost;
}

/* With the thread sanitizer, our code must not run in a new thread before the sanitizer has initialised the thread. */
#ifndef __SANITIZE_THREAD__
struct start {
    bool is_taken;
    void *(*routine)(void *);
    void *argument;
    uint64_t ticks; /* time at which the thread was created */
};

/* The threads that are being created. If there are more at the same time, the creation of the others is not recorded.
 */
enum { MOST_STARTS = 64 };
static struct start starts[MOST_STARTS];

static struct start *take_start(void) {
    for (int i = 0; i < MOST_STARTS; i++)
        if (!__atomic_exchange_n(&starts[i].is_taken, true, __ATOMIC_ACQUIRE))
            return &starts[i];
    return NULL;
}

static void *begin_thread(void *slot) {
    struct start *start = slot;
    void *(*routine)(void *) = start->routine;
    void *argument = start->argument;
    record_cursor.begin = start->ticks;
    __atomic_store_n(&start->is_taken, false, __ATOMIC_RELEASE);
    return routine(argument);
}

WRAPPER int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                           void *argument) {
    __typeof__(pthread_create) *next = (__typeof__(pthread_create) *)next_definition("pthread_create");
    struct start *start = is_outside_mpi() && record_is_on() ? take_start() : NULL;
    if (!start)
        return next(thread, attributes, routine, argument);
    start->routine = routine;
    start->argument = argument;
    start->ticks = clock_now();
    int error = next(thread, attributes, begin_thread, start);
    if (error)
        __atomic_store_n(&start->is_taken, false, __ATOMIC_RELEASE);
    return error;
}
#endif

/* A call of pthread_join or one of its variants, with the arguments of all variants. */
struct join {
    int (*run)(const struct join *join);
    pthread_t thread;
    void **value;
    int *result;
    clockid_t clock;
    const struct timespec *until;
};

static void end_join(void *join) {
    int saved_errno = errno;
    record_join_end(join);
    errno = saved_errno;
}

static int run_join(const struct join *join) {
    if (!is_outside_mpi() || !record_cursor.thread || !record_begin())
        return join->run(join);
    struct record_join recorded;
    int error;
    record_join_begin(&recorded, join->thread);
    pthread_cleanup_push(end_join, &recorded); /* the waiting thread may be cancelled */
    error = join->run(join);
    pthread_cleanup_pop(1);
    return error;
}

static int join_simply(const struct join *join) {
    __typeof__(pthread_join) *next = (__typeof__(pthread_join) *)next_definition("pthread_join");
    return next(join->thread, join->value);
}

static int join_until(const struct join *join) {
    __typeof__(pthread_timedjoin_np) *next =
        (__typeof__(pthread_timedjoin_np) *)next_definition("pthread_timedjoin_np");
    return next(join->thread, join->value, join->until);
}

static int join_until_by_clock(const struct join *join) {
    __typeof__(pthread_clockjoin_np) *next =
        (__typeof__(pthread_clockjoin_np) *)next_definition("pthread_clockjoin_np");
    return next(join->thread, join->value, join->clock, join->until);
}

static int join_of_c11(const struct join *join) {
    __typeof__(thrd_join) *next = (__typeof__(thrd_join) *)next_definition("thrd_join");
    return next(join->thread, join->result);
}

WRAPPER int pthread_join(pthread_t thread, void **value) {
    const struct join join = {.run = join_simply, .thread = thread, .value = value};
    return run_join(&join);
}

WRAPPER int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until) {
    const struct join join = {.run = join_until, .thread = thread, .value = value, .until = until};
    return run_join(&join);
}

WRAPPER int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until) {
    const struct join join = {
        .run = join_until_by_clock, .thread = thread, .value = value, .clock = clock, .until = until};
    return run_join(&join);
}

WRAPPER int thrd_join(thrd_t thread, int *result) {
    const struct join join = {.run = join_of_c11, .thread = thread, .result = result};
    return run_join(&join);
}
