/* The collector's own files inside the application's process.
 *
 * A write beyond RLIMIT_FSIZE raises SIGXFSZ, which ends a process that has made no arrangement for it, and which the
 * application may count as its own. Between begin and end the calling thread's writes only fail with EFBIG: the signal
 * is held back, and taken away if our own work has raised it. What is the application's stays: its handler, its mask,
 * and a SIGXFSZ that was pending before.
 *
 * Around everything of ours that can make a file longer, and around nothing else: no function of MPI, no callback.
 */
#ifndef HOPSCOPE_FILE_GUARD_H
#define HOPSCOPE_FILE_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct file_guard {
    sigset_t mask; /* the thread's, before */
    bool pending;  /* SIGXFSZ, before */
};

/* Both keep errno. Guards may be nested. */
void file_guard_begin(struct file_guard *guard);
void file_guard_end(const struct file_guard *guard);

#endif
