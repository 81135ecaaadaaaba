/* Places for what belongs to the messages under way: a list that is allocated once, for all threads.
 *
 * Places are reused but never freed, so a thread that comes too late reads an outdated place, not foreign memory.
 */
#ifndef HOPSCOPE_NATIVE_POOL_H
#define HOPSCOPE_NATIVE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What each place begins with. */
struct pool_place {
    uint32_t number, next_free;
};

/* So many places of so many bytes each. False if memory runs out. */
bool pool_start(size_t count, size_t bytes);
/* NULL: none is left, because so many messages are under way. */
void *pool_take(void);
void pool_give_back(void *taken);
/* How often none was left. */
uint64_t pool_lacked(void);

#endif
