/* What the MPI library thinks of a call's arguments: asked on a communicator of this rank alone, so that its answer is
 * heard by nobody else. What it refuses there goes to it natively, and the error is its own, told once and to whom it
 * belongs. A library that checks no arguments refuses nothing. */
#ifndef HOPSCOPE_INQUIRY_H
#define HOPSCOPE_INQUIRY_H

#include "engine/engine.h"
#include "plan/operation.h"

/* Once, in MPI_Init. False if the library gives no communicator. */
bool inquiry_open(void);
void inquiry_close(void);

/* True if the library sends messages of this datatype: it is one, and it is committed. */
bool inquiry_takes_datatype(MPI_Datatype datatype);
/* True if it reads from and writes to this address. Any count but 0. */
bool inquiry_takes_address(const void *base, MPI_Datatype datatype);
/* True if it combines this datatype with this operation. */
bool inquiry_takes_operation(MPI_Op op, MPI_Datatype datatype);
/* True if it takes the two buffers of this rank beside one another: MPICH refuses some that are the same, where the
 * application should have said MPI_IN_PLACE; all of them refuse MPI_IN_PLACE where it has no meaning. The arguments are
 * sound apart from that. */
bool inquiry_takes_both(const struct engine_call *call, enum operation operation);

#endif
