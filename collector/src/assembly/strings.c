/* OTF2 string definitions, written when a text is first used. */
#include <stdlib.h>
#include <string.h>

#include "assembly/archive.h"
#include "hopscope/hash.h"

uint32_t string_id(struct strings *strings, const char *text) {
    uint64_t key = hash_text(HASH_START, text);
    uint32_t id;
    while ((id = id_table_find(&strings->ids, key)) != NO_ID && strcmp(strings->texts[id], text) != 0)
        key++;
    if (id != NO_ID)
        return id;
    if (strings->count == strings->room) {
        uint32_t room = strings->room ? strings->room * 2 : 64;
        char **texts = realloc(strings->texts, room * sizeof *texts);
        if (!texts)
            return OTF2_UNDEFINED_STRING;
        strings->texts = texts;
        strings->room = room;
    }
    char *copy = strdup(text);
    if (!copy || !id_table_add(&strings->ids, key, strings->count)) {
        free(copy);
        return OTF2_UNDEFINED_STRING;
    }
    strings->texts[strings->count] = copy;
    OTF2_GlobalDefWriter_WriteString(strings->writer, strings->count, text);
    return strings->count++;
}

void strings_free(struct strings *strings) {
    for (uint32_t i = 0; i < strings->count; i++)
        free(strings->texts[i]);
    free(strings->texts);
    id_table_free(&strings->ids);
    *strings = (struct strings){0};
}
