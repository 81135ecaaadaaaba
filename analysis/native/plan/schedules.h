// The schedules of all ranks of a collective, as columns.
#pragma once

#include "plan.h"

namespace hopscope::plan {

// A collective as run by a rule of a tree file. Lengths and positions are in units of unit_bytes.
struct Collective {
    const tree_plan &plan;
    int rule;
    operation operation_id;
    int root;                     // -1: the operation has none
    std::vector<int64_t> lengths; // one for the message; or for blocks: one for all, one per rank, or one per pair
    int64_t unit_bytes;
    bool in_place;
};

// A row per step, rank after rank; a rank's steps come in the order in which they were added. Row numbers count over
// all ranks.
struct Schedules {
    std::vector<int64_t> first_step; // per rank; one entry more than ranks
    std::vector<int8_t> kind, role;
    std::vector<int32_t> round, peer, segment, slot, operand;
    std::vector<int64_t> position, operand_position, length;
    std::vector<int32_t> unmet;                // number of steps that it waits for
    std::vector<int64_t> first_edge, edge;     // the steps that wait for it, in the order in which they start
    std::vector<int64_t> first_ready, ready;   // per rank: the steps without dependencies, in that order
    std::vector<int64_t> other_end;            // for a send the row of its receive, and vice versa; -1: no message
    std::vector<int64_t> ring_units;           // per rank: units of each slot that is not the user's
    std::vector<int32_t> slots, most_messages; // per rank: slots in use; an upper bound on messages under way
};

// Makes the schedules of all ranks. Throws std::invalid_argument if the collective cannot run.
Schedules schedules_of(const Collective &collective, Members &members);

} // namespace hopscope::plan
