#include "run/plan_request.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/file_guard.h"
#include "log/log.h"

#ifdef HOPSCOPE_HAVE_ENGINE
#include "topology/topology_file.h"
#endif

/* Sends rank 0's text to all ranks. False if memory or MPI fails. */
static bool share_text(struct requested_text *text, MPI_Comm comm, int rank) {
    uint64_t head[2] = {text->text != NULL, text->length};
    if (pmpi.Bcast(head, sizeof head, MPI_BYTE, 0, comm) != MPI_SUCCESS)
        return false;
    if (!head[0])
        return true;
    text->length = (size_t)head[1];
    if (rank != 0)
        text->text = calloc(1, text->length + 1);
    return text->text && pmpi.Bcast(text->text, (int)text->length, MPI_BYTE, 0, comm) == MPI_SUCCESS &&
           pmpi.Bcast(text->name, sizeof text->name, MPI_BYTE, 0, comm) == MPI_SUCCESS;
}

static bool make_topology(struct plan_request *request, const struct machines *machines, char *message,
                          size_t capacity) {
#ifdef HOPSCOPE_HAVE_ENGINE
    char complaint[600];
    const char **hosts = calloc((size_t)machines->ranks, sizeof *hosts);
    if (!hosts) {
        snprintf(message, capacity, "out of memory for the topology");
        return false;
    }
    for (int rank = 0; rank < machines->ranks; rank++)
        hosts[rank] = machines->of_rank[rank].host;
    request->topology = topology_make(request->topology_file.text, request->topology_file.length, hosts,
                                      machines->ranks, complaint, sizeof complaint);
    free(hosts);
    if (!request->topology)
        snprintf(message, capacity, "%s:%s", request->topology_file.name, complaint);
    return request->topology != NULL;
#else
    (void)request, (void)machines, (void)message, (void)capacity;
    return true;
#endif
}

bool plan_request_read(struct plan_request *request, const struct config *config, MPI_Comm comm, int rank,
                       const struct machines *machines, char *message, size_t capacity) {
    *request = (struct plan_request){0};
    int read = 1;
#ifndef HOPSCOPE_HAVE_ENGINE
    if (rank == 0 && config->tree) {
        snprintf(message, capacity,
                 "HOPSCOPE_TREE=%.200s: this collector was built without its engine; unset it, or build with "
                 "-DHOPSCOPE_ENGINE=ON",
                 config->tree);
        read = 0;
    }
#endif
    if (rank == 0 && read && config->tree)
        read = requested_tree_read(&request->tree, config->tree, "HOPSCOPE_TREE=", message, capacity);
    if (rank == 0 && read && config->topology)
        read = requested_file_read(&request->topology_file, config->topology, message, capacity);
    if (pmpi.Bcast(&read, 1, MPI_INT, 0, comm) != MPI_SUCCESS || !read) {
        if (rank != 0)
            snprintf(message, capacity, "rank 0 could not read the tree or topology file");
        return false;
    }
    if (!share_text(&request->tree, comm, rank) || !share_text(&request->topology_file, comm, rank)) {
        snprintf(message, capacity, "rank 0 could not send the tree and topology files to all ranks");
        return false;
    }
    return make_topology(request, machines, message, capacity);
}

static void write_text(const struct requested_text *text, const char *directory, const char *name) {
    if (!text->text)
        return;
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct file_guard guard;
    file_guard_begin(&guard);
    FILE *file = fopen(path, "wbe");
    bool ok = file && fwrite(text->text, 1, text->length, file) == text->length;
    if (file && fclose(file) != 0)
        ok = false;
    file_guard_end(&guard);
    if (!ok)
        log_line("cannot write %s: %s", path, strerror(errno));
}

void plan_request_keep(const struct plan_request *request, const char *directory) {
    write_text(&request->tree, directory, "tree.json");
    write_text(&request->topology_file, directory, "topology.json");
}

void plan_request_free(struct plan_request *request) {
    free(request->tree.text);
    free(request->topology_file.text);
    request->tree.text = request->topology_file.text = NULL;
}
