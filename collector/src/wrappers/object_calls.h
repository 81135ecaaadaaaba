/* Enter and leave of calls that all members of a communicator, window or file make together, but that are not
 * collectives in MPI's sense: creating communicators, windows and files, fences, and resizing files.
 *
 * Such a call is recorded as a collective without bytes on the window or file, or on the communicator from which the
 * new object is made. The MPI library's messages in the call belong to no collective. If the communicator, window or
 * file is unknown, the call is recorded like any other call. */
#ifndef HOPSCOPE_OBJECT_CALLS_H
#define HOPSCOPE_OBJECT_CALLS_H

#include "wrappers/call.h"

/* bits: HANDLE_BITS of the communicator, window or file. */
void object_call_enter(struct call *call, enum mpi_function function, const void *caller, uint64_t bits);
int object_call_leave(struct call *call);

/* Call it before the library frees a window or file, and comm_settle after that. */
struct comm *object_withdraw(uint64_t bits);

#endif
