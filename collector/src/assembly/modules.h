/* The distinct programs and libraries that contain call sites, over all ranks. */
#ifndef HOPSCOPE_MODULES_H
#define HOPSCOPE_MODULES_H

#include "assembly/run.h"

/* Writes a JSON array of {"name", "path", "build_id"} (schemas/run.schema.json). */
void modules_write(const struct run *run, struct text *output);

#endif
