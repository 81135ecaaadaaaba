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

/* Whether calls are shared with other tools (mpi/chain.h), by the words of HOPSCOPE_CHAIN. The first is the default. */
enum chaining {
    CHAINING_AUTO, /* share them, and say so */
    CHAINING_OFF,
    CHAINING_ON, /* share them, and report only what the tools do not see */
};

struct config {
    const char *directory;   /* HOPSCOPE_DIR: the trace directory; NULL: hopscope-<job> in the working directory */
    const char *tree;        /* HOPSCOPE_TREE: a tree file or the name of a shape; NULL: observe */
    const char *topology;    /* HOPSCOPE_TOPOLOGY: a topology file; NULL: the hosts of the ranks */
    double presence_seconds; /* HOPSCOPE_PRESENCE_TIMEOUT: longest wait for the collectors of other ranks */
    size_t chunk_bytes;      /* HOPSCOPE_SPOOL_CHUNK_BYTES: size of a spool's chunk */
    double clock_seconds;    /* HOPSCOPE_CLOCK_INTERVAL: time between clock measurements in a long run; 0: none */
    bool record;             /* HOPSCOPE_RECORD: 0 records nothing, but a tree still runs */
    bool messages; /* HOPSCOPE_RECORD: `collectives` excludes point-to-point messages; `all`, the default, has them */
    unsigned native_every; /* HOPSCOPE_NATIVE: records the library's own messages in every n-th collective; 0: none */
    bool python;           /* HOPSCOPE_PYTHON: 0 records mpi4py's module as call site, not the line of Python */
    bool reports_python;   /* HOPSCOPE_PYTHON: 1 also reports on stderr if lines of Python are unavailable */
    bool paused;           /* HOPSCOPE_PAUSED: 1 records nothing between MPI_Init and MPI_Pcontrol(1) */
    enum transport_name transport;
    bool assemble; /* HOPSCOPE_ASSEMBLE: 0 leaves spools; `hopscope recover` or the first analysis assembles them */
    enum chaining chaining; /* HOPSCOPE_CHAIN: auto, 0 or 1 */
};

/* Reads all variables. An empty variable counts as unset; for an invalid one the default applies. is_reporter: prints a
 * line on stderr for each variable with an invalid value, and for each unknown variable named HOPSCOPE_*. */
struct config config_read(bool is_reporter);

#endif
