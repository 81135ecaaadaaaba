/* The data that all pieces of a trace share while it is converted. */
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "../paths/history.h"
#include "collectives.h"
#include "words.h"

namespace hopscope {

/* Finished tables with their names. If a piece was made in parts, several tables in a row have the same name. */
using Tables = std::vector<std::pair<const char *, std::shared_ptr<Table>>>;

/* The inputs of all pieces, and sums over the pieces so far. */
struct Making {
    Trace &trace;
    std::shared_ptr<const Words> words;
    paths::Lanes lanes; /* one per location, in the order of Trace::locations */
    paths::History *history;
    std::vector<bool> comm_used;
    /* Sums over all rows, for the table `run`. */
    uint64_t incomplete = 0, collectives = 0, unmatched_hops = 0;
    int64_t overhead_ns = 0;
    bool by_tree = false;
};

} // namespace hopscope
