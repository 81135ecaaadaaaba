// Makes the schedules of all ranks of a collective: the steps of each rank, such as sends and receives, as columns.
#pragma once

#include "plan.h"

namespace hopscope::plan {

// A collective that a rule of a tree file runs. Lengths and positions are in units of unit_bytes.
struct Collective {
    const tree_plan &plan;
    int rule;
    operation operation_id;
    int root;                     // -1: the operation has none
    std::vector<int64_t> lengths; // of the message; or of the blocks: one for all, one per rank, or one per pair
    int64_t unit_bytes;
    bool in_place;
};

// The steps of all ranks, one row each, rank after rank. A rank's steps are in the order in which its schedule added
// them. Row numbers count over all ranks.
struct Schedules {
    std::vector<int64_t> first_step; // per rank; one entry more than ranks
    std::vector<int8_t> kind, role;
    std::vector<int32_t> round, peer, segment, slot, operand;
    std::vector<int64_t> position, operand_position, length;
    std::vector<int32_t> unmet;                // number of steps that the step waits for
    std::vector<int64_t> first_edge, edge;     // the steps that wait for the step, in the order in which they start
    std::vector<int64_t> first_ready, ready;   // per rank: the steps that wait for no other, as they start
    std::vector<int64_t> other_end;            // for a send the row of its receive, and vice versa; -1: no message
    std::vector<int64_t> ring_units;           // per rank: units of each slot that is not the user's buffer
    std::vector<int32_t> slots, most_messages; // per rank: slots in use; an upper bound on messages under way
};

// Makes the schedules of all ranks. Throws std::invalid_argument if the collective cannot run.
Schedules schedules_of(const Collective &collective, Members &members);

} // namespace hopscope::plan
