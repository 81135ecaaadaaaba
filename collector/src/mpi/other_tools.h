/* Other tools in this process that define MPI functions which the collector defines too, see chain.h. */
#ifndef HOPSCOPE_OTHER_TOOLS_H
#define HOPSCOPE_OTHER_TOOLS_H

struct other_tool {
    const char *path;  /* the object with the definitions; NULL: there is no such tool */
    const char *first; /* one of its functions that the collector wraps too */
    int further_count; /* number of its other such functions */
};

/* A tool loaded before us: the program calls it, and its PMPI calls bypass us. */
struct other_tool other_tool_before(void);

/* A tool loaded after us: without chaining it sees nothing. */
struct other_tool other_tool_behind(void);

/* The object before us that defines the function. NULL: our definition is the first. */
const char *other_tool_with(const char *name);

#endif
