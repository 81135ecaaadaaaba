/* Calls that come again: decided, laid out and scheduled once.
 *
 * Only calls of predefined operations and datatypes are kept, whose handles always mean the same, and only short
 * schedules. What is kept is each rank's own; whether the engine runs a call has been decided before, alike on all.
 */
#ifndef HOPSCOPE_PREPARED_H
#define HOPSCOPE_PREPARED_H

#include "engine/engine.h"
#include "engine/executor.h"

struct engine_comm;

enum { ENGINE_PREPARED = 4, PREPARED_MOST_STEPS = 64 };

/* Where a slot lies in another call with the same arguments. */
struct slot_home {
    enum { HOME_NOWHERE, HOME_SEND_BUFFER, HOME_RECEIVE_BUFFER, HOME_MEMORY } of;
    size_t offset; /* HOME_MEMORY: into the communicator's memory */
    MPI_Aint stride;
};

struct prepared {
    bool used;
    /* The call that it is for. */
    int function, root, buffers;
    int64_t send_count, receive_count;
    MPI_Datatype send_datatype, receive_datatype;
    MPI_Op op;
    struct schedule schedule; /* of exactly its size */
    struct slot_home *homes;
    struct execution execution;
    uint64_t used_at;
};

/* NULL: prepare it anew. */
struct prepared *prepared_find(struct engine_comm *engine, const struct engine_call *call);
/* MPI's error code. */
int prepared_run(struct prepared *prepared, const struct engine_call *call);
/* Keeps what execution has just run for the next such call, if it is short. The caller vouches that operation and
 * datatype are predefined and that slots lie in the call's buffers or in the communicator's memory. */
void prepared_keep(const struct engine_call *call, const struct execution *execution);
void prepared_clear(struct prepared *prepared);

#endif
