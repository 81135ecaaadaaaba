/* Protects the application's process from signals that the collector's own writes raise.
 *
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ. Without a handler the signal kills the process, and a handler of the
 * application may take it for a failure of the application's own write. Between begin and end, such a write of the
 * calling thread only fails with EFBIG. To do so, begin blocks the signal, and end consumes it if our own write raised
 * it. The application's handler, its mask, and a SIGXFSZ that was already pending stay unchanged.
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

/* Begin and end a protected section. Both keep errno. Sections may be nested. */
void file_guard_begin(struct file_guard *guard);
void file_guard_end(const struct file_guard *guard);

#endif
