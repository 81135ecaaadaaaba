/* A hash table from 64-bit keys to 32-bit ids. */
#ifndef HOPSCOPE_ID_TABLE_H
#define HOPSCOPE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_table {
    struct id_entry {
        uint64_t key;
        uint32_t id; /* UINT32_MAX: free */
    } *entries;
    size_t room, used; /* room: a power of two, or 0 */
};

/* The id of a key; UINT32_MAX if the key is absent. */
uint32_t id_table_find(const struct id_table *table, uint64_t key);
/* Adds a key, which must be absent. False if memory runs out. */
bool id_table_add(struct id_table *table, uint64_t key, uint32_t id);
void id_table_free(struct id_table *table);

#endif
