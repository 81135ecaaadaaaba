/* The blocking collective that the MPI library runs now on this thread. */
#ifndef HOPSCOPE_OPEN_COLLECTIVE_H
#define HOPSCOPE_OPEN_COLLECTIVE_H

#include "comm/comm.h"

struct native_collective {
    struct comm *comm; /* NULL: none, or it is not recorded */
    uint64_t seq;
    bool set_up;   /* in it, the library has made communicators for itself */
    bool silent;   /* its messages would be seen, and there has been none that is recorded */
    bool left_out; /* there have been messages that are not looked at; perhaps they are its own */
    /* Of its messages that are recorded: one is on its communicator; one is on another that the library made of it. */
    bool on_own, on_part;
    uint32_t called; /* the library's algorithm that was called first (openmpi_names.c); 0: none is known */
};

/* Messages are looked at. */
extern bool native_looks;

extern _Thread_local struct native_collective native_collective __attribute__((tls_model("initial-exec")));

#endif
