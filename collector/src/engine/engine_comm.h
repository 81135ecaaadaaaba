/* What the engine keeps for a communicator: one of its own beside it, the places in trees, and memory that is reused.
 */
#ifndef HOPSCOPE_ENGINE_COMM_H
#define HOPSCOPE_ENGINE_COMM_H

#include "comm/comm.h"
#include "engine/executor.h"
#include "engine/prepared.h"
#include "plan/tree.h"
#include "topology/topology.h"

struct links;
struct neighbors;

/* What all communicators have in common. */
struct engine_surroundings {
    const struct topology *topology;
    struct links *links;               /* NULL: none are emulated */
    const struct neighbors *neighbors; /* NULL: no memory is shared */
    MPI_Comm world;                    /* like MPI_COMM_WORLD, but the collector's own, with errors returned */
    MPI_Group processes;               /* of it */
    int most_tag;                      /* there; 0: nothing is open yet */
};

/* In MPI_Init; the rest is filled in already. */
bool engine_surroundings_open(struct engine_surroundings *around, MPI_Comm world);
void engine_surroundings_close(struct engine_surroundings *around);

enum { ENGINE_PLACES = 8 };

struct engine_comm {
    bool usable;     /* agreed on by all members; if not, every call goes native */
    MPI_Comm handle; /* errors are returned */
    struct tree_members members;
    int *topology_host; /* of each rank, as the topology numbers them */
    int *scratch;       /* 8 * size, for generators */
    int64_t *tables;    /* 4 * size, for the places and lengths of blocks */
    struct transport *transport;
    struct engine_place {
        const struct tree_spec *spec; /* NULL: unused */
        int root;
        enum tree_direction direction;
        struct tree_place place;
        uint64_t used_at;
    } places[ENGINE_PLACES];
    uint64_t uses;
    uint64_t turns; /* collectives that the engine has run here: the same on all members */
    struct prepared prepared[ENGINE_PREPARED];
    struct schedule schedule;
    int *queue;
    int queue_capacity;
    struct slot_memory *slots;
    int slot_capacity;
    char *memory; /* for the rings, or for a packed message */
    size_t memory_bytes;
};

/* The engine's part of comm, made at its first use: collective over comm. Never NULL; see usable. */
struct engine_comm *engine_comm_of(struct comm *comm, const struct engine_surroundings *around);

/* This rank's place; from the few that are kept, or found anew. Cannot fail. It stays valid until ENGINE_PLACES others
 * were asked for. */
const struct tree_place *engine_comm_place(struct engine_comm *engine, int rank, const struct tree_spec *spec, int root,
                                           enum tree_direction direction);

/* Memory for at least this many bytes, aligned to 64, contents undefined; NULL if there is none. */
char *engine_comm_memory(struct engine_comm *engine, size_t bytes);
/* Slots and queue for the schedule, and room in the transport; false without memory. */
bool engine_comm_make_room(struct engine_comm *engine);

/* Collective over the engine's communicator. */
void engine_comm_close(struct engine_comm *engine);
/* The same without freeing that: local. */
void engine_comm_release(struct engine_comm *engine);

#endif
