/* A growing list of indices into a file's records. */
#ifndef HOPSCOPE_INDEX_LIST_H
#define HOPSCOPE_INDEX_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct index_list {
    size_t *items, count, room;
};

/* Appends an index. If memory runs out, returns false and leaves the list unchanged. */
static inline bool index_list_add(struct index_list *list, size_t index) {
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        size_t *items = realloc(list->items, room * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = index;
    return true;
}

/* True if an ascending list contains the index. Call it with ascending indices, so that all calls together pass the
 * list once. *next: the position in the list; set it to 0 before the first call. */
static inline bool index_list_has_next(const struct index_list *list, size_t *next, size_t index) {
    while (*next < list->count && list->items[*next] < index)
        ++*next;
    return *next < list->count && list->items[*next] == index;
}

static inline void index_list_free(struct index_list *list) {
    free(list->items);
    *list = (struct index_list){0};
}

#endif
