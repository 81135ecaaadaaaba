/* Slots for the data of messages under way: a list that is allocated once, for all threads.
 *
 * Slots are reused but never freed. So a thread that comes too late reads an outdated slot, never foreign memory. */
#ifndef HOPSCOPE_NATIVE_POOL_H
#define HOPSCOPE_NATIVE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head of each slot. */
struct pool_slot {
    uint32_t number, next_free;
};

/* Allocates `count` slots of `bytes` bytes each. False if memory runs out. */
bool pool_start(size_t count, size_t bytes);
/* Takes a slot. NULL: there is none left, because too many messages are under way. */
void *pool_take(void);
void pool_give_back(void *slot_memory);
/* Number of times that no slot was left. */
uint64_t pool_lacked(void);

#endif
