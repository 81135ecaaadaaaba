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

/* A message to be sent or received. */
struct message {
    int step, peer, tag;
    int64_t bytes; /* packed, as planned: equal at both ends, also where an empty message comes instead */
    void *data;    /* NULL is a place too: MPI_BOTTOM */
    int count;     /* elements of datatype; a sender that has failed says 0, and an empty message goes */
    MPI_Datatype datatype;
    bool gapless; /* data is those bytes, one behind the other */
    bool discard; /* of a receive: what comes is thrown away, there is no data */
};

struct transport;

struct transport_kind {
    /* Room for this many messages under way at once; false without memory. Never shrinks. */
    bool (*reserve)(struct transport *transport, int most_messages);
    /* True: the message is sent already, poll will not tell of it. */
    bool (*send)(struct transport *transport, const struct message *message);
    /* True: posting it took no time that a stamp could tell. */
    bool (*receive)(struct transport *transport, const struct message *message);
    /* Looks once. Returns how many are done, in order of arrival, in *done (valid until the next poll). */
    int (*poll)(struct transport *transport, const struct completion **done);
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    MPI_Comm comm;   /* of the engine alone, errors are returned */
    int early_looks; /* so many polls in vain say that a message is not here yet */
};

/* One look at MPI is not enough to say that nothing is there: Testsome makes progress, but need not tell of what that
 * has brought before it is called again, and a longer message takes a few calls to come in. With one look, messages
 * that had lain there for milliseconds passed for waited for. */
enum { TRANSPORT_LOOKS_AT_MPI = 8 };

/* Tags below 2^14 are the executor's; this bit is left for a transport's own messages. All are below 32768, which every
 * MPI library allows. */
enum { TRANSPORT_TAG_BIT = 1 << 14 };

/* Messages of MPI as they are. NULL without memory. */
struct transport *transport_mpi_open(void);

struct comm;
struct neighbors;
/* Between members that share memory through that, to the others by messages of MPI. NULL if it cannot be had here: then
 * no member may use its own. */
struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors);
/* To be called when all members have opened theirs, or closed it again. */
void transport_shm_settled(struct transport *transport);

struct links;
/* Messages of MPI with the delays of the topology. host_of_rank: for each rank of comm its host in the topology; kept.
 */
struct transport *transport_emulated_open(struct links *links, const int *host_of_rank, int rank);

#endif
