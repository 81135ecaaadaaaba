/* Enter and leave of calls that all members of a communicator, window or file make and that are no collectives of MPI:
 * making communicators, windows and files, fences, resizing files.
 *
 * They are recorded as collectives without bytes of the window or file, or of the communicator from which it is made.
 * The MPI library's messages in them belong to no collective. If the communicator, window or file is unknown, the call
 * is recorded like any other. */
#ifndef HOPSCOPE_OBJECT_CALLS_H
#define HOPSCOPE_OBJECT_CALLS_H

#include "wrappers/call.h"

/* bits: HANDLE_BITS of the communicator, window or file. */
void object_call_enter(struct call *call, enum mpi_function function, const void *caller, uint64_t bits);
int object_call_leave(struct call *call);

/* Call them before and after the library frees a window or file. */
struct comm *object_withdraw(uint64_t bits);

#endif
