#include "files/file_guard.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static sigset_t size_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

static bool is_pending(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

void file_guard_begin(struct file_guard *guard) {
    int saved_errno = errno;
    sigset_t signals = size_signals();
    pthread_sigmask(SIG_BLOCK, &signals, &guard->mask);
    guard->pending = is_pending();
    errno = saved_errno;
}

void file_guard_end(const struct file_guard *guard) {
    int saved_errno = errno;
    sigset_t signals = size_signals();
    /* The kernel sends the signal to the thread that writes, so this consumes the signal of our own write. */
    if (!guard->pending)
        while (sigtimedwait(&signals, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
    errno = saved_errno;
}
