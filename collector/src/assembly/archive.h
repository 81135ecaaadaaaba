/* Writing the OTF2 archive: definitions and events. */
#ifndef HOPSCOPE_ARCHIVE_H
#define HOPSCOPE_ARCHIVE_H

#include <otf2/otf2.h>

#include "assembly/assemble.h"
#include "assembly/run.h"

/* Fixed ids of attribute definitions, and of parameter definitions. */
enum {
    ATTRIBUTE_ENGINE,
    ATTRIBUTE_SEQ,
    ATTRIBUTE_COMM,
    ATTRIBUTE_FUNCTION,
    ATTRIBUTE_GAP,
    ATTRIBUTE_PEER,
    ATTRIBUTE_TAG,
    ATTRIBUTE_REQUEST,
    ATTRIBUTE_COUNT
};
enum parameter { PARAMETER_SENDS_SKIPPED, PARAMETER_RECEIVES_SKIPPED };

struct progress {
    assemble_progress *report; /* NULL: silent */
    void *context;
    uint64_t done, total; /* bytes of spools */
};

/* Writes DIR/.../traces.otf2 and what belongs to it into directory. run_json: the text that also becomes run.json; it
 * is asked for when the events are counted. False with a message. */
bool archive_write(struct run *run, const char *directory, struct progress *progress, struct text *run_json,
                   char *message, size_t capacity);

/* Strings get their ids as they are first used. */
struct strings {
    struct id_table ids; /* by hash of the text */
    char **texts;
    uint32_t count, room;
    OTF2_GlobalDefWriter *writer;
};
uint32_t string_id(struct strings *strings, const char *text);
void strings_free(struct strings *strings);

/* All global definitions; reasons: string ids of process reasons were taken from the same strings. */
bool write_definitions(struct run *run, OTF2_GlobalDefWriter *writer, struct strings *strings);

/* One thread's events. False if libotf2 or memory failed. */
bool write_events(struct run *run, const struct process *process, struct spool_file *file, OTF2_EvtWriter *writer,
                  struct strings *strings, struct progress *progress);

uint64_t location_of(int rank, uint32_t thread);

#endif
