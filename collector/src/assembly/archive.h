/* Writes the OTF2 archive: definitions and events. */
#ifndef HOPSCOPE_ARCHIVE_H
#define HOPSCOPE_ARCHIVE_H

#include <otf2/otf2.h>

#include "assembly/progress.h"
#include "assembly/run.h"

/* Fixed ids of attribute and parameter definitions. */
#define ATTRIBUTE_ID(id, word, type, description) ATTRIBUTE_##id,
enum { ARCHIVE_ATTRIBUTES(ATTRIBUTE_ID) ATTRIBUTE_COUNT };
#undef ATTRIBUTE_ID
enum parameter { PARAMETER_SENDS_SKIPPED, PARAMETER_RECEIVES_SKIPPED };

/* Writes traces.otf2, traces.def and traces/ into a directory. Fills run_json with the text for the file run.json,
 * which the archive also contains; the caller frees it. On failure returns false with a message. */
bool archive_write(struct run *run, const char *directory, struct progress *progress, struct text *run_json,
                   char *message, size_t capacity);

/* Strings of the archive. A string gets its id at its first use. */
struct strings {
    struct id_table ids; /* the key is the hash of the text */
    char **texts;
    uint32_t count, room;
    OTF2_GlobalDefWriter *writer;
};
uint32_t string_id(struct strings *strings, const char *text);
void strings_free(struct strings *strings);

/* Writes all global definitions. */
bool write_definitions(struct run *run, OTF2_GlobalDefWriter *writer, struct strings *strings);

/* Writes one thread's events. False if libotf2 or memory failed. */
bool write_events(struct run *run, const struct process *process, struct spool_file *file, OTF2_EvtWriter *writer,
                  struct strings *strings, struct progress *progress);

/* Writes the event for the begin or the end of a transfer. Writes nothing if the window or file is unknown. */
OTF2_ErrorCode write_transfer(struct run *run, const struct process *process, const struct spool_record *record,
                              OTF2_EvtWriter *writer, uint64_t ns);
/* Writes the definitions of the windows and files of all transfers. Call it after the last write_transfer. */
bool write_transfer_definitions(const struct run *run, OTF2_GlobalDefWriter *writer, struct strings *strings);

uint64_t location_of(int rank, uint32_t thread);

#endif
