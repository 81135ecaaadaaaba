/* From single calls to collectives: the pair (communicator, sequence number). */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "columns.h"
#include "reading.h"

namespace hopscope {

struct Call {
    size_t location; /* place in Trace::locations */
    size_t index;    /* in its calls */
    int32_t rank;
    int32_t comm;
    int64_t seq;
    int64_t collective;
};

struct Collective {
    int32_t comm;
    int64_t seq;
    int64_t first_enter;                   /* ticks */
    size_t first_call = 0, call_count = 0; /* place in Collectives::calls */
    const Shadow *tree = nullptr;          /* on which its hops travelled */
    bool complete = false;
};

struct Collectives {
    std::vector<Collective> all; /* by collective_id */
    std::vector<Call> calls;     /* by call_id: sorted by collective and rank */
    /* collective_id of each location's calls; -1 for those that could not be placed. */
    std::vector<std::vector<int64_t>> of_call;
    uint64_t unplaced = 0; /* calls on a communicator that the trace does not name */
};

/* Numbers the calls of each rank on each communicator and joins those of one number. Calls that cannot be placed become
 * intervals. */
Collectives match_collectives(Trace &trace);

std::shared_ptr<Table> collectives_table(const Trace &trace, const Collectives &collectives);
std::shared_ptr<Table> calls_table(const Trace &trace, const Collectives &collectives);
std::shared_ptr<Table> steps_table(const Trace &trace, const Collectives &collectives);

} // namespace hopscope
