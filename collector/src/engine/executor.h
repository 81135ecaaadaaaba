/* Runs one rank's schedule and records timestamped events, as schemas/otf2.md defines them. */
#ifndef HOPSCOPE_EXECUTOR_H
#define HOPSCOPE_EXECUTOR_H

#include "engine/transport.h"
#include "plan/schedule.h"

/* The memory of a schedule's slot. Unit u is at base + u * stride. */
struct slot_memory {
    char *base;
    MPI_Aint stride;
};

struct execution {
    struct schedule *schedule;
    struct transport *transport;
    const struct slot_memory *slots;
    int *queue;            /* room for every step */
    MPI_Datatype datatype; /* the datatype of a unit */
    MPI_Op op;
    int64_t unit_bytes;
    bool gapless;  /* units are contiguous, so memcpy copies them */
    bool discards; /* received data is thrown away */
    int rank;      /* this rank in the transport's communicator */
    /* For the records: */
    uint16_t tree;
    uint32_t comm;
    uint64_t seq;
    int idle_polls; /* unsuccessful polls before the rank yields the processor */
    int error;      /* the first error; after it the rank sends empty messages, which tell the receivers of it */
};

/* Runs until every step is done and every send is complete. The schedule can then run again. Sets execution->error. */
void execution_run(struct execution *execution);

/* Runs one step of a rank that has failed, from start to end: sends an empty message, or receives a message and
 * discards it. Skips local work. context: the struct execution, with its error. The transport needs room for one
 * message. Pass this function as a schedule's on_step. */
void execution_pass(void *context, const struct step *step);

#endif
