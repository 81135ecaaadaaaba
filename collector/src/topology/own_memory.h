/* Identifies this rank's machine, and the memory that it can share with other ranks. */
#ifndef HOPSCOPE_OWN_MEMORY_H
#define HOPSCOPE_OWN_MEMORY_H

#include <stdint.h>

/* A number that is equal on ranks of one machine, which share its clock and its processors. */
uint64_t own_machine(void);
/* A number that is equal on ranks of one machine that also see the same /dev/shm, network and host name: hosts that are
 * containers or namespaces of one machine share no memory. It is below 2^53, so that JSON keeps it exactly. */
uint64_t own_memory(void);

#endif
