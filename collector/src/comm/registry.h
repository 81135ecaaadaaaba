/* Creates and forgets the communicators that comm.h finds. */
#ifndef HOPSCOPE_COMM_REGISTRY_H
#define HOPSCOPE_COMM_REGISTRY_H

#include "comm/comm.h"

/* The operation that created a communicator; part of its key. */
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
    COMM_ORIGIN_ACCEPT,  /* the side of MPI_Comm_accept */
    COMM_ORIGIN_CONNECT, /* the side of MPI_Comm_connect */
    COMM_ORIGIN_JOIN,
    COMM_ORIGIN_WINDOW,
    COMM_ORIGIN_FILE,
};

/* One side's data about the creation of an intercommunicator, which the assembly uses to find the other side. The two
 * sides may know nothing of each other's processes, so they cannot agree on a key while the program runs. */
struct meeting {
    bool leads;                      /* the fields below are set; exactly one process on each side leads */
    uint64_t begin_ticks, end_ticks; /* begin and end of this leader's call, which overlaps the other leader's */
    uint64_t place_hash;             /* ACCEPT, CONNECT: a hash of the port; JOIN: of the connection */
    MPI_Comm peer;                   /* INTERCOMM: a communicator with both leaders; else MPI_COMM_NULL */
    int peer_rank; /* the other leader's rank in `peer`; if that is an intercommunicator, in its remote group */
};

/* Starts the registry and registers MPI_COMM_WORLD and MPI_COMM_SELF. Call it after PMPI_Init. False if memory or MPI
 * fails. */
bool comm_registry_start(void);
/* Starts the registry for a program that begins with a session instead of MPI_Init. World ranks are the ranks of this
 * group, which comm_registry_stop frees. Registers no communicator. False if memory or MPI fails. */
bool comm_registry_start_from(MPI_Group world);
/* Registers MPI_COMM_WORLD and MPI_COMM_SELF. Call it if MPI_Init comes after the first session. */
void comm_registry_add_world(void);
/* Writes the definitions of all communicators known so far. Call it when recording begins. */
void comm_registry_define_all(void);
/* Sets the function to call when a new communicator has a known handle. The old communicator of this handle was then
 * freed without the collector's knowledge. It is passed to the function, and then forgotten. */
void comm_registry_tell_of_lost(void (*tell)(struct comm *comm));
/* Sets the function to call for each communicator before comm_find returns it, and calls it for all existing ones.
 * NULL: no function. Call it only in MPI_Init and MPI_Finalize. */
void comm_registry_tell_of_new(void (*tell)(struct comm *comm));
/* Visits all communicators. Call it only in MPI_Init and MPI_Finalize, when nothing else runs. */
void comm_registry_each(void (*visit)(struct comm *comm));
/* The intercommunicator that has this hidden local communicator; NULL if there is none. Takes a lock. */
const struct comm *comm_registry_of_local(MPI_Comm local);
/* Adds the intercommunicator that connects a spawned process to its parents (MPI_Comm_get_parent). init_ticks: the time
 * at which the process called MPI_Init. */
void comm_registry_add_parent(MPI_Comm parent, uint64_t init_ticks);
/* Call it before PMPI_Finalize: forgets all communicators. */
void comm_registry_stop(void);

/* Registers a communicator that the application has just created from parent (MPI_COMM_NULL: no parent).
 *
 * Its key is a hash of its origin, parent, members in order, salt, and the number of communicators with the same four
 * that this rank created before. All members took part in creating these earlier ones, so all have the same count. So
 * within one world all get the same key without a message. Across worlds each process numbers the others by itself
 * (members.h), and the assembly computes a common key. Returns NULL, and the communicator stays unknown, if the handle
 * is MPI_COMM_NULL, memory fails, or a member is an unknown process. Keeps errno. */
struct comm *comm_register(MPI_Comm handle, enum comm_origin origin, MPI_Comm parent, uint64_t salt);
/* Registers an intercommunicator that this side created on the communicator `local`. The two sides have different local
 * communicators, so the key's inputs are origin INTERCOMM and no parent. Within one world both sides then get the same
 * key. */
struct comm *comm_register_meeting(MPI_Comm handle, enum comm_origin origin, MPI_Comm local, uint64_t salt,
                                   const struct meeting *meeting);

/* The key of a duplicate that MPI_Comm_idup has begun. Duplicates may complete in any order, so the key is fixed when
 * the call is made, and the duplicate is registered when it is complete. key 0: the parent is unknown. */
struct comm_promise {
    uint64_t key, parent_key;
    uint32_t nth;
    bool foreign;
};
struct comm_promise comm_promise(MPI_Comm parent);
struct comm *comm_register_promised(MPI_Comm handle, const struct comm_promise *promise);

/* Registers a window or file that the application has just made from the communicator `parent`. Returns NULL if memory
 * fails, or if the communicator is unknown or has one process: nobody then waits for another process. */
struct comm *comm_register_object(uint64_t bits, enum comm_origin origin, MPI_Comm parent, const char *name);
/* Removes a window or file from the table before the application frees it, so that a new object may get its handle.
 * Returns NULL if it is unknown. */
struct comm *comm_withdraw(uint64_t bits);
/* Call it after the MPI call that frees a withdrawn window or file. is_freed: that call succeeded, so this forgets the
 * window or file; otherwise adds it to the table again. */
void comm_settle(struct comm *comm, bool is_freed);

/* Call it before the application's communicator is freed. */
void comm_forget(MPI_Comm handle);
void comm_define_name(const struct comm *comm, const char *name);

#endif
