/* Joining the two ends of every hop of a collective. */
#pragma once

#include <vector>

#include "collectives.h"
#include "reading.h"

namespace hopscope {

enum class Phase : uint8_t { Up = 0, Down = 1, Exchange = 2 };

struct Hop {
    const SendRecord *send;
    const ReceiveRecord *receive;
    size_t src_location, dst_location; /* places in Trace::locations */
    int32_t src, dst;
    Phase phase;
    int32_t round, segment;
    const Shadow *shadow;
};

/* Appends the hops of a collective, in the order of their rows. Returns how many ends have no other end. */
uint64_t match_hops(const Trace &trace, const Collective &collective, Kept<Hop> &out);

} // namespace hopscope
