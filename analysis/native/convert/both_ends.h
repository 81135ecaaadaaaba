/* The columns that the tables of hops and of messages share: sender, receiver, bytes, and three times at each end. */
#pragma once

#include "../paths/columns.h"
#include "columns.h"
#include "reading.h"

namespace hopscope {

class BothEnds {
  public:
    /* Three times at the sender and three at the receiver, in ticks. */
    struct Times {
        int64_t send_begin, send_wait_begin, send_end, recv_post, recv_wait_begin, recv_end;
    };

    /* Adds the columns to the table, with `rows` rows each. maybe_unwaited: recv_wait_begin_ns may be null, because
     * some messages were never waited for. */
    BothEnds(Table &table, size_t rows, bool maybe_unwaited)
        : src_(table.int32("src")), dst_(table.int32("dst")), src_location_(table.int64("src_location")),
          dst_location_(table.int64("dst_location")), bytes_(table.int64("bytes")),
          send_begin_(table.int64("send_begin_ns")), send_wait_begin_(table.int64("send_wait_begin_ns", true)),
          send_end_(table.int64("send_end_ns", true)), recv_post_(table.int64("recv_post_ns")),
          recv_wait_begin_(table.int64("recv_wait_begin_ns", maybe_unwaited)), recv_end_(table.int64("recv_end_ns")) {
        for (auto *column : {&src_, &dst_, &src_lane_, &dst_lane_})
            column->resize(rows);
        for (auto *column : {&src_location_, &dst_location_, &bytes_, &send_begin_, &send_wait_begin_, &send_end_,
                             &recv_post_, &recv_wait_begin_, &recv_end_})
            column->resize(rows);
        link_.resize(rows);
    }

    /* location: the thread that sent or received. lane: the thread on which the critical paths look for its events.
     * Both are indices into Trace::locations. */
    struct Thread {
        size_t location, lane;
    };

    /* Sets one row. Returns the link class of its message. */
    link_class set(size_t row, const Trace &trace, int32_t src, int32_t dst, Thread sender, Thread receiver,
                   int64_t bytes, const Times &times) {
        src_[row] = src;
        dst_[row] = dst;
        src_location_[row] = static_cast<int64_t>(trace.locations[sender.location].location);
        dst_location_[row] = static_cast<int64_t>(trace.locations[receiver.location].location);
        bytes_[row] = bytes;
        send_begin_[row] = trace.ns(times.send_begin);
        send_wait_begin_[row] = trace.ns_or_null(times.send_wait_begin);
        send_end_[row] = trace.ns_or_null(times.send_end);
        recv_post_[row] = trace.ns(times.recv_post);
        recv_wait_begin_[row] = trace.ns_or_null(times.recv_wait_begin);
        recv_end_[row] = trace.ns(times.recv_end);
        const link_class link = trace.ranks->link(src, dst);
        link_[row] = static_cast<int8_t>(link);
        src_lane_[row] = static_cast<int32_t>(sender.lane);
        dst_lane_[row] = static_cast<int32_t>(receiver.lane);
        return link;
    }

    /* A view of the rows for the computation of critical paths; valid while this object exists. */
    paths::Messages view(int64_t first_id, const Values<int64_t> &clock_error) const {
        paths::Messages messages;
        messages.first_id = first_id;
        messages.src_lane = paths::view(src_lane_);
        messages.dst_lane = paths::view(dst_lane_);
        messages.bytes = paths::view(bytes_);
        messages.send_begin = paths::view(send_begin_);
        messages.send_wait_begin = paths::view(send_wait_begin_);
        messages.send_end = paths::view(send_end_);
        messages.recv_post = paths::view(recv_post_);
        messages.recv_wait_begin = paths::view(recv_wait_begin_);
        messages.recv_end = paths::view(recv_end_);
        messages.clock_error = paths::view(clock_error);
        messages.link = paths::view(link_);
        return messages;
    }

  private:
    Values<int32_t> &src_, &dst_;
    Values<int64_t> &src_location_, &dst_location_, &bytes_;
    Values<int64_t> &send_begin_, &send_wait_begin_, &send_end_, &recv_post_, &recv_wait_begin_, &recv_end_;
    PooledVector<int32_t> src_lane_, dst_lane_;
    PooledVector<int8_t> link_;
};

} // namespace hopscope
