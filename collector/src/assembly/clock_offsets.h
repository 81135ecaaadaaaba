/* Turns round trips between machines into clock measurements. */
#ifndef HOPSCOPE_CLOCK_OFFSETS_H
#define HOPSCOPE_CLOCK_OFFSETS_H

#include "assembly/run.h"

/* False if memory runs out. */
bool clock_offsets_find(struct run *run);

#endif
