/* An MPI library whose messages inside collectives are recorded. Each such library has a folder beside this one, with
 * the name of the collector's flavour for it, and defines `native_library` there. */
#ifndef HOPSCOPE_NATIVE_LIBRARY_H
#define HOPSCOPE_NATIVE_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* Numbers of messages that are not recorded as hops, besides subject_counts(). */
struct native_losses {
    uint64_t unknown; /* messages of an unknown collective */
    uint64_t lost;    /* ends without a record */
};

struct native_library {
    /* True if PMPI functions may be called in the functions that send and receive. MPICH may hold a lock there that is
     * not recursive: with MPI_THREAD_MULTIPLE it would abort. */
    bool answers_inside;
    /* The first and the last tag of nonblocking collectives. */
    int first_nonblocking_tag, last_nonblocking_tag;
    /* The reason for a collective in which the library created, or first used, communicators of its own. */
    const char *set_up;
    /* The reason for every nonblocking and persistent collective. NULL: their messages are recorded. */
    const char *not_looked_at;

    /* Begins to record the library's messages. If it cannot, returns false with a reason and changes nothing. Call it
     * after PMPI_Init. many_threads: several may be in the library at once. */
    bool (*start)(int processes, bool many_threads, char *reason, size_t capacity);
    /* Call it before PMPI_Finalize. */
    void (*stop)(void);
    struct native_losses (*losses)(void);
    /* The id of the name of the algorithm whose number is `called`, if it belongs to this function. 0: unknown. */
    uint32_t (*algorithm)(uint32_t called, enum mpi_function function);
    /* The tag of the next nonblocking collective on comm, or of the next persistent one that is created. 0: unknown. */
    int (*next_tag)(MPI_Comm comm);
    /* The communicator of this process's own group that the library keeps for an intercommunicator. Messages on it also
     * have the tags of the intercommunicator's nonblocking collectives. MPI_COMM_NULL: unknown. */
    MPI_Comm (*local_comm)(MPI_Comm inter);
};

/* The address is NULL if the library's internals are unknown. */
extern const struct native_library native_library __attribute__((weak));

static inline bool native_is_nonblocking(int tag) {
    return tag >= native_library.first_nonblocking_tag && tag <= native_library.last_nonblocking_tag;
}

#endif
