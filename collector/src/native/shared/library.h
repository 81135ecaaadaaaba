/* An MPI library whose messages inside collectives are recorded. Each has a folder beside this one, named as the
 * flavour of the collector that it is built into, and defines `native_library` there. */
#ifndef HOPSCOPE_NATIVE_LIBRARY_H
#define HOPSCOPE_NATIVE_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* Messages that are no hops, besides subject_counts(). */
struct native_losses {
    uint64_t unknown; /* their collective is not known */
    uint64_t lost;    /* their end has no record */
};

struct native_library {
    /* Whether PMPI functions may be called where it sends and receives. MPICH holds its lock there, which is not
     * recursive: with MPI_THREAD_MULTIPLE it aborts. */
    bool answers_inside;
    /* Tags of nonblocking collectives, both ends included. */
    int first_nonblocking_tag, last_nonblocking_tag;
    /* The reason of a collective in which the library made, or first used, communicators of its own. */
    const char *set_up;
    /* The reason of each nonblocking and persistent collective; NULL: their messages are recorded. */
    const char *not_looked_at;

    /* From now on, its messages are recorded. Else false, with a reason, and it is as it was. After PMPI_Init.
     * many_threads: several may be in the library at once. */
    bool (*start)(int processes, bool many_threads, char *reason, size_t capacity);
    /* Before PMPI_Finalize. */
    void (*stop)(void);
    struct native_losses (*losses)(void);
    /* The id of the name of the algorithm that was called first in a collective of this function; 0: it is not known.
     */
    uint32_t (*algorithm)(uint32_t called, enum mpi_function function);
    /* The tag of the next nonblocking collective on comm, or of the next persistent one that is made; 0: not known. */
    int (*next_tag)(MPI_Comm comm);
    /* The communicator of the own group that it made with an intercommunicator, whose messages have the tags of the
     * intercommunicator's nonblocking collectives, too; MPI_COMM_NULL: not known. */
    MPI_Comm (*local_comm)(MPI_Comm inter);
};

/* Its address is NULL where the library's inside is not known. */
extern const struct native_library native_library __attribute__((weak));

static inline bool native_is_nonblocking(int tag) {
    return tag >= native_library.first_nonblocking_tag && tag <= native_library.last_nonblocking_tag;
}

#endif
