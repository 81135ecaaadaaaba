/* The blocking collective that the MPI library currently runs on this thread. */
#ifndef HOPSCOPE_OPEN_COLLECTIVE_H
#define HOPSCOPE_OPEN_COLLECTIVE_H

#include "comm/comm.h"

struct native_collective {
    struct comm *comm; /* NULL: there is none, or it is not recorded */
    uint64_t seq;
    bool set_up;   /* the library has created communicators of its own in it */
    bool silent;   /* its messages can be recorded, but none has been so far */
    bool left_out; /* messages have passed that are not recorded; they may belong to it */
    /* uses_comm: a recorded message passed on the collective's own communicator. uses_hidden_comm: one passed on a
     * hidden communicator that the library derived from it. */
    bool uses_comm, uses_hidden_comm;
    uint32_t called; /* the library's algorithm that was called first (openmpi/names.c); 0: unknown */
};

/* True while messages are recorded. */
extern bool native_looks;

extern _Thread_local struct native_collective native_collective __attribute__((tls_model("initial-exec")));

#endif
