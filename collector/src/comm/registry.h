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
    COMM_ORIGIN_IDUP,
    COMM_ORIGIN_SPAWN,   /* the spawning side */
    COMM_ORIGIN_PARENT,  /* the spawned side */
    COMM_ORIGIN_ACCEPT,  /* one side */
    COMM_ORIGIN_CONNECT, /* the other */
    COMM_ORIGIN_JOIN,
};

/* How one side of an intercommunicator came together with the other, whose processes it may not know. Nothing that
 * both sides know is equal on all members; this is for the assembly to find out which sides belong together. */
struct meeting {
    bool leads;            /* this process knows what follows; one of each side does */
    uint64_t began, ended; /* ticks: the other side's leader was in its call at some instant between */
    uint64_t place;        /* ACCEPT, CONNECT: a hash of the port; JOIN: of the connection */
    MPI_Comm peer;         /* INTERCOMM: where the other leader is peer_rank (of the other group of an */
    int peer_rank;         /*   intercommunicator); else MPI_COMM_NULL */
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
/* Of a spawned process: takes in the communicator with its parents. began: the ticks when it called MPI_Init. */
void comm_registry_add_parent(MPI_Comm parent, uint64_t began);
/* Before PMPI_Finalize: forgets all. */
void comm_registry_stop(void);

/* Takes in a communicator that the application has just made from parent (MPI_COMM_NULL for one without).
 *
 * Its key is a hash over origin, parent, members in order, salt and how many communicators with these same four this
 * rank has made before. All members of a communicator took part in making the earlier ones with the same members, so
 * they count alike and, if all are of one world, get the same key without a message; over worlds, members have numbers
 * of their own for one another (members.h), and the assembly works out a common key. NULL, and the communicator stays
 * unknown, if it is MPI_COMM_NULL, has members that were never met, or memory fails. Keeps errno. */
struct comm *comm_register(MPI_Comm made, enum comm_origin origin, MPI_Comm parent, uint64_t salt);
/* The same for an intercommunicator, made by this side on the communicator local. Its other side may be new; the key
 * then does not hang on it. Where all are of one world, it is that of neither local nor a salt, but of INTERCOMM's. */
struct comm *comm_register_meeting(MPI_Comm made, enum comm_origin origin, MPI_Comm local, uint64_t salt,
                                   const struct meeting *meeting);

/* For MPI_Comm_idup, whose communicators are complete in any order but counted in order of the calls: what the
 * duplicate of parent made now will be (key 0: unknown parent), and its registration when it is complete. */
struct comm_promise {
    uint64_t key, parent_key;
    uint32_t nth;
    bool foreign;
};
struct comm_promise comm_promise(MPI_Comm parent);
struct comm *comm_register_promised(MPI_Comm made, const struct comm_promise *promise);

/* Before the application's communicator is freed. */
void comm_forget(MPI_Comm handle);
void comm_define_name(const struct comm *comm, const char *name);

#endif
