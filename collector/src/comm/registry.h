/* Making and forgetting the communicators that comm.h finds. */
#ifndef HOPSCOPE_COMM_REGISTRY_H
#define HOPSCOPE_COMM_REGISTRY_H

#include "comm/comm.h"

/* How a communicator came to be; part of its key. */
enum comm_origin {
    COMM_ORIGIN_WORLD,
    COMM_ORIGIN_SELF,
    COMM_ORIGIN_DUP,
    COMM_ORIGIN_SPLIT,
    COMM_ORIGIN_CREATE,
    COMM_ORIGIN_CREATE_GROUP,
    COMM_ORIGIN_TOPOLOGY,
    COMM_ORIGIN_INTERCOMM,
    COMM_ORIGIN_MERGE,
    COMM_ORIGIN_GROUP,
};

/* After PMPI_Init: registers MPI_COMM_WORLD and MPI_COMM_SELF. False if memory or MPI fails. */
bool comm_registry_start(void);
/* Without MPI_Init: ranks are those of this group, which is freed by comm_registry_stop. Registers nothing. */
bool comm_registry_start_from(MPI_Group world);
/* MPI_Init came after that: registers MPI_COMM_WORLD and MPI_COMM_SELF. */
void comm_registry_add_world(void);
/* Writes the definitions of all communicators known so far: once recording has begun. */
void comm_registry_define_all(void);
/* Whom to tell of a communicator that is forgotten because its handle has come again: it was freed unseen. */
void comm_registry_tell_of_lost(void (*tell)(struct comm *comm));
/* While nothing else happens: in MPI_Init and MPI_Finalize. */
void comm_registry_each(void (*visit)(struct comm *comm));
/* Before PMPI_Finalize: forgets all. */
void comm_registry_stop(void);

/* Takes in a communicator that the application has just made from parent (MPI_COMM_NULL for one without).
 *
 * Its key is a hash over origin, parent, members in order, salt and how many communicators with these same four this
 * rank has made before. All members of a communicator took part in making the earlier ones with the same members, so
 * they count alike and get the same key without a message. NULL, and the communicator stays unknown, if it is
 * MPI_COMM_NULL, has members outside MPI_COMM_WORLD, or memory fails. Keeps errno. */
struct comm *comm_register(MPI_Comm made, enum comm_origin origin, MPI_Comm parent, uint64_t salt);

/* For MPI_Comm_idup, whose communicators are complete in any order but counted in order of the calls: the key that a
 * duplicate of parent made now will have (0: unknown parent), and its registration when it is complete. */
uint64_t comm_reserve_key(MPI_Comm parent);
struct comm *comm_register_reserved(MPI_Comm made, MPI_Comm parent, uint64_t key);

/* Before the application's communicator is freed. */
void comm_forget(MPI_Comm handle);
void comm_define_name(const struct comm *comm, const char *name);

#endif
