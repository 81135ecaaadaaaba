/* Moves a step's message from one rank to another. The executor knows only this interface.
 *
 * The index of its step identifies a message. Messages with the same peer and tag match in order. No function here
 * blocks. `poll` drives MPI's progress even if no MPI message is under way; without it, a rendezvous of another rank
 * could hang. It reports all errors, even those of messages that could not start. A receive whose sender has failed
 * completes.
 */
#ifndef HOPSCOPE_TRANSPORT_H
#define HOPSCOPE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

/* A message that is done: sent, or arrived and visible. */
struct completion {
    int step;
    int error;     /* MPI_SUCCESS or MPI's code */
    int64_t bytes; /* number of bytes received; -1 for a send */
};

/* A message to be sent or received. */
struct message {
    int step, peer, tag;
    int64_t bytes; /* packed size as planned: equal at both ends, even if an empty message replaces the planned one */
    void *data;    /* may be NULL, which is MPI_BOTTOM */
    int count;     /* elements of datatype; 0 from a sender that has failed: an empty message */
    MPI_Datatype datatype;
    bool gapless; /* the bytes of data are contiguous */
    bool discard; /* for a receive: discard the content; data is not used */
};

struct transport;

struct transport_kind {
    /* Makes room for this many messages under way. False if memory runs out. The room never shrinks. */
    bool (*reserve)(struct transport *transport, int most_messages);
    /* Sends a message. True: it has left already, and poll will not report it. */
    bool (*send)(struct transport *transport, const struct message *message);
    /* Posts a receive. True: that took so little time that no new timestamp is needed. */
    bool (*receive)(struct transport *transport, const struct message *message);
    /* Polls once. Returns the number of completions, in order of arrival, in *completions (valid until the next
     * poll). */
    int (*poll)(struct transport *transport, const struct completion **completions);
    void (*close)(struct transport *transport);
};

struct transport {
    const struct transport_kind *kind;
    MPI_Comm comm;   /* the engine's own communicator, which returns errors */
    int early_polls; /* number of polls without a result after which no message can have been there before */
};

/* early_polls of MPI messages. One poll is not enough: Testsome makes progress but may report a message only in the
 * next call, and a longer message needs several calls to arrive. With a single poll, the trace showed ranks as waiting
 * for messages that had been there for milliseconds. */
enum { TRANSPORT_EARLY_MPI_POLLS = 8 };

/* The executor uses tags below 2^14; this bit marks a transport's own messages. All tags are below 32768, which every
 * MPI library allows. */
enum { TRANSPORT_TAG_BIT = 1 << 14 };

/* Plain MPI messages. NULL if memory runs out. */
struct transport *transport_mpi_open(void);

struct comm;
struct neighbors;
/* Shared memory between members on one machine, MPI messages to the others. NULL if it fails on this rank; then no
 * other member may use its transport either. */
struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors);
/* Removes the name of the shared file. Call it when all members have opened their transport, or closed it again. */
void transport_shm_remove_name(struct transport *transport);

struct links;
/* MPI messages with the topology's delays. host_of_rank: each rank's host in the topology. It is not copied, so the
 * caller keeps it alive. */
struct transport *transport_emulated_open(struct links *links, const int *host_of_rank, int rank);

#endif
