/* run.json: the facts of a run (schemas/run.schema.json). */
#ifndef HOPSCOPE_RUN_JSON_H
#define HOPSCOPE_RUN_JSON_H

#include "assembly/run.h"

void run_json_write(const struct run *run, struct text *out);

#endif
