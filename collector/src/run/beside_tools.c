#include "run/beside_tools.h"

#include <stddef.h>
#include <stdio.h>

#include "log/log.h"
#include "mpi/chain.h"
#include "mpi/other_tools.h"

enum { MOST_WORDS = 120 };

/* Writes the name of the first function and the number of further ones. */
static const char *name(char words[MOST_WORDS], const struct shared_functions *functions) {
    snprintf(words, MOST_WORDS, functions->count > 1 ? "%s and %d more functions" : "%s", functions->first,
             functions->count - 1);
    return words;
}

static void tell(const struct other_tool *tool, const char *order, const char *outcome) {
    char words[MOST_WORDS];
    log_line("%s wraps %s, too, and is loaded %s the collector. %s", tool->path, name(words, &tool->all), order,
             outcome);
}

static void tell_of_earlier(const struct config *config) {
    struct other_tool tool = other_tool_before();
    if (!tool.path)
        return;
    char words[MOST_WORDS], outcome[MOST_WORDS + 200];
    if (config->chaining == CHAINING_OFF) {
        tell(&tool, "before",
             "Calls that it passes on to PMPI functions are not recorded; leave HOPSCOPE_CHAIN unset, and both see "
             "every call");
    } else if (tool.unchained.count) {
        snprintf(outcome, sizeof outcome,
                 "Calls of %s may not be recorded, because it does not pass them on by their PMPI names; load it after "
                 "the collector, and both see every call",
                 name(words, &tool.unchained));
        tell(&tool, "before", outcome);
    } else if (config->chaining == CHAINING_AUTO) {
        tell(&tool, "before", "Both see every call");
    }
}

static void tell_of_later(const struct config *config) {
    struct other_tool tool = other_tool_behind();
    if (!tool.path)
        return;
    if (config->chaining == CHAINING_OFF)
        tell(&tool, "after", "It sees none of their calls; leave HOPSCOPE_CHAIN unset, and both see every call");
    else if (config->tree)
        tell(&tool, "after",
             "Both see every call, except collectives that run over the tree: these are messages of the collector's "
             "own. Load the other tool first, and both see them");
    else if (config->chaining == CHAINING_AUTO)
        tell(&tool, "after", "Both see every call");
}

void beside_tools_tell(const struct config *config) {
    tell_of_earlier(config);
    tell_of_later(config);
}

bool beside_tools_tell_unbegun(void) {
    const char *tool = other_tool_keeping("MPI_Init");
    tool = tool ? tool : other_tool_keeping("MPI_Init_thread");
    if (!tool)
        return false;
    log_line("%s wraps MPI_Init too, is loaded before the collector and bypassed it. Nothing was recorded. %s, so that "
             "both see every call",
             tool, chain_wanted() ? "Load it after the collector" : "Leave HOPSCOPE_CHAIN unset");
    return true;
}

const char *beside_tools_ending(void) {
    return other_tool_keeping("MPI_Finalize");
}
