/* Moves a step's message from one rank to another. The executor knows only this interface.
 *
 * Messages are identified by the index of their step. Nothing here blocks. poll drives MPI's progress even if no MPI
 * message is in flight. poll also reports all errors, even those of starting a message.
 */
#ifndef HOPSCOPE_TRANSPORT_H
#define HOPSCOPE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* A finished message: sent, or arrived and visible. */
struct completion {
    int step;
    int error;     /* MPI_SUCCESS or MPI's code */
    int64_t bytes; /* received; -1 for a send */
};

/* A message to be sent or received. */
struct message {
    int step, peer, tag;
    int64_t bytes; /* packed, as planned: equal at both ends, even if an empty message comes instead */
    void *data;    /* may be NULL: MPI_BOTTOM */
    int count;     /* elements of datatype; 0 from a sender that has failed, so an empty message goes */
    MPI_Datatype datatype;
    bool gapless; /* data is those bytes, contiguous */
    bool discard; /* for a receive: the content is thrown away, data is unused */
};

struct transport;

struct transport_kind {
    /* Makes room for this many messages in flight; false if memory runs out. Never shrinks. */
    bool (*reserve)(struct transport *transport, int most_messages);
    /* True: the message is already sent, and poll will not report it. */
    bool (*send)(struct transport *transport, const struct message *message);
    /* True: posting took too little time to need a new timestamp. */
    bool (*receive)(struct transport *transport, const struct message *message);
    /* Polls once. Returns the number of completions, in order of arrival, in *completions (valid until the next
     * poll). */
    int (*poll)(struct transport *transport, const struct completion **completions);
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    MPI_Comm comm;   /* the engine's own, errors are returned */
    int early_polls; /* a message not found in this many polls has not arrived yet */
};

/* One poll cannot tell that no MPI message has arrived: Testsome makes progress but may report it only in the next
 * call, and a longer message takes a few calls to arrive. With a single poll, messages that had been there for
 * milliseconds counted as waited for. */
enum { TRANSPORT_EARLY_MPI_POLLS = 8 };

/* The executor uses tags below 2^14; this bit marks a transport's own messages. All tags are below 32768, which every
 * MPI library allows. */
enum { TRANSPORT_TAG_BIT = 1 << 14 };

/* Plain MPI messages. NULL if memory runs out. */
struct transport *transport_mpi_open(void);

struct comm;
struct neighbors;
/* Shared memory between members that share some, MPI messages to the others. NULL if it fails here; then no member may
 * use its own. */
struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors);
/* Call it when all members have opened their transport, or closed it again. */
void transport_shm_remove_name(struct transport *transport);

struct links;
/* MPI messages with the topology's delays. host_of_rank: each rank's host in the topology; not copied, so the caller
 * keeps it alive. */
struct transport *transport_emulated_open(struct links *links, const int *host_of_rank, int rank);

#endif
