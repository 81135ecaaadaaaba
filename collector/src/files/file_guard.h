/* Protects the application's process from signals that the collector's own writes raise.
 *
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ. The signal ends a process without a handler, and the application's
 * handler may take the signal for one of its own writes. Between begin and end the calling thread's writes only fail
 * with EFBIG: the signal is blocked, and consumed if our own write raised it. The application's handler, its mask, and
 * a SIGXFSZ that was already pending stay unchanged.
 *
 * Use it around everything of ours that can extend a file, and around nothing else: no MPI function, no callback. */
#ifndef HOPSCOPE_FILE_GUARD_H
#define HOPSCOPE_FILE_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct file_guard {
    sigset_t mask; /* the thread's signal mask before begin */
    bool pending;  /* SIGXFSZ was pending before begin */
};

/* Both keep errno. Guards may be nested. */
void file_guard_begin(struct file_guard *guard);
void file_guard_end(const struct file_guard *guard);

#endif
