#include "wrappers/requests.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static bool needs_lock;
static bool is_locked;
static struct request *table; /* hash table, linear probing; the size is a power of two; no tombstones */
static size_t capacity, used;
static uint64_t last_order;

/* Takes the lock of the table, if threads may call MPI concurrently. Spins, because the lock is held only for a few
 * dozen instructions, except when the table grows. */
static void lock(void) {
    if (!needs_lock)
        return;
    for (int spins = 0; __atomic_exchange_n(&is_locked, true, __ATOMIC_ACQUIRE); spins++)
        if (spins > 100)
            sched_yield();
}

static void unlock(void) {
    if (needs_lock)
        __atomic_store_n(&is_locked, false, __ATOMIC_RELEASE);
}

static uint64_t bits_of(MPI_Request handle) {
    return (uint64_t)(uintptr_t)handle;
}

/* The key of a matched message, which is in the same table as requests. Inverting bit 62 keeps the keys apart: in
 * handles of requests, which are user-space addresses or sign-extended ints, bits 62 and 63 are equal. */
static uint64_t bits_of_message(MPI_Message message) {
    return (uint64_t)(uintptr_t)message ^ (uint64_t)1 << 62;
}

static size_t first_slot(uint64_t handle, size_t size) {
    return (handle * 0x9E3779B97F4A7C15u >> 24) & (size - 1);
}

static void put(struct request *slots, size_t size, const struct request *request) {
    size_t i = first_slot(request->handle, size);
    while (slots[i].handle)
        i = (i + 1) & (size - 1);
    slots[i] = *request;
}

static bool grow(void) {
    int saved_errno = errno;
    size_t size = capacity ? capacity * 2 : 4096;
    struct request *larger = calloc(size, sizeof *larger);
    errno = saved_errno;
    if (!larger)
        return false;
    for (size_t i = 0; i < capacity; i++)
        if (table[i].handle)
            put(larger, size, &table[i]);
    free(table);
    table = larger;
    capacity = size;
    return true;
}

void requests_start(bool threads) {
    needs_lock = threads;
    grow();
}

bool requests_complete_at_once(MPI_Request handle) {
#ifdef OMPI_MPI_H
    return handle == (MPI_Request)openmpi_handles.ompi_request_empty;
#else
    /* The two highest bits of MPICH's 32-bit handles are the kind of the object. Kind 1 is a built-in object; such a
     * request is complete from the beginning. */
    return (uintptr_t)handle >> 30 == 1;
#endif
}

/* The oldest request with this handle. active: considers only active requests. NULL if there is none. */
static struct request *oldest(uint64_t handle, bool active) {
    struct request *match = NULL;
    if (!capacity)
        return NULL;
    for (size_t i = first_slot(handle, capacity); table[i].handle; i = (i + 1) & (capacity - 1)) {
        struct request *request = &table[i];
        if (request->handle == handle && (request->active || !active) && (!match || request->order < match->order))
            match = request;
    }
    return match;
}

/* Removes an entry. Moves later entries back into the gap if they were displaced beyond it (Knuth, TAOCP vol. 3, 6.4,
 * algorithm R). */
static void remove_at(struct request *request) {
    size_t gap = (size_t)(request - table), mask = capacity - 1;
    for (size_t i = (gap + 1) & mask; table[i].handle; i = (i + 1) & mask) {
        size_t home = first_slot(table[i].handle, capacity);
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            table[gap] = table[i];
            gap = i;
        }
    }
    table[gap].handle = 0;
    used--;
}

static void add(uint64_t handle, struct request request) {
    lock();
    if (handle && (used * 2 < capacity || grow())) {
        request.handle = handle;
        request.order = ++last_order;
        put(table, capacity, &request);
        used++;
    }
    unlock();
}

static bool take(uint64_t handle, struct request *request) {
    lock();
    struct request *match = oldest(handle, true);
    if (match) {
        *request = *match;
        if (match->persistent)
            match->active = match->cancelled = false;
        else
            remove_at(match);
    }
    unlock();
    return match != NULL;
}

void requests_add(MPI_Request handle, struct request request) {
    if (handle != MPI_REQUEST_NULL)
        add(bits_of(handle), request);
}

bool requests_take(MPI_Request handle, struct request *request) {
    return take(bits_of(handle), request);
}

bool requests_look_up(MPI_Request handle, struct request *request) {
    lock();
    struct request *match = oldest(bits_of(handle), false);
    if (match)
        *request = *match;
    unlock();
    return match != NULL;
}

bool requests_activate(MPI_Request handle, uint64_t id, uint32_t gap, struct request *request) {
    lock();
    struct request *match = oldest(bits_of(handle), false);
    if (match) {
        match->active = true;
        match->id = id;
        match->gap = gap;
        match->unready = match->partitions;
        *request = *match;
        match->seq++;
    }
    unlock();
    return match != NULL;
}

bool requests_ready(MPI_Request handle, int partitions, uint32_t gap, struct request *request) {
    bool is_ready = false;
    lock();
    struct request *match = oldest(bits_of(handle), true);
    if (match && match->unready > 0) {
        match->unready -= partitions;
        is_ready = match->unready <= 0;
    }
    if (is_ready) {
        match->gap = gap;
        *request = *match;
    }
    unlock();
    return is_ready;
}

bool requests_is_inactive(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL)
        return true;
    lock();
    bool is_inactive = oldest(bits_of(handle), false) && !oldest(bits_of(handle), true);
    unlock();
    return is_inactive;
}

void requests_mark_cancelled(MPI_Request handle) {
    lock();
    struct request *match = oldest(bits_of(handle), true);
    if (match)
        match->cancelled = true;
    unlock();
}

void requests_forget(MPI_Request handle) {
    lock();
    struct request *match = oldest(bits_of(handle), false);
    if (match)
        remove_at(match);
    unlock();
}

void requests_add_message(MPI_Message message, uint32_t comm) {
    if (comm)
        add(bits_of_message(message), (struct request){.kind = REQUEST_MESSAGE, .active = true, .comm = comm});
}

uint32_t requests_take_message(MPI_Message message) {
    struct request request;
    return take(bits_of_message(message), &request) ? request.comm : 0;
}
