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
    size_t src_location, dst_location; /* the calls' locations: indices into Trace::locations */
    int32_t src, dst;
    hop_role role;
    int32_t round, segment;
    const Shadow *shadow;
};

/* Appends the hops of a collective in row order. Also sets since when a rank waited for the ends of a nonblocking
 * collective. Returns the number of ends without another end. */
uint64_t match_hops(Trace &trace, const Collective &collective, PooledVector<Hop> &hops);

} // namespace hopscope
