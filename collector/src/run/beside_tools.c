#include "run/beside_tools.h"

#include <stddef.h>

#include "log/log.h"
#include "mpi/chain.h"
#include "mpi/other_tools.h"

void beside_tools_tell(const struct config *config) {
    struct other_tool later_tool = other_tool_behind();
    struct other_tool earlier_tool = config->chain ? (struct other_tool){0} : other_tool_before();
    if (earlier_tool.path)
        log_line("%s wraps %s and %d more functions that the collector also wraps, and is loaded before it. Calls that "
                 "it passes on to PMPI functions are not recorded; set HOPSCOPE_CHAIN=1 so that both see every call",
                 earlier_tool.path, earlier_tool.first, earlier_tool.further_count);
    if (later_tool.path && !config->chain)
        log_line("%s wraps %s and %d more functions that the collector also wraps, and is loaded after it. It sees "
                 "none of their calls; set HOPSCOPE_CHAIN=1 so that both see every call",
                 later_tool.path, later_tool.first, later_tool.further_count);
    else if (later_tool.path && config->tree)
        log_line("%s is loaded after the collector, so it does not see collectives that run over the tree: the "
                 "collector turns them into messages of its own. Load the other tool first, and both see them",
                 later_tool.path);
}

bool beside_tools_tell_unbegun(void) {
    const char *tool = other_tool_with("MPI_Init");
    tool = tool ? tool : other_tool_with("MPI_Init_thread");
    if (!tool)
        return false;
    log_line("%s wraps MPI_Init too, is loaded before the collector and bypassed it. Nothing was recorded. %s", tool,
             chain_wanted()
                 ? "HOPSCOPE_CHAIN=1 does not help with the way it calls PMPI_Init; load it after the collector"
                 : "Set HOPSCOPE_CHAIN=1 so that both see every call");
    return true;
}

const char *beside_tools_ending(const struct config *config) {
    return config->chain ? NULL : other_tool_with("MPI_Finalize");
}
