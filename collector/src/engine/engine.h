/* The tree engine: runs the collectives that the tree file names, as point-to-point messages on its own
 * communicator. */
#ifndef HOPSCOPE_ENGINE_H
#define HOPSCOPE_ENGINE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "engine/engine_call.h"

struct topology; /* src/topology */

/* Takes the tree file's text, which all ranks share, after every rank is known to be present. tree_text NULL: no
 * engine. transport: what this rank would use within a machine. spawned: this world came by MPI_Comm_spawn, so the
 * ranks that the file lists are others. world: a communicator of the collector's own like MPI_COMM_WORLD, with errors
 * returned; it must live until engine_stop. Returns false with a message (file:line:column: what is wrong; what would
 * be right) for an unusable text; the caller then aborts the job. Call once, from MPI_Init. */
bool engine_start(const char *tree_text, size_t length, const struct topology *topology, enum transport_name transport,
                  bool spawned, MPI_Comm world, char *message, size_t capacity);

/* True if the engine may run this function at all: one load and a branch, for the wrappers' hot path. */
extern bool engine_served[];
static inline bool engine_serves(int function) {
    return engine_served[function];
}

/* Runs the call and returns true with the MPI error code in *error. Or sends nothing and returns false with *reason,
 * the id of a reason definition. What MPI makes equal on every member decides which (DESIGN section 2). *error is what
 * the call must return after calling the communicator's error handler. */
bool engine_run(const struct engine_call *call, int *error, uint32_t *reason);

/* Frees what the engine keeps for a communicator that the application frees (called on all members). */
void engine_comm_free(struct comm *comm);
/* The same without the other members, so without freeing the engine's communicator. For the end, where MPI_Finalize
 * frees it, and for a communicator that was freed unseen. */
void engine_comm_abandon(struct comm *comm);
void engine_stop(void);

#endif
