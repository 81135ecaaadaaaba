/* The schedules of all ranks, run against each other in memory. Messages and steps finish in random order: results must
 * not care. A unit is one number. */
#ifndef HOPSCOPE_SIMULATION_H
#define HOPSCOPE_SIMULATION_H

#include "plan/schedule.h"

enum { SIMULATION_RANKS = 20, SIMULATION_SLOTS = SLOT_OTHER + SIMULATION_RANKS };

struct actor {
    struct schedule schedule;
    uint64_t *slots[SIMULATION_SLOTS]; /* the user's two are given by the test, the others by simulation_place */
    bool *done, *started;
    int left;
};

extern struct actor actors[SIMULATION_RANKS];

/* The operation: a sum, or one that does not commute. Low halves first: x -> a x + b as a | b << 32. */
uint64_t simulation_sum(uint64_t in, uint64_t inout);
uint64_t simulation_compose(uint64_t in, uint64_t inout);

/* Gives the actor its own slots. */
void simulation_place(struct actor *actor);
/* Runs all schedules to their end, says (EXPECT) what is wrong, and releases the actors' own slots. Returns the number
 * of failures. */
int simulation_run(int size, uint64_t (*operation)(uint64_t in, uint64_t inout), const char *what);

#endif
