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

struct topology; /* see src/topology */

/* Reads the tree file's text, which is equal on all ranks. Call it once, from MPI_Init, when every rank is present.
 * tree_text NULL: no engine. transport: this rank's transport within a machine. spawned: MPI_Comm_spawn started this
 * world, so its ranks are not those that the file lists. world: a communicator of the collector's own that has the
 * ranks of MPI_COMM_WORLD and returns errors; it must live until engine_stop. If the text is unusable, returns false
 * with a message (file:line:column: the fault; the remedy), and the caller aborts the job. */
bool engine_start(const char *tree_text, size_t length, const struct topology *topology, enum transport_name transport,
                  bool spawned, MPI_Comm world, char *message, size_t capacity);

/* True if the engine may run this function at all. The wrappers ask for every call, so the check is just one load. */
extern bool engine_served[];
static inline bool engine_serves(int function) {
    return engine_served[function];
}

/* Runs the call and returns true, with the MPI error code in *error. Or sends nothing and returns false with *reason,
 * the id of a reason definition. Which of the two depends only on values that MPI makes equal on every member. The
 * engine has already called the communicator's error handler, so the wrapper must return *error. */
bool engine_run(const struct engine_call *call, int *error, uint32_t *reason);

/* Frees the engine's state of a communicator that the application frees. Collective: all members must call it. */
void engine_comm_free(struct comm *comm);
/* Frees the engine's state of a communicator locally, but not the engine's own communicator. For two cases: at the end,
 * where MPI_Finalize frees that communicator, and if the application's communicator was freed without the collector's
 * knowledge. */
void engine_comm_abandon(struct comm *comm);
void engine_stop(void);

#endif
