/* The engine's state of a communicator: the engine's own communicator, positions in trees, and memory that is
 * reused. */
#ifndef HOPSCOPE_ENGINE_COMM_H
#define HOPSCOPE_ENGINE_COMM_H

#include "comm/comm.h"
#include "config/config.h"
#include "engine/executor.h"
#include "plan/tree.h"
#include "topology/topology.h"

struct links;
struct neighbors;

/* The state that all communicators share. */
struct engine_surroundings {
    const struct topology *topology;
    enum transport_name transport;     /* for links that are not emulated */
    struct links *links;               /* the emulated links; NULL: none are emulated */
    const struct neighbors *neighbors; /* NULL: no memory is shared */
    MPI_Comm world;                    /* like MPI_COMM_WORLD, but the collector's own, with errors returned */
    MPI_Group processes;               /* the group of `world` */
    int max_tag;                       /* the greatest tag on `world`; 0: nothing is open yet */
};

/* Sets world, processes and max_tag. Call it in MPI_Init, when the other fields are set. False if MPI fails. */
bool engine_surroundings_open(struct engine_surroundings *surroundings, MPI_Comm world);
void engine_surroundings_close(struct engine_surroundings *surroundings);

enum { ENGINE_POSITIONS = 8, ENGINE_PREPARED = 4 };

/* The location of a prepared schedule's slot, relative to the buffers of the call that runs the schedule. */
struct slot_home {
    enum { HOME_NOWHERE, HOME_SEND_BUFFER, HOME_RECEIVE_BUFFER, HOME_MEMORY } kind;
    size_t offset; /* HOME_MEMORY: within the communicator's memory */
    MPI_Aint stride;
};

/* A call that has run and may come again, with its schedule; see prepared.h. */
struct prepared {
    bool used;
    /* Identifies the call: */
    int function, root, buffers;
    int64_t send_count, receive_count;
    MPI_Datatype send_datatype, receive_datatype;
    MPI_Op op;
    struct schedule schedule; /* allocated to its exact size */
    struct slot_home *homes;
    struct execution execution;
    uint64_t last_use;
};

struct engine_comm {
    bool usable;     /* agreed on by all members; if false, every call goes native */
    bool has_failed; /* a call returned an error, so some messages may not have been received */
    uint64_t id;     /* equal on all members: the key of the communicator for which it was made */
    int *world_ranks;
    struct engine_comm *next_idle;
    MPI_Comm handle; /* the engine's own communicator, which returns errors */
    struct tree_members members;
    int *topology_host; /* the number of each rank's host in the topology */
    int *scratch;       /* SCHEDULE_SCRATCH * size, for generators */
    int64_t *tables;    /* 4 * size, for positions and lengths of blocks */
    struct transport *transport;
    struct cached_position {
        const struct tree_spec *spec; /* NULL: unused */
        int root;
        enum tree_direction direction;
        struct tree_position position;
        uint64_t last_use;
    } positions[ENGINE_POSITIONS];
    uint64_t uses;
    struct prepared prepared[ENGINE_PREPARED];
    struct schedule schedule;
    int *queue;
    int queue_capacity;
    struct slot_memory *slots;
    int slot_capacity;
    char *memory; /* holds rings of slots, or a packed message */
    size_t memory_bytes;
};

/* The engine's state of comm. The first call on a communicator creates the state and is collective over comm. Never
 * NULL; check `usable`. engine_comm_close or engine_comm_release frees the state. */
struct engine_comm *engine_comm_of(struct comm *comm, const struct engine_surroundings *surroundings);

/* This rank's position in a tree, cached or computed. Cannot fail. The position stays valid until ENGINE_POSITIONS
 * others have been looked up. */
const struct tree_position *engine_comm_position(struct engine_comm *engine, int rank, const struct tree_spec *spec,
                                                 int root, enum tree_direction direction);

/* Memory of at least this many bytes, aligned to 64, with undefined contents; NULL if memory runs out. The engine keeps
 * ownership, and the next call may move the memory. */
char *engine_comm_memory(struct engine_comm *engine, size_t bytes);
/* Reserves slots and a queue for the schedule, and room for messages in the transport. False if memory runs out. */
bool engine_comm_reserve(struct engine_comm *engine);

/* Frees the contents of a prepared call. */
void prepared_free(struct prepared *prepared);

/* Keeps the state for the next communicator of the same members in the same order, or frees it and the engine's
 * communicator. Sends no messages: MPI_Comm_free sends none in any known MPI library. */
void engine_comm_close(struct engine_comm *engine);
/* Frees the states that engine_comm_close kept, but not their communicators. */
void engine_comms_release(void);
/* Frees the state but not its communicator. Sends no messages. */
void engine_comm_release(struct engine_comm *engine);

#endif
