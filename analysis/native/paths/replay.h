// Replays a run over other trees.
//
// A program is what each lane did, without the time it spent waiting for others: computing gaps, marks where messages
// were sent, waits for them, and collectives. The replay gives the waits back as another tree would make them. Enter
// times of the run itself are never used: they carry the release times of the tree that ran.
#pragma once

#include "columns.h"

namespace hopscope::paths {

enum class Op : int8_t { send, wait, collective };
enum class Mode : int8_t { as_observed, reduce, broadcast, both }; // both: towards the root and back

struct Program {
    // Operations by lane, in order. ref: message or collective; gap: own time before it; hold: own time of a
    // wait; slot: of a collective, the row of this lane in `member`.
    Column<int64_t> first_op; // per lane, one entry more than lanes
    Column<int8_t> op;
    Column<int64_t> ref, gap, hold, slot;
    Column<int32_t> host;    // of each lane
    Column<int64_t> transit; // of each message
    // Collectives: members are lanes in the order of the communicator, those only that have a call.
    Column<int64_t> first_member; // one entry more than collectives
    Column<int32_t> member;
    Column<int64_t> own_time; // as_observed: from the last enter waited for (or the own one) to the leave, per member
    Column<int8_t> mode, leads;
    Column<int32_t> root_position, plan; // position among members, -1 where none; plan: which of a candidate's trees
    Column<int64_t> bytes;
    size_t lanes() const {
        return host.size;
    }
    size_t collectives() const {
        return mode.size;
    }
};

// A candidate: for every plan of the program, a tree towards the root and one from it, by position among members.
struct Candidate {
    Column<int64_t> first_rank;             // of each plan, in the four columns below; one entry more than plans
    Column<int32_t> up_parent, down_parent; // -1 at the root
    Column<int64_t> up_first_child, down_first_child; // into the children; one entry more than ranks of all plans
    Column<int32_t> up_children, down_children;
    int64_t segment_bytes = 0;
};

// Times in ns. latency and per_byte: [from host * hosts + to host], the diagonal for two ranks of one host.
struct Costs {
    Column<double> latency, per_byte;
    double enter, handle_up, combine_per_byte, handle_down, send, leave, interface_message;
    size_t hosts = 0;
};

struct Replayed {
    std::vector<double> last_enter, last_leave; // per collective; NaN where it was not reached
    bool finished = false;                      // false: lanes wait for one another for ever
};

Replayed replay(const Program &program, const Candidate &candidate, const Costs &costs);

} // namespace hopscope::paths
