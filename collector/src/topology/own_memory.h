/* Identifies this rank's machine, and the memory that it can share with other ranks. */
#ifndef HOPSCOPE_OWN_MEMORY_H
#define HOPSCOPE_OWN_MEMORY_H

#include <stdint.h>

/* A number that is equal on all ranks of a machine and differs between machines. Ranks of one machine share its clock
 * and its processors. */
uint64_t own_machine(void);
/* A number that is equal on ranks that can share memory: they are on one machine and see the same /dev/shm, network and
 * host name. (Containers and namespaces of one machine count as different hosts.) It is below 2^53, so that JSON keeps
 * it exactly. */
uint64_t own_memory(void);

#endif
