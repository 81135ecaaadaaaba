/* Finds other tools in this process that define some of the MPI functions that the collector defines. See chain.h. */
#ifndef HOPSCOPE_OTHER_TOOLS_H
#define HOPSCOPE_OTHER_TOOLS_H

struct other_tool {
    const char *path;  /* the tool's shared object; NULL: there is no such tool */
    const char *first; /* one of the functions that both the tool and the collector define */
    int further_count; /* number of further functions that both define */
};

/* Finds a tool that is loaded before us. The program calls that tool, and the tool's PMPI calls bypass us. */
struct other_tool other_tool_before(void);

/* Finds a tool that is loaded after us. Without chaining, no call reaches that tool. */
struct other_tool other_tool_behind(void);

/* The path of an object before us that defines this function. NULL if our definition is the first. */
const char *other_tool_with(const char *name);

#endif
