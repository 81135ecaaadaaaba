/* Writes run.json, the facts of a run (schemas/run.schema.json). */
#ifndef HOPSCOPE_RUN_JSON_H
#define HOPSCOPE_RUN_JSON_H

#include "assembly/run.h"

/* The earliest start of a rank, in ns since 1970; 0: unknown. */
int64_t run_started_ns(const struct run *run);
void run_json_write(const struct run *run, struct text *output);

#endif
