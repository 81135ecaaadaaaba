#include "assembly/id_table.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(uint64_t key, size_t room) {
    /* Fibonacci hashing: the high bits of the product depend on all bits of the key. */
    return (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (room - 1);
}

static void put(struct id_table *table, uint64_t key, uint32_t id) {
    size_t slot = slot_of(key, table->room);
    while (table->entries[slot].id != UINT32_MAX)
        slot = (slot + 1) & (table->room - 1);
    table->entries[slot] = (struct id_entry){key, id};
    table->used++;
}

uint32_t id_table_find(const struct id_table *table, uint64_t key) {
    if (table->room == 0)
        return UINT32_MAX;
    size_t slot = slot_of(key, table->room);
    while (table->entries[slot].id != UINT32_MAX && table->entries[slot].key != key)
        slot = (slot + 1) & (table->room - 1);
    return table->entries[slot].id;
}

bool id_table_add(struct id_table *table, uint64_t key, uint32_t id) {
    if ((table->used + 1) * 2 > table->room) {
        struct id_table grown = {.room = table->room ? table->room * 2 : 64};
        grown.entries = malloc(grown.room * sizeof *grown.entries);
        if (!grown.entries)
            return false;
        memset(grown.entries, 0xFF, grown.room * sizeof *grown.entries);
        for (size_t i = 0; i < table->room; i++)
            if (table->entries[i].id != UINT32_MAX)
                put(&grown, table->entries[i].key, table->entries[i].id);
        free(table->entries);
        *table = grown;
    }
    put(table, key, id);
    return true;
}

void id_table_free(struct id_table *table) {
    free(table->entries);
    *table = (struct id_table){0};
}
