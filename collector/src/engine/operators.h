/* Which operations the engine may combine with. */
#ifndef HOPSCOPE_OPERATORS_H
#define HOPSCOPE_OPERATORS_H

#include "engine/engine_comm.h"

/* True if the MPI library combines this datatype with this operation: always for the application's own operations; for
 * predefined ones the library is asked, once per pair. What it refuses it shall refuse itself, natively. */
bool operator_fits(struct engine_comm *engine, MPI_Op op, MPI_Datatype datatype);
bool operator_commutes(MPI_Op op);

#endif
