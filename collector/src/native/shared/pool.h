/* Slots for the data of messages under way. They are allocated once, and all threads share them.
 *
 * Slots are reused but never freed. So a thread with an outdated pointer reads a reused slot, never freed memory. */
#ifndef HOPSCOPE_NATIVE_POOL_H
#define HOPSCOPE_NATIVE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each slot. */
struct pool_slot {
    uint32_t number, next_free;
};

/* Allocates `count` slots of `bytes` bytes each. False if memory runs out. */
bool pool_start(size_t count, size_t bytes);
/* Takes a slot. NULL if none is left, because too many messages are under way. */
void *pool_take(void);
void pool_give_back(void *slot_memory);
/* Number of calls of pool_take that returned NULL. */
uint64_t pool_lacked(void);

#endif
