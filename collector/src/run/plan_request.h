/* The tree and topology files that the user requested. Rank 0 reads them, and every rank gets the same texts. */
#ifndef HOPSCOPE_PLAN_REQUEST_H
#define HOPSCOPE_PLAN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "plan/request.h"
#include "run/machines.h"

struct topology;

struct plan_request {
    struct requested_text tree, topology_file;
    struct topology *topology;
};

/* Reads the files. Collective over comm. On failure returns false on every rank, with a message of the form
 * FILE:LINE:COLUMN: error; correction. */
bool plan_request_read(struct plan_request *request, const struct config *config, MPI_Comm comm, int rank,
                       const struct machines *machines, char *message, size_t capacity);
/* Writes the requested tree.json and topology.json into the trace directory. */
void plan_request_keep(const struct plan_request *request, const char *directory);
/* Frees the texts. The topology then belongs to the caller. */
void plan_request_free(struct plan_request *request);

#endif
