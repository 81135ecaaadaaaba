/* The blocking collective that the MPI library currently runs on this thread. */
#ifndef HOPSCOPE_OPEN_COLLECTIVE_H
#define HOPSCOPE_OPEN_COLLECTIVE_H

#include "comm/comm.h"

struct native_collective {
    struct comm *comm; /* the collective's communicator; NULL: there is no collective, or it is not recorded */
    uint64_t seq;
    bool set_up;   /* the library has created, or first used, communicators of its own in this collective */
    bool silent;   /* messages can be recorded, but none of this collective has been so far */
    bool left_out; /* messages that are not recorded have passed in this call; they may belong to the collective */
    /* uses_comm: a recorded message passed on the collective's own communicator. uses_hidden_comm: a recorded message
     * passed on a hidden communicator that the library derived from it. */
    bool uses_comm, uses_hidden_comm;
    uint32_t called; /* the library's algorithm that was called first (openmpi/names.c); 0: unknown */
};

/* True while messages inside the MPI library are recorded. */
extern bool native_looks;

extern _Thread_local struct native_collective native_collective __attribute__((tls_model("initial-exec")));

#endif
