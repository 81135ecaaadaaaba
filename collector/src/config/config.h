/* The collector's environment variables, read in one place. */
#ifndef HOPSCOPE_CONFIG_H
#define HOPSCOPE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* Transports of hops between ranks of one machine, by their names in HOPSCOPE_TRANSPORT. The first is the default. */
#define TRANSPORTS(X) X(shm) X(mpi)

enum transport_name {
#define TRANSPORT(name) TRANSPORT_##name,
    TRANSPORTS(TRANSPORT)
#undef TRANSPORT
};

struct config {
    const char *directory;   /* HOPSCOPE_DIR: the trace directory; NULL: hopscope-<job> in the working directory */
    const char *tree;        /* HOPSCOPE_TREE: a tree file or the name of a shape; NULL: observe */
    const char *topology;    /* HOPSCOPE_TOPOLOGY: a topology file; NULL: the hosts of the ranks */
    double presence_seconds; /* HOPSCOPE_PRESENCE_TIMEOUT: longest wait for the collectors of other ranks */
    size_t chunk_bytes;      /* HOPSCOPE_SPOOL_CHUNK_BYTES: size of a spool's chunk */
    double clock_seconds;    /* HOPSCOPE_CLOCK_INTERVAL: between clock measurements in a long run; 0: none */
    bool record;             /* HOPSCOPE_RECORD: 0 records nothing, but a tree still runs */
    bool messages; /* HOPSCOPE_RECORD: collectives excludes point-to-point messages; all (also unset) includes them */
    unsigned native_every; /* HOPSCOPE_NATIVE: the library's own messages in every n-th collective; 0: in none */
    bool python;           /* HOPSCOPE_PYTHON: 0 shows calls through mpi4py by its extension, not by line of Python */
    bool reports_python;   /* HOPSCOPE_PYTHON: 1 also reports on stderr if lines of Python are unavailable */
    bool paused;           /* HOPSCOPE_PAUSED: 1 records nothing from MPI_Init on until MPI_Pcontrol(1) */
    enum transport_name transport;
    bool assemble; /* HOPSCOPE_ASSEMBLE: 0 leaves the spools for `hopscope recover` or the first analysis */
    bool chain;    /* HOPSCOPE_CHAIN: 1 calls other tools that wrap MPI functions too; see mpi/chain.h */
};

/* Reads all variables. An empty variable counts as unset, and an invalid one keeps the default. is_reporter: print a
 * line on stderr for each invalid variable, and for each unknown one whose name begins like ours. */
struct config config_read(bool is_reporter);

#endif
