/* When threads begin, and waiting for them to end: a thread that waits for another one that communicates does not
 * compute. */
#include <dlfcn.h>
#include <errno.h>
#include <threads.h>
#include <time.h>

#include "wrappers/call.h"

/* The next definition, the C library's or another tool's. */
static void *next_definition(const char *name) {
    int saved_errno = errno;
    void *definition = dlsym(RTLD_NEXT, name);
    errno = saved_errno;
    return definition;
}

/* False inside MPI, whose threads are its own. */
static bool is_outside_mpi(void) {
    return __atomic_load_n(&call_serving, __ATOMIC_ACQUIRE) && !call_thread.outermost;
}

/* Instrumented code may not run in a thread before the thread sanitizer has begun it. */
#ifndef __SANITIZE_THREAD__
struct start {
    bool is_taken;
    void *(*routine)(void *);
    void *argument;
    uint64_t ticks; /* time at which the thread was created */
};

/* Threads that are being created. Of more at a time, the creation of the others is not recorded. */
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

/* A join in one of its forms, which have these arguments. */
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
