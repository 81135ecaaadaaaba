// Input of a replay: the program of a run, the trees to replay it over, and what messages cost.
//
// A program is what each lane did without the time it spent waiting for others: computing gaps, sends, waits for
// messages, and collectives.
#pragma once

#include "columns.h"

namespace hopscope::paths {

enum class Op : int8_t { send, wait, collective };
enum class Mode : int8_t { as_observed, reduce, broadcast, both }; // both: towards the root and back

struct Program {
    // Operations by lane, in order. ref: message or collective; gap: own time before it; hold: own time of a wait;
    // slot: for a collective, this lane's row in `member`.
    Column<int64_t> first_op; // per lane, one entry more than lanes
    Column<int8_t> op;
    Column<int64_t> ref, gap, hold, slot;
    Column<int32_t> host;    // of each lane
    Column<int64_t> transit; // of each message
    // Collectives: members are lanes in the order of the communicator, only those that have a call.
    Column<int64_t> first_member; // one entry more than collectives
    Column<int32_t> member;
    Column<int64_t> own_time; // as_observed: from the last enter waited for (or its own) to the leave, per member
    Column<int8_t> mode, leads;
    Column<int32_t> root_position, plan; // position among members, -1 for none; plan: which of a candidate's trees
    Column<int64_t> bytes;
    size_t lanes() const {
        return host.size;
    }
    size_t collectives() const {
        return mode.size;
    }
};

// A candidate: for each of the program's plans, a tree towards the root and one from it, by position among members.
struct Candidate {
    Column<int64_t> first_rank;                       // per plan, in the four columns below; one entry more than plans
    Column<int32_t> up_parent, down_parent;           // -1 at the root
    Column<int64_t> up_first_child, down_first_child; // into the children; one entry more than ranks of all plans
    Column<int32_t> up_children, down_children;
    int64_t segment_bytes = 0;
};

// Times in ns. latency and per_byte: [from host * hosts + to host]; the diagonal is for two ranks of one host.
struct Costs {
    Column<double> latency, per_byte;
    double enter, handle_up, combine_per_byte, handle_down, send, leave;
    double interface_message, interface_per_byte, rank_message, rank_per_byte;
    bool cut_through = false;
    size_t hosts = 0;
    // Of an emulated machine whose clusters share links; clusters is 0 where none do.
    size_t clusters = 0;
    Column<int32_t> cluster;                  // of each host
    Column<double> shared_per_byte;           // [from cluster * clusters + to cluster]; 0: no shared link
    Column<int32_t> gateway_from, gateway_to; // hosts, the same; -1: none
};

} // namespace hopscope::paths
