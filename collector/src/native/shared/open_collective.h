/* The blocking collective that the MPI library currently runs on this thread. */
#ifndef HOPSCOPE_OPEN_COLLECTIVE_H
#define HOPSCOPE_OPEN_COLLECTIVE_H

#include "comm/comm.h"

struct native_collective {
    struct comm *comm; /* NULL: none, or it is not recorded */
    uint64_t seq;
    bool set_up;   /* the library has created communicators of its own in it */
    bool silent;   /* its messages would be seen, and none has been recorded */
    bool left_out; /* messages have passed that are not looked at; they may be its own */
    /* At least one recorded message is on its communicator; on a hidden communicator that derives from it. */
    bool uses_comm, uses_hidden_comm;
    uint32_t called; /* the library's algorithm that was called first (openmpi/names.c); 0: unknown */
};

/* True while messages are looked at. */
extern bool native_looks;

extern _Thread_local struct native_collective native_collective __attribute__((tls_model("initial-exec")));

#endif
