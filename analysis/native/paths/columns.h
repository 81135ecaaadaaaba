// Columns of the dataset as plain arrays, which Python passes to this code and gets from it.
//
// Times are int64 ns since the start of the trace; null is MISSING. A lane is one thread of one rank (an OTF2
// location); the caller numbers lanes from 0 without gaps. The int8 columns have codes of the enumerations below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "block_pool.h"
#include "schemas/links.h"
#include "schemas/words.h"

namespace hopscope::paths {

constexpr int64_t MISSING = std::numeric_limits<int64_t>::min();

template <typename T> struct Column {
    const T *data = nullptr;
    size_t size = 0;
    T operator[](size_t i) const {
        return data[i];
    }
};

// A vector as a column; valid until the vector changes.
template <typename T, typename Allocator> Column<T> view(const std::vector<T, Allocator> &values) {
    return {values.data(), values.size()};
}

#define CODE(word, meaning) word,
enum class Binding : int8_t { BINDINGS(CODE) };
enum class Category : int8_t { CATEGORIES(CODE) };
enum class Path : int8_t { PATHS(CODE) };
enum class IntervalKind : int8_t { INTERVAL_KINDS(CODE) };
#undef CODE
// True for a call that may wait for a message or a nonblocking collective.
inline bool may_wait_for_message(IntervalKind kind) {
    return kind == IntervalKind::p2p || kind == IntervalKind::wait || kind == IntervalKind::mixed;
}
// The category of an interval in which the rank waited for no other rank, as far as the trace tells.
inline Category category_of(IntervalKind kind) {
    switch (kind) {
    case IntervalKind::off:
        return Category::unrecorded;
    case IntervalKind::p2p:
        return Category::p2p;
    case IntervalKind::rma:
        return Category::rma;
    case IntervalKind::io:
        return Category::io;
    case IntervalKind::overhead:
        return Category::overhead;
    default:
        return Category::mpi;
    }
}

// For a collective without hops: the call to which its critical path leads back, by the rule of its operation.
enum class Leads : int8_t { to_last_enter, to_root, root_to_last_enter, scan, exscan, stays };

// The kind of the MPI call that completes a send. It determines what the call's end shows about the receiver.
enum class SendCall : int8_t {
    unspecific, // the call may have waited for another message
    alone,      // the call does nothing but this send
    buffered,   // MPI_Bsend or MPI_Ibsend, which never wait for the receiver
    epoch,      // MPI_Win_post or MPI_Win_complete: neither the sender nor the receiver need wait
};

// Either hops, for which send_call is empty; or the application's messages, for which collective, arrived_early and
// from_engine are empty.
struct Messages {
    int64_t first_id = 0;       // id of the first row
    Column<int64_t> collective; // id of its collective; ascending
    Column<int32_t> src_lane, dst_lane;
    Column<int64_t> bytes, send_begin, send_wait_begin, send_end, recv_post, recv_wait_begin, recv_end, clock_error;
    Column<int8_t> link;          // codes of enum link_class
    Column<int8_t> arrived_early; // 1 if the message came before its receiver waited for it, else 0; -1 if unknown
    Column<int8_t> from_engine;   // 1 for hops of the engine, 0 for hops of the MPI library
    Column<SendCall> send_call;
    size_t size() const {
        return recv_end.size;
    }
};

struct Collectives {
    int64_t first_id = 0; // id of the first row; ids go on from piece to piece of a trace
    Column<int32_t> op;   // number of the MPI function, given by the caller
    Column<int8_t> leads;
    Column<int8_t> returns_early; // 1 if nonblocking or persistent: the rank waits for it in a later call
    Column<int8_t> library;       // codes of enum Category: native, mpi, rma or io, for its time if it has no hops
    Column<int32_t> root_rank;    // trace-wide; -1 if none
    Column<int32_t> second_group; // on an intercommunicator, the first comm_rank of its second group; else negative
    Column<int64_t> first_call;   // row of its first call in `calls`; one entry more than collectives
    Column<int8_t> has_hops;      // 1 if the trace shows its messages (the engine's collectives may have none)
    size_t size() const {
        return leads.size;
    }
};

struct Calls {
    int64_t first_id = 0;
    Column<int64_t> collective; // id of its collective; ascending
    Column<int32_t> rank, comm_rank, lane;
    Column<int32_t> wait_lane; // the lane that found it complete
    Column<int64_t> enter, wait_begin, leave, complete;
    Column<int32_t> call_site; // numbered by the caller; -1 if unknown
    size_t size() const {
        return enter.size;
    }
};

// True for a call that returned before its collective was complete, if a later wait or test found the collective
// complete.
inline bool completes_early(const Calls &calls, size_t i) {
    return calls.wait_begin[i] != MISSING && calls.complete[i] != MISSING;
}

struct Intervals {
    Column<int32_t> region, call_site; // numbered by the caller; call_site -1 if unknown
    Column<int32_t> lane;
    Column<int8_t> kind;
    Column<int64_t> begin, end;
    size_t size() const {
        return begin.size;
    }
};

struct Lanes {
    Column<int32_t> rank, main_lane; // main_lane: the main thread of the same rank
    Column<int64_t> first_event;     // time of the rank's first event; MISSING if unknown
    size_t size() const {
        return rank.size;
    }
};

// Rows of the table path_stretches: the stretches of critical paths. -1 is null. The caller numbers op and call_site.
struct Stretches {
    PooledVector<int8_t> path, category;
    PooledVector<int64_t> path_collective, step, begin, end, collective, hop, message;
    PooledVector<int32_t> rank, src, dst, op, call_site;
    size_t size() const {
        return begin.size();
    }
    void add(Path its_path, int64_t its_collective, int64_t its_step, int32_t its_rank, int64_t its_begin,
             int64_t its_end, Category its_category, int64_t lies_in, int64_t its_hop, int64_t its_message,
             int32_t its_src, int32_t its_dst, int32_t its_op, int32_t its_call_site) {
        path.push_back(static_cast<int8_t>(its_path));
        path_collective.push_back(its_collective);
        step.push_back(its_step);
        rank.push_back(its_rank);
        begin.push_back(its_begin);
        end.push_back(its_end);
        category.push_back(static_cast<int8_t>(its_category));
        collective.push_back(lies_in);
        hop.push_back(its_hop);
        message.push_back(its_message);
        src.push_back(its_src);
        dst.push_back(its_dst);
        op.push_back(its_op);
        call_site.push_back(its_call_site);
    }
};

} // namespace hopscope::paths
