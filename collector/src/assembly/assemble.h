/* Creates the OTF2 archive of a run from the records of its ranks. The only writer of the archive (schemas/otf2.md).
 *
 * The collector loads it at MPI_Finalize (libhopscope-assemble.so). The launcher, `hopscope recover` and the first
 * analysis run it as a program (hopscope-assemble). It uses OTF2 but not MPI. */
#ifndef HOPSCOPE_ASSEMBLE_H
#define HOPSCOPE_ASSEMBLE_H

#include <stddef.h>

#include "assembly/progress.h"

/* Return codes of hopscope_assemble. */
enum assemble_outcome {
    ASSEMBLE_WHOLE = 0,      /* the message says if collectives ran without a recorded call */
    ASSEMBLE_INCOMPLETE = 1, /* there is an archive; the message lists its gaps */
    ASSEMBLE_FAILED = 2,     /* there is no archive; the message gives the reason and the next step */
    ASSEMBLE_LATER = 3,      /* no archive yet: some processes of the run still record or have yet to start */
};

/* Turns DIR/spool, and the spools of the worlds beneath it (run.h), into DIR/traces.otf2, traces.def, traces/ and
 * run.json. The results appear only at the very end, so a killed assembly can be repeated. A directory that is already
 * assembled does not change (WHOLE).
 *
 * If the run is complete, spool/ and presence/ are then removed unless HOPSCOPE_KEEP_SPOOL is 1. If it is incomplete,
 * they stay, because the missing spools may still be added. message: NUL-terminated, empty if there is nothing to say.
 * Returns enum assemble_outcome. */
__attribute__((visibility("default"))) int hopscope_assemble(const char *dir, char *message, size_t capacity);

/* Like hopscope_assemble, but returns LATER and does nothing while another world of the run still runs. Call it when a
 * world ends. */
__attribute__((visibility("default"))) int hopscope_assemble_after_all(const char *dir, char *message, size_t capacity);

/* Like hopscope_assemble, with progress reports. progress NULL: no reports. */
__attribute__((visibility("default"))) int hopscope_assemble_with_progress(const char *dir, char *message,
                                                                           size_t capacity, assemble_progress *progress,
                                                                           void *context);

#endif
