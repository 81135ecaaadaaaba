#include "native/shared/pool.h"

#include <stdlib.h>

static char *places; /* the first one is not used */
static size_t place_bytes;
/* The first free place, and above it a number that changes with each use, so that an outdated exchange fails. */
static uint64_t first_free;
static uint64_t lacked;

static struct pool_place *place_at(uint32_t number) {
    return (struct pool_place *)(places + number * place_bytes);
}

bool pool_start(size_t count, size_t bytes) {
    if (places)
        return true;
    places = calloc(count, bytes);
    place_bytes = bytes;
    for (uint32_t i = 1; places && i < count; i++)
        *place_at(i) = (struct pool_place){.number = i, .next_free = i + 1 < count ? i + 1 : 0};
    first_free = 1;
    return places != NULL;
}

void *pool_take(void) {
    uint64_t was = __atomic_load_n(&first_free, __ATOMIC_ACQUIRE), next;
    do {
        if ((uint32_t)was == 0) {
            __atomic_add_fetch(&lacked, 1, __ATOMIC_RELAXED);
            return NULL;
        }
        next = ((was >> 32) + 1) << 32 | __atomic_load_n(&place_at((uint32_t)was)->next_free, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&first_free, &was, next, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return place_at((uint32_t)was);
}

void pool_give_back(void *taken) {
    struct pool_place *place = taken;
    uint64_t was = __atomic_load_n(&first_free, __ATOMIC_RELAXED), next;
    do {
        __atomic_store_n(&place->next_free, (uint32_t)was, __ATOMIC_RELAXED);
        next = ((was >> 32) + 1) << 32 | place->number;
    } while (!__atomic_compare_exchange_n(&first_free, &was, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

uint64_t pool_lacked(void) {
    return __atomic_load_n(&lacked, __ATOMIC_RELAXED);
}
