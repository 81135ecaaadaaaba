/* Simulates the schedules of all ranks, with messages in memory. Messages and steps finish in random order, which must
 * not affect results. A unit is a number of 64 bits. */
#ifndef HOPSCOPE_SIMULATION_H
#define HOPSCOPE_SIMULATION_H

#include "plan/schedule.h"

enum { SIMULATION_RANKS = 20, SIMULATION_SLOTS = SLOT_OTHER + SIMULATION_RANKS + 3 };

struct actor {
    struct schedule schedule;
    uint64_t *slots[SIMULATION_SLOTS]; /* the test provides the user's two slots, simulation_allocate the others */
    bool *started;
    int remaining;
    int *ready, ready_count; /* the steps whose predecessors are all finished, in any order */
};

extern struct actor actors[SIMULATION_RANKS];

/* The reduction operations: a sum, and the composition of functions x -> a x + b, which does not commute. A function is
 * stored as a | b << 32. */
uint64_t simulation_sum(uint64_t operand, uint64_t accumulator);
uint64_t simulation_compose(uint64_t operand, uint64_t accumulator);

/* Allocates an actor's slots other than the user's two. */
void simulation_allocate(struct actor *actor);
/* Runs all schedules to the end, reports errors (EXPECT), and frees the slots that are not the user's. Returns the
 * number of failures. */
int simulation_run(int size, uint64_t (*operation)(uint64_t operand, uint64_t accumulator), const char *label);

#endif
