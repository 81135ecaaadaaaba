#include "native/shared/pool.h"

#include <stdlib.h>

static char *slots; /* slot 0 is not used: the number 0 stands for "no slot" */
static size_t slot_bytes;
/* The number of the first free slot, in the lower half. The upper half is a counter that changes at each use, so that a
 * compare-and-swap with an outdated value fails. */
static uint64_t first_free;
static uint64_t lack_count;

static struct pool_slot *slot_at(uint32_t number) {
    return (struct pool_slot *)(slots + number * slot_bytes);
}

bool pool_start(size_t count, size_t bytes) {
    if (slots)
        return true;
    slots = calloc(count, bytes);
    slot_bytes = bytes;
    for (uint32_t i = 1; slots && i < count; i++)
        *slot_at(i) = (struct pool_slot){.number = i, .next_free = i + 1 < count ? i + 1 : 0};
    first_free = 1;
    return slots != NULL;
}

void *pool_take(void) {
    uint64_t head = __atomic_load_n(&first_free, __ATOMIC_ACQUIRE), next;
    do {
        if ((uint32_t)head == 0) {
            __atomic_add_fetch(&lack_count, 1, __ATOMIC_RELAXED);
            return NULL;
        }
        next = ((head >> 32) + 1) << 32 | __atomic_load_n(&slot_at((uint32_t)head)->next_free, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&first_free, &head, next, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return slot_at((uint32_t)head);
}

void pool_give_back(void *slot_memory) {
    struct pool_slot *slot = slot_memory;
    uint64_t head = __atomic_load_n(&first_free, __ATOMIC_RELAXED), next;
    do {
        __atomic_store_n(&slot->next_free, (uint32_t)head, __ATOMIC_RELAXED);
        next = ((head >> 32) + 1) << 32 | slot->number;
    } while (!__atomic_compare_exchange_n(&first_free, &head, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

uint64_t pool_lacked(void) {
    return __atomic_load_n(&lack_count, __ATOMIC_RELAXED);
}
