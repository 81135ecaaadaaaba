/* Asks the MPI library to check a call's arguments. It asks on a communicator of this rank alone, so that no other rank
 * sees the error. If the library refuses the arguments, the call goes to the library natively, so that it reports its
 * own error once, to the right handler. A library that does not check arguments refuses nothing. */
#ifndef HOPSCOPE_INQUIRY_H
#define HOPSCOPE_INQUIRY_H

#include "engine/engine_call.h"
#include "plan/operation.h"

/* Call it once, in MPI_Init. False if the library gives no communicator. */
bool inquiry_open(void);
void inquiry_close(void);

/* True if the library can send this datatype: it is valid and committed. */
bool inquiry_accepts_datatype(MPI_Datatype datatype);
/* True if the library accepts this address for a buffer. The answer is valid for every count but 0. */
bool inquiry_accepts_address(const void *base, MPI_Datatype datatype);
/* True if the library combines this datatype with this operation. */
bool inquiry_accepts_operation(MPI_Op op, MPI_Datatype datatype);
/* True if the library accepts this rank's two buffers together. MPICH refuses some equal buffers, for which the
 * application should have passed MPI_IN_PLACE. All libraries refuse MPI_IN_PLACE in places where MPI does not define
 * it. Check the other arguments first. */
bool inquiry_accepts_buffers(const struct engine_call *call, enum operation operation);

#endif
