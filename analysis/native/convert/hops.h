/* Joins the send and the receive of every hop of a collective. */
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

/* Appends the hops of a collective in the order of the table's rows. In a nonblocking collective also sets when the
 * ranks began to wait for its sends and receives. Returns the number of sends and receives without a counterpart. */
uint64_t match_hops(Trace &trace, const Collective &collective, PooledVector<Hop> &hops);

} // namespace hopscope
