/* Fuzz test of the topology file: any text must be rejected with a message, or give every rank a host in a cluster. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology_file.h"

enum { RANKS = 6 };

static const char *const machines[RANKS] = {"n1", "n1", "n2.site", "m3", "m3", ""};

static void require(bool holds, const char *requirement) {
    if (holds)
        return;
    fprintf(stderr, "fuzz_topology: %s\n", requirement);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[600];
    if (size < 1)
        return 0;
    int ranks = 1 + data[0] % RANKS;
    char *text = malloc(size); /* has the exact size, so that a sanitizer detects a read beyond the end */
    memcpy(text, data + 1, size - 1);
    memset(message, 'x', sizeof message);
    struct topology *topology = topology_make(text, size - 1, machines, ranks, message, sizeof message);
    free(text);
    if (!topology) {
        require(memchr(message, '\0', sizeof message) && strchr(message, ':'), "a message with a place");
        return 0;
    }
    require(topology->ranks == ranks && topology->hosts >= 1 && topology->clusters >= 1, "sizes");
    for (int rank = 0; rank < ranks; rank++) {
        int host = topology->host_of_rank[rank];
        require(host >= 0 && host < topology->hosts && strlen(topology->host_names[host]) < 4096, "a host");
        int cluster = topology->cluster_of_host[host];
        require(cluster >= 0 && cluster < topology->clusters && strlen(topology->cluster_names[cluster]) < 4096,
                "a cluster");
    }
    topology_free(topology);
    return 0;
}
