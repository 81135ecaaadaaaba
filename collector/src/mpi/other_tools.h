/* Other tools in this process that define MPI functions which the collector defines too: see chain.h. */
#ifndef HOPSCOPE_OTHER_TOOLS_H
#define HOPSCOPE_OTHER_TOOLS_H

struct other_tool {
    const char *path;  /* the object that has the definitions; NULL: there is none */
    const char *first; /* one of the functions */
    int more;          /* how many it has beside that one */
};

/* Loaded before us: the program calls it, and what it passes on to PMPI functions goes past us. */
struct other_tool other_tool_before(void);

/* Loaded behind us: without chaining it sees nothing. */
struct other_tool other_tool_behind(void);

/* The object that defines that function before us; NULL: we are the first. */
const char *other_tool_with(const char *name);

#endif
