#include "run/beside_tools.h"

#include <stddef.h>

#include "log/log.h"
#include "mpi/chain.h"
#include "mpi/other_tools.h"

void beside_tools_tell(const struct config *config) {
    struct other_tool behind = other_tool_behind();
    struct other_tool before = config->chain ? (struct other_tool){0} : other_tool_before();
    if (before.path)
        log_line("%s has %s and %d more functions that the collector has too, and is loaded before it: the calls that "
                 "it passes on to PMPI functions are not recorded. With HOPSCOPE_CHAIN=1 both see each call",
                 before.path, before.first, before.more);
    if (behind.path && !config->chain)
        log_line("%s has %s and %d more functions that the collector has too, and is loaded behind it: it sees none "
                 "of their calls. With HOPSCOPE_CHAIN=1 both see each call",
                 behind.path, behind.first, behind.more);
    else if (behind.path && config->tree)
        log_line("%s is loaded behind the collector, so it does not see the collectives that run over the tree: they "
                 "are messages of the collector's own, and none of theirs goes on to the next tool. Load it before "
                 "the collector, and both see them",
                 behind.path);
}

bool beside_tools_tell_unbegun(void) {
    const char *tool = other_tool_with("MPI_Init");
    tool = tool ? tool : other_tool_with("MPI_Init_thread");
    if (!tool)
        return false;
    log_line("%s has an MPI_Init too, is loaded before the collector and passed it by: nothing was recorded. %s", tool,
             chain_wanted() ? "HOPSCOPE_CHAIN=1 does not reach how it calls PMPI_Init; load it behind the collector"
                            : "With HOPSCOPE_CHAIN=1 both see each call");
    return true;
}

const char *beside_tools_ending(const struct config *config) {
    return config->chain ? NULL : other_tool_with("MPI_Finalize");
}
