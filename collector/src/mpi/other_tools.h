/* Finds other tools in this process that define some of the MPI functions that the collector defines. See chain.h. */
#ifndef HOPSCOPE_OTHER_TOOLS_H
#define HOPSCOPE_OTHER_TOOLS_H

/* Functions that both the tool and the collector define. */
struct shared_functions {
    const char *first; /* NULL: there are none */
    int count;
};

struct other_tool {
    const char *path; /* the tool's shared object; NULL: there is no such tool */
    struct shared_functions all;
    struct shared_functions unchained; /* of a tool before us: those that it does not pass on to us (chain_catches) */
};

/* Finds a tool that is loaded before us. The program calls that tool, and the tool's PMPI calls bypass us unless they
 * are chained. */
struct other_tool other_tool_before(void);

/* Finds a tool that is loaded after us. Without chaining, no call reaches that tool. */
struct other_tool other_tool_behind(void);

/* The path of an object before us that defines this function and does not pass its calls on to us. NULL if there is
 * none. */
const char *other_tool_keeping(const char *name);

#endif
