/* Pairs the sides of intercommunicators between worlds, by the meetings that their leaders recorded. */
#ifndef HOPSCOPE_MEET_LEADERS_H
#define HOPSCOPE_MEET_LEADERS_H

#include "assembly/run.h"

/* The only process on a side that recorded the meeting with the other side. */
struct leader {
    const struct process *process;
    const struct comm_definition *definition;
    bool tied; /* the offset between its machine's and the reference machine's clock is known */
    int64_t begin_ns, end_ns, slack_ns; /* begin and end of its call, corrected; slack_ns: the times' largest error */
    int nth_there;  /* for MPI_Intercomm_create: number of earlier calls with the same peer and tag */
    size_t partner; /* index of the other side's leader; SIZE_MAX: unknown */
};

struct leaders {
    struct leader *items;
    size_t count;
};

/* Collects the leaders of a run. False if memory runs out. */
bool leaders_find(struct leaders *leaders, const struct run *run);
/* Finds all partners except those of MPI_Intercomm_create. Two leaders become partners only if nothing else is
 * possible. For a spawned world: its leader began MPI_Init inside the MPI_Comm_spawn call, and no other call fits the
 * group sizes. For a connection: both leaders used one port or socket at the same time. False if memory runs out. */
bool leaders_meet(struct leaders *leaders, const struct run *run);
/* Adds sentences to run->missing about leaders whose partner is unknown. */
void leaders_report(const struct leaders *leaders, struct run *run);
void leaders_free(struct leaders *leaders);

#endif
