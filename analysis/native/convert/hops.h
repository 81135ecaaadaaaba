/* Joins the two ends of every hop of a collective. */
#pragma once

#include <vector>

#include "collectives.h"
#include "reading.h"
#include "schemas/otf2.h"

namespace hopscope {

struct Hop {
    const SendRecord *send;
    const ReceiveRecord *receive;
    size_t src_location, dst_location; /* of the calls: indices into Trace::locations */
    int32_t src, dst;
    hop_role role;
    int32_t round, segment;
    const Shadow *shadow;
};

/* Appends the hops of a collective in row order. Returns how many ends have no other end. Finds out since when the ends
 * of a nonblocking collective were waited for. */
uint64_t match_hops(Trace &trace, const Collective &collective, PooledVector<Hop> &hops);

} // namespace hopscope
