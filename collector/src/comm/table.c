/* A hash table from handles to communicators, with open addressing. Its readers take no lock.
 *
 * A slot's handle is stored after its communicator, and a freed slot becomes a tombstone, so a reader sees only whole
 * entries. MPI forbids using a communicator while another thread frees it, so there is no other race. A full table is
 * replaced by one of twice the size. The old table stays until the end, because a reader may still be using it. All old
 * tables together are no larger than the current one. */
#include "comm/table.h"

#include <stdlib.h>

#include "comm/comm.h"

enum { EMPTY = 0, TOMBSTONE = 1 }; /* no MPI library uses these values as handles */

struct slot {
    uint64_t handle;
    struct comm *comm;
};

struct table {
    struct table *outgrown;
    size_t capacity, used; /* used: slots that are not EMPTY */
    struct slot slots[];
};

static struct table *table;

uint64_t comm_generation = 1;
_Thread_local struct comm_memory comm_memory __attribute__((tls_model("initial-exec")));

static size_t first_slot(uint64_t handle, size_t capacity) {
    return (handle * 0x9E3779B97F4A7C15u >> 24) & (capacity - 1);
}

static struct slot *find_slot(struct table *current, uint64_t handle) {
    for (size_t i = first_slot(handle, current->capacity);; i = (i + 1) & (current->capacity - 1)) {
        uint64_t occupant = __atomic_load_n(&current->slots[i].handle, __ATOMIC_ACQUIRE);
        if (occupant == handle)
            return &current->slots[i];
        if (occupant == EMPTY)
            return NULL;
    }
}

struct comm *comm_look_up(uint64_t bits) {
    uint64_t generation = __atomic_load_n(&comm_generation, __ATOMIC_ACQUIRE);
    struct table *current = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    if (!current || bits == EMPTY || bits == TOMBSTONE)
        return NULL;
    struct slot *slot = find_slot(current, bits);
    if (!slot)
        return NULL;
    comm_memory = (struct comm_memory){bits, generation, slot->comm};
    return slot->comm;
}

static void put(struct table *target, uint64_t handle, struct comm *comm) {
    size_t i = first_slot(handle, target->capacity);
    while (target->slots[i].handle > TOMBSTONE)
        i = (i + 1) & (target->capacity - 1);
    target->used += target->slots[i].handle == EMPTY;
    target->slots[i].comm = comm;
    __atomic_store_n(&target->slots[i].handle, handle, __ATOMIC_RELEASE);
}

static bool grow(void) {
    size_t capacity = table ? table->capacity * 2 : 256;
    struct table *larger = calloc(1, sizeof *larger + capacity * sizeof larger->slots[0]);
    if (!larger)
        return false;
    larger->outgrown = table;
    larger->capacity = capacity;
    for (size_t i = 0; table && i < table->capacity; i++)
        if (table->slots[i].handle > TOMBSTONE)
            put(larger, table->slots[i].handle, table->slots[i].comm);
    __atomic_store_n(&table, larger, __ATOMIC_RELEASE);
    return true;
}

bool comm_table_add(struct comm *comm) {
    if ((!table || table->used * 2 >= table->capacity) && !grow())
        return false;
    put(table, comm->bits, comm);
    return true;
}

struct comm *comm_table_remove(uint64_t bits) {
    struct slot *slot = table && bits > TOMBSTONE ? find_slot(table, bits) : NULL;
    if (!slot)
        return NULL;
    struct comm *comm = slot->comm;
    __atomic_store_n(&slot->handle, TOMBSTONE, __ATOMIC_RELEASE);
    __atomic_add_fetch(&comm_generation, 1, __ATOMIC_ACQ_REL);
    /* No search passes beyond an empty slot, so tombstones right before it can become empty too. Without this, a
     * program that creates and frees communicators in a loop would fill the table. */
    size_t mask = table->capacity - 1, i = (size_t)(slot - table->slots);
    if (table->slots[(i + 1) & mask].handle == EMPTY) {
        for (; table->slots[i].handle == TOMBSTONE; i = (i - 1) & mask) {
            __atomic_store_n(&table->slots[i].handle, EMPTY, __ATOMIC_RELEASE);
            table->used--;
        }
    }
    return comm;
}

void comm_table_each(void (*visit)(struct comm *comm)) {
    for (size_t i = 0; table && i < table->capacity; i++)
        if (table->slots[i].handle > TOMBSTONE)
            visit(table->slots[i].comm);
}

const struct comm *comm_table_of_local(MPI_Comm local) {
    for (size_t i = 0; table && i < table->capacity; i++)
        if (table->slots[i].handle > TOMBSTONE && table->slots[i].comm->inter && table->slots[i].comm->local == local)
            return table->slots[i].comm;
    return NULL;
}

void comm_table_clear(void) {
    struct table *outgrown_table = table;
    __atomic_store_n(&table, NULL, __ATOMIC_RELEASE);
    __atomic_add_fetch(&comm_generation, 1, __ATOMIC_ACQ_REL);
    while (outgrown_table) {
        struct table *next = outgrown_table->outgrown;
        free(outgrown_table);
        outgrown_table = next;
    }
}
