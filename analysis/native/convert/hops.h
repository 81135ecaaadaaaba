/* Joining the two ends of every hop. */
#pragma once

#include <memory>
#include <vector>

#include "collectives.h"
#include "reading.h"

namespace hopscope {

enum class Phase : uint8_t { Up = 0, Down = 1, Exchange = 2 };

struct Hop {
    int64_t collective;
    const SendRecord *send;
    const ReceiveRecord *receive;
    size_t src_location, dst_location; /* places in Trace::locations */
    int32_t src, dst;
    int32_t comm;
    Phase phase;
    int32_t round, segment;
    const Shadow *shadow;
};

struct Hops {
    std::vector<Hop> all;   /* by hop_id */
    uint64_t unmatched = 0; /* ends without the other end */
};

Hops match_hops(Trace &trace, const Collectives &collectives);
std::shared_ptr<Table> hops_table(const Trace &trace, const Hops &hops);

} // namespace hopscope
