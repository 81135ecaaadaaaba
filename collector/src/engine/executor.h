/* Runs one rank's schedule and stamps what happens, as schemas/otf2.md says. */
#ifndef HOPSCOPE_EXECUTOR_H
#define HOPSCOPE_EXECUTOR_H

#include "engine/transport.h"
#include "plan/schedule.h"

/* Where a slot of the schedule lies: unit u is at base + u * stride. */
struct slot_memory {
    char *base;
    MPI_Aint stride;
};

struct execution {
    struct schedule *schedule;
    struct transport *transport;
    const struct slot_memory *slots;
    int *queue;            /* room for every step */
    MPI_Datatype datatype; /* of a unit */
    MPI_Op op;
    int64_t unit_bytes;
    bool gapless;  /* units lie one behind the other, so memcpy copies them */
    bool discards; /* what is received is thrown away */
    int rank;      /* in the transport's communicator */
    /* For the records */
    uint16_t tree;
    uint32_t comm;
    uint64_t seq;
    uint64_t turn;  /* tells messages of one collective from those of the next that the engine runs here */
    int idle_polls; /* in vain, before the processor is given to somebody else */
    int error;      /* first error; from then on only empty messages are sent, which say so to whoever waits for them */
};

/* Runs until every step is done and every send is complete. The schedule can run again. */
void execution_run(struct execution *execution);

/* One step of a rank that has failed, from start to end: an empty message, or one whose content is thrown away. Local
 * work is left out. context: the execution, with its error; the transport needs room for one message. A schedule's
 * `instead`. */
void execution_pass(void *context, const struct step *step);

#endif
