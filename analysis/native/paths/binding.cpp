// Which end of a message had to wait for the other (DESIGN: binding hops).
//
// The engine knows: it records arrived_early. One thing it cannot know: MPI may take several calls to tell of a message
// that has been there for long. A wait that ended at once, for a message sent long before, is therefore none.
// Elsewhere only times are known, and these rules decide, in this order:
//
//  1. send: the sender waited for the send's completion, the receive was posted after that wait had begun, and the
//     send was complete only after the post. A message no larger than one that was seen complete before its receive
//     was posted (same link class) is eager: its send waits for nobody.
//  2. recv: the send began after the receiver's wait had, by more than the clocks' uncertainty. Nothing that was not
//     yet sent can have been there.
//  3. none: the message was surely there. Its send was complete, and as long ago as several times the fastest transit
//     of its class, before the wait began. These messages are the references of rule 4: the time that receiving takes
//     when nothing has to be waited for. A late receiver thus never makes a message binding.
//  4. By the wait alone, on the receiver's one clock: recv if it is clearly longer than the fastest reference of the
//     class, else none. Without a reference: undecided.
//
// A class is a link class and a size class (powers of two). The fastest of a class are those of the trace up to the end
// of the piece that a message is in.
#include "binding.h"

#include <algorithm>

namespace hopscope::paths {
namespace {

// How many times the fastest transit a message must be old to be surely there.
constexpr int64_t SURELY_THERE = 4;
// A wait is clearly longer than the reference from this multiple on, and never below this many ns (two clock reads and
// a test of the request).
constexpr int64_t CLEARLY = 2;
constexpr int64_t CLEARLY_NS = 1000;
// A wait that ended at once: below the fastest transit, or this many ns (a few calls that drive progress).
constexpr int64_t AT_ONCE_NS = 2000;

int size_class(int64_t bytes) {
    return bytes <= 0 ? 0 : 64 - __builtin_clzll(static_cast<uint64_t>(bytes));
}

int64_t waited_from(const Messages &m, size_t i) {
    return m.recv_wait_begin[i] == MISSING ? MISSING : std::max(m.recv_wait_begin[i], m.recv_post[i]);
}

bool sender_waited(const Messages &m, size_t i, int64_t eager_bytes) {
    return m.send_wait_begin[i] != MISSING && m.send_end[i] != MISSING && m.bytes[i] > eager_bytes &&
           m.recv_post[i] > m.send_wait_begin[i] + m.clock_error[i] &&
           m.send_end[i] + m.clock_error[i] >= m.recv_post[i] && m.send_end[i] > m.send_wait_begin[i];
}

} // namespace

bool Judge::surely_there(const Messages &m, size_t i, int64_t fastest_transit) {
    int64_t from = waited_from(m, i);
    if (from == MISSING || fastest_transit == NONE_SEEN || m.send_end[i] == MISSING)
        return false;
    int64_t latest_needed = std::max(m.send_end[i], m.send_begin[i] + SURELY_THERE * fastest_transit);
    return latest_needed + m.clock_error[i] < from;
}

// The engine waited, but for a message that was sent long before and was seen as soon as the wait began.
bool Judge::only_looked_again(const Messages &m, size_t i, int64_t fastest_transit) {
    int64_t from = waited_from(m, i);
    return from != MISSING && fastest_transit != NONE_SEEN &&
           m.send_begin[i] + SURELY_THERE * fastest_transit + m.clock_error[i] < from &&
           m.recv_end[i] - from <= std::max(fastest_transit, AT_ONCE_NS);
}

Binding Judge::by_times(const Messages &m, size_t i, const Reference &reference) {
    int64_t from = waited_from(m, i);
    if (from == MISSING)
        return Binding::none;
    if (m.send_begin[i] - m.clock_error[i] > from)
        return Binding::recv;
    if (surely_there(m, i, reference.fastest_transit))
        return Binding::none;
    if (reference.fastest_wait == NONE_SEEN)
        return Binding::undecided;
    int64_t wait = m.recv_end[i] - from;
    return wait > std::max(CLEARLY * reference.fastest_wait, reference.fastest_wait + CLEARLY_NS) ? Binding::recv
                                                                                                  : Binding::none;
}

Judge::Judge() {
    eager_bytes_.fill(-1);
}

size_t Judge::class_of(const Messages &m, size_t i) const {
    return static_cast<size_t>(m.link[i]) * SIZE_CLASSES + static_cast<size_t>(size_class(m.bytes[i]));
}

void Judge::learn_transits(const Messages &m) {
    for (size_t i = 0; i < m.size(); i++) {
        Reference &reference = references_[class_of(m, i)];
        // A transit below the clocks' uncertainty says nothing: that uncertainty stands in for it.
        int64_t transit = std::max({m.recv_end[i] - m.send_begin[i], m.clock_error[i], int64_t{0}});
        reference.fastest_transit = std::min(reference.fastest_transit, transit);
        int64_t &eager_bytes = eager_bytes_[static_cast<size_t>(m.link[i])];
        if (m.send_end[i] != MISSING && m.send_end[i] + m.clock_error[i] < m.recv_post[i])
            eager_bytes = std::max(eager_bytes, m.bytes[i]);
    }
}

void Judge::learn_waits(const Messages &m) {
    for (size_t i = 0; i < m.size(); i++) {
        Reference &reference = references_[class_of(m, i)];
        if (surely_there(m, i, reference.fastest_transit))
            reference.fastest_wait = std::min(reference.fastest_wait, m.recv_end[i] - waited_from(m, i));
    }
}

BindingResult Judge::judge(const Messages &m) const {
    BindingResult result;
    result.binding.resize(m.size());
    result.expected_arrival.resize(m.size());
    for (size_t i = 0; i < m.size(); i++) {
        const Reference &reference = references_[class_of(m, i)];
        int8_t arrived_early = m.arrived_early.size ? m.arrived_early[i] : int8_t{-1};
        bool from_engine = m.from_engine.size && m.from_engine[i];
        Binding binding;
        if (arrived_early == 0 && !only_looked_again(m, i, reference.fastest_transit))
            binding = Binding::recv;
        else if (sender_waited(m, i, eager_bytes_[static_cast<size_t>(m.link[i])]))
            binding = Binding::send;
        else if (arrived_early >= 0 || from_engine)
            // The engine stamps a wait only where there was one, so an unknown here is a message never waited for.
            binding = arrived_early >= 0 || m.recv_wait_begin[i] == MISSING ? Binding::none : Binding::undecided;
        else
            binding = by_times(m, i, reference);
        result.binding[i] = static_cast<int8_t>(binding);
        result.expected_arrival[i] = m.send_begin[i] + reference.fastest_transit;
    }
    return result;
}

} // namespace hopscope::paths
