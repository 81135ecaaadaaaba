/* An MPI library whose messages inside collectives can be recorded. Each such library has a folder beside this one,
 * named after its flavour (openmpi, mpich), in which `native_library` is defined. */
#ifndef HOPSCOPE_NATIVE_LIBRARY_H
#define HOPSCOPE_NATIVE_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hopscope/functions.h"

/* Numbers of messages that were not recorded as hops, in addition to those of subject_counts(). */
struct native_losses {
    uint64_t unknown; /* messages whose collective is unknown */
    uint64_t lost;    /* ends of messages for which no record could be written */
};

struct native_library {
    /* True if PMPI functions may be called inside the library's functions that send and receive. MPICH may hold a lock
     * there that is not recursive, and would abort with MPI_THREAD_MULTIPLE. */
    bool answers_inside;
    /* The first and the last tag of nonblocking collectives. */
    int first_nonblocking_tag, last_nonblocking_tag;
    /* The reason that the trace gives for a collective in which the library created, or first used, communicators of
     * its own. */
    const char *set_up;
    /* The reason that the trace gives for every nonblocking and persistent collective without recorded messages. NULL:
     * their messages are recorded. */
    const char *not_looked_at;

    /* Begins to record the library's messages. If it cannot, returns false with a reason and changes nothing. Call it
     * after PMPI_Init. many_threads: several threads may be in the library at once. */
    bool (*start)(int processes, bool many_threads, char *reason, size_t capacity);
    /* Call it before PMPI_Finalize. */
    void (*stop)(void);
    struct native_losses (*losses)(void);
    /* The id of the definition of the algorithm with the number `called`; 0: unknown, or not one of this function. */
    uint32_t (*algorithm)(uint32_t called, enum mpi_function function);
    /* The tag that the library will give to the next nonblocking collective on comm, or to the next persistent one that
     * is created. 0: unknown. */
    int (*next_tag)(MPI_Comm comm);
    /* The hidden communicator of this process's own group that the library keeps for an intercommunicator. Nonblocking
     * collectives of the intercommunicator also send messages on it, with the same tags. MPI_COMM_NULL: unknown. */
    MPI_Comm (*local_comm)(MPI_Comm inter);
};

/* A weak symbol: its address is NULL if the library's internals are unknown. */
extern const struct native_library native_library __attribute__((weak));

static inline bool native_is_nonblocking(int tag) {
    return tag >= native_library.first_nonblocking_tag && tag <= native_library.last_nonblocking_tag;
}

#endif
