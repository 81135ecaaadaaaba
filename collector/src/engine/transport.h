/* How a step's message gets from one rank to another. The executor knows only this; the recorder not even this.
 *
 * Messages are named by the index of their step. Nothing here blocks; poll drives MPI's progress, also while nothing of
 * MPI's own is under way. Errors, also those of starting a message, come out of poll.
 */
#ifndef HOPSCOPE_TRANSPORT_H
#define HOPSCOPE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* A message that is done: sent, or here and visible. */
struct completion {
    int step;
    int error;     /* MPI_SUCCESS or MPI's code */
    int64_t bytes; /* received; -1 of a send */
};

struct transport;

struct transport_kind {
    /* Room for this many messages under way at once; false without memory. Never shrinks. */
    bool (*reserve)(struct transport *transport, int most_messages);
    void (*send)(struct transport *transport, int step, const void *data, int count, MPI_Datatype datatype,
                 int64_t bytes, int peer, int tag);
    void (*receive)(struct transport *transport, int step, void *data, int count, MPI_Datatype datatype, int peer,
                    int tag);
    /* Looks once. Returns how many are done, in order of arrival, in *done (valid until the next poll). */
    int (*poll)(struct transport *transport, const struct completion **done);
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    MPI_Comm comm; /* of the engine alone, errors are returned */
};

/* Tags below 2^14 are the executor's; this bit is left for a transport's own messages. All are below 32768, which every
 * MPI library allows. */
enum { TRANSPORT_TAG_BIT = 1 << 14 };

/* Messages of MPI as they are. NULL without memory. */
struct transport *transport_mpi_open(void);

struct links;
/* The same with the delays of the topology. host_of_rank: for each rank of comm its host in the topology; kept. */
struct transport *transport_emulated_open(struct links *links, const int *host_of_rank, int rank);

#endif
