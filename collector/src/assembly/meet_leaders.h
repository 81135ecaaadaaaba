/* Which sides of intercommunicators between worlds belong together, by what their leaders say of the meeting. */
#ifndef HOPSCOPE_MEET_LEADERS_H
#define HOPSCOPE_MEET_LEADERS_H

#include "assembly/run.h"

/* The one process of a side that knows how it met the other. */
struct leader {
    const struct process *process;
    const struct comm_definition *definition;
    bool tied;                            /* its machine's clock to the reference's */
    int64_t began_ns, ended_ns, slack_ns; /* corrected; how wrong they may be */
    int nth_there;                        /* of an MPI_Intercomm_create: how many with the same peer and tag before */
    size_t partner;                       /* index; SIZE_MAX: not known */
};

struct leaders {
    struct leader *items;
    size_t count;
};

/* False if memory fails. */
bool leaders_find(struct leaders *leaders, const struct run *run);
/* Finds the partners of all but MPI_Intercomm_create's. Two are partners only if nothing else can be: a spawned world's
 * leader began MPI_Init inside the call of MPI_Comm_spawn, and none of the others' that the groups' sizes allow;
 * connections were made at one port, or over one socket, at one time. False if memory fails. */
bool leaders_meet(struct leaders *leaders, const struct run *run);
/* Sentences about those who met somebody unknown. */
void leaders_say(const struct leaders *leaders, struct run *run);
void leaders_free(struct leaders *leaders);

#endif
