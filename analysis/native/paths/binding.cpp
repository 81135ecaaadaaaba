// Finds for each message whether its receiver had to wait for its sender, the sender for the receiver, or neither.
//
// A message moves when it has been sent and, unless the sender's side buffers it, when its receive has been posted. The
// later of these two events is the one that a rank may have waited for:
//
//     send_begin ........ transfer            recv: an early receiver waits for the message; the path goes to the
//       post ................. recv_end       sender
//
//     send_begin ............ send_end        send: a late receiver holds the message back. Both ends wait for the
//                 post ...... recv_end        transfer from the post on; the path stays at the receiver
//
// The first question: was the message held back? That needs a receive that was posted after the send had begun and
// before the send was complete, by more than the clocks' uncertainty. Such a message was held back in three cases:
//
//  a. The sender was already waiting for the send's completion when the receive was posted. For the engine's messages
//     this is proof, because the engine tests each send separately. Other senders may seem to wait: a call such as
//     MPI_Waitall may complete a send long after it was done, or the sender may have lost its processor. For their
//     messages it is proof only if the message is larger than every message of its link class that was seen to complete
//     before its receive was posted. (Messages of MPI_Bsend are no such messages, because they never wait for a
//     receiver.) If no such message of the application was seen, it is proof only in a call that does nothing but this
//     send.
//  b. Otherwise, the call does nothing but this send, waited long for the post, and ended within a few transfer times
//     after the post, or within a sixteenth of the wait. A call that anything else held up would hardly end just then.
//     A call that completes other messages as well also counts if no buffered message was seen, or if the message is
//     short, because Open MPI may keep a short message in shared memory until its receiver calls MPI. But if such a
//     call also received a message that could arrive only about when the post was made, that message explains its end.
//  c. Otherwise, the message should have arrived long before the post, had not arrived then, and came within a few
//     transfer times after the post.
//
// If the sender was waiting, the message may have been buffered, and neither (b) nor (c) applies, a wait at the
// receiver is undecided. A message so short that the library always buffers it is an exception.
//
// A message that was held back may also have been delayed for another reason: an emulated link delivers it at its due
// time, whenever its receive was posted. So it moved from the post on only if two things are true. First, it would have
// arrived before the post, or sender and receiver both took as long after the post as a whole transfer takes. Second,
// it arrived soon after the sender was done with it. If not, its sender waited for the post, and its receiver for the
// message.
//
// The second question, if the message was not held back: did the receiver wait? For its own messages the engine records
// this as arrived_early. But MPI may need several calls to report a message that arrived long ago. So a wait that ended
// at once, for a message sent long before, does not count. For other messages only times are known, and these rules
// decide, in this order:
//
//  1. recv: the send began after the receiver's wait had begun, by more than the clocks' uncertainty. A message that
//     was not yet sent cannot have arrived.
//  2. none: the message had surely arrived. Before the wait began, its send was complete (or is always buffered), and
//     several times the fastest transit of its class had passed since the send's begin. The waits for such messages are
//     the references of rule 3, because they show how long receiving takes without waiting. So a late receiver never
//     makes a message binding.
//  3. By the length of the wait alone, which needs only the receiver's clock: recv if it is clearly longer than the
//     fastest reference of the class, else none. Without a reference: undecided.
//
// The messages of a class have the same link class, and sizes between the same powers of two. The fastest times of a
// class are those in the trace up to the end of the message's piece. A transfer takes as long as the fastest transit of
// the class. If no receive of the class was posted before its send, the shortest time from a post to the receive's end
// is taken instead.
#include "binding.h"

#include <algorithm>

namespace hopscope::paths {
namespace {

// A message has surely arrived if this many times the fastest transit of its class have passed since its send began.
constexpr int64_t SURELY_THERE = 4;
// A wait is clearly longer than the reference if it is more than CLEARLY times as long, and more than CLEARLY_NS
// longer, which is the time of two clock reads and a test of the request.
constexpr int64_t CLEARLY = 2;
constexpr int64_t CLEARLY_NS = 1000;
// A wait ended at once if it is not longer than the fastest transit, or than this many ns (a few calls that drive MPI's
// progress).
constexpr int64_t AT_ONCE_NS = 2000;
// The receiver normally has a message that was held back as soon as its sender is done with it. If the receiver gets it
// later, another delay is assumed only if this time is longer than 1 / NOT_WORTH of the time for which the message was
// held back.
constexpr int64_t NOT_WORTH = 4;
// Means that no message of a link class was seen to complete before its receive was posted.
constexpr int64_t NONE_BUFFERED = -1;
// Every MPI library buffers an application's message of up to this many bytes, unless it is configured otherwise.
constexpr int64_t ALWAYS_BUFFERED = 2048;
// A send waited long for its receive's post if the wait was more than this many times as long as the rest of the send.
constexpr int64_t LONG_WAIT = 4;
// A send ended with the post if it ended within 1 / AT_ONCE_SHARE of its wait after the post. The share allows for busy
// machines, on which ranks wait for a core.
constexpr int64_t AT_ONCE_SHARE = 16;

int64_t waited_from(const Messages &m, size_t i) {
    return m.recv_wait_begin[i] == MISSING ? MISSING : std::max(m.recv_wait_begin[i], m.recv_post[i]);
}

bool incomplete_at_post(const Messages &m, size_t i) {
    return m.send_end[i] != MISSING && m.send_end[i] + m.clock_error[i] >= m.recv_post[i];
}

SendCall send_call(const Messages &m, size_t i) {
    return m.send_call.size ? m.send_call[i] : SendCall::unspecific;
}

bool may_wait(SendCall call) {
    return call != SendCall::buffered && call != SendCall::epoch;
}

bool sender_was_waiting(const Messages &m, size_t i) {
    return may_wait(send_call(m, i)) && m.send_wait_begin[i] != MISSING &&
           m.recv_post[i] > m.send_wait_begin[i] + m.clock_error[i] && m.send_end[i] > m.send_wait_begin[i];
}

// False if the trace shows that the library does not buffer a message of this size. A hop's send is recorded as
// complete when it is complete, so without any buffered hop no hop counts as buffered.
bool may_be_buffered(const Messages &m, size_t i, int64_t eager_bytes) {
    if (eager_bytes == NONE_BUFFERED && !m.collective.size)
        return send_call(m, i) != SendCall::alone;
    return m.bytes[i] <= eager_bytes;
}

bool is_always_buffered(const Messages &m, size_t i) {
    return !m.collective.size && m.bytes[i] <= ALWAYS_BUFFERED;
}

bool from_engine(const Messages &m, size_t i) {
    return m.from_engine.size && m.from_engine[i];
}

int8_t arrived_early(const Messages &m, size_t i) {
    return m.arrived_early.size ? m.arrived_early[i] : int8_t{-1};
}

} // namespace

bool BindingClassifier::surely_there(const Messages &m, size_t i, int64_t fastest_transit) {
    int64_t wait_begin = waited_from(m, i);
    if (wait_begin == MISSING || fastest_transit == NO_SAMPLE || m.send_end[i] == MISSING)
        return false;
    int64_t latest_needed = m.send_begin[i] + SURELY_THERE * fastest_transit;
    if (!is_always_buffered(m, i))
        latest_needed = std::max(m.send_end[i], latest_needed);
    return latest_needed + m.clock_error[i] < wait_begin;
}

// True if the engine recorded a wait, but the message was sent long before and was seen as soon as the wait began.
bool BindingClassifier::only_looked_again(const Messages &m, size_t i, int64_t fastest_transit) {
    int64_t wait_begin = waited_from(m, i);
    return wait_begin != MISSING && fastest_transit != NO_SAMPLE &&
           m.send_begin[i] + SURELY_THERE * fastest_transit + m.clock_error[i] < wait_begin &&
           m.recv_end[i] - wait_begin <= std::max(fastest_transit, AT_ONCE_NS);
}

// Tells by the length of the wait alone if the receiver waited for the message. True if the class has no reference,
// because then nothing shows that the message had arrived.
bool BindingClassifier::clearly_waited(const Messages &m, size_t i, const Reference &reference) {
    const int64_t wait = m.recv_end[i] - waited_from(m, i);
    return reference.fastest_wait == NO_SAMPLE ||
           wait > std::max(CLEARLY * reference.fastest_wait, reference.fastest_wait + CLEARLY_NS);
}

// True if the message came within a few transfer times after the post.
bool BindingClassifier::came_after_post(const Messages &m, size_t i, const Reference &reference) {
    return m.recv_end[i] - m.recv_post[i] <= SURELY_THERE * reference.transfer() + CLEARLY_NS;
}

// The time from a post to the end of a send that waited for it, at most.
int64_t BindingClassifier::most_since_post(const Messages &m, size_t i, const Reference &reference) {
    const int64_t waited = m.recv_post[i] - m.send_wait_begin[i];
    return std::max(SURELY_THERE * reference.transfer() + CLEARLY_NS, waited / AT_ONCE_SHARE);
}

// True if the send waited long for the receive's post, and ended soon after it.
bool BindingClassifier::ended_with_post(const Messages &m, size_t i, const Reference &reference) {
    const int64_t since_post = m.send_end[i] - m.recv_post[i] + m.clock_error[i];
    const int64_t waited = m.recv_post[i] - m.send_wait_begin[i];
    return since_post <= most_since_post(m, i, reference) && waited > LONG_WAIT * since_post;
}

// True if only the end of the send's call suggests that it waited for the post.
bool BindingClassifier::seems_to_wait_for_post(const Messages &m, size_t i, const Reference &reference,
                                               int64_t eager_bytes) {
    const bool no_eager_limit = eager_bytes == NONE_BUFFERED || is_always_buffered(m, i);
    return sender_was_waiting(m, i) && (send_call(m, i) == SendCall::alone || no_eager_limit) &&
           ended_with_post(m, i, reference);
}

// The rows, ascending, of sends that seem to have waited for a post, although their call also received a message that
// could arrive only about when the post was made. The calls of the MPI library's own messages are not known, so there
// are none among hops.
std::vector<size_t> BindingClassifier::explained_sends(const Messages &m) const {
    struct Doubt {
        int32_t lane;
        int64_t end, arrival; // of the call; of the message that would explain its end, at the earliest
        size_t row;
    };
    const auto is_before = [](const Doubt &a, const Doubt &b) {
        return std::pair{a.lane, a.end} < std::pair{b.lane, b.end};
    };
    std::vector<Doubt> doubts;
    for (size_t i = 0; i < m.size() && !m.collective.size; i++) {
        const Reference &reference = references_[class_of(m, i)];
        if (posted_late(m, i) && seems_to_wait_for_post(m, i, reference, eager_bytes_of(m, i)))
            doubts.push_back({m.src_lane[i], m.send_end[i], m.recv_post[i] - most_since_post(m, i, reference), i});
    }
    std::sort(doubts.begin(), doubts.end(), is_before);
    std::vector<size_t> explained;
    for (size_t i = 0; i < m.size() && !doubts.empty(); i++) {
        if (waited_from(m, i) == MISSING || m.send_begin[i] - m.clock_error[i] <= waited_from(m, i))
            continue;
        const int64_t arrival = m.send_begin[i] + references_[class_of(m, i)].fastest_transit;
        const auto [first, last] =
            std::equal_range(doubts.begin(), doubts.end(), Doubt{m.dst_lane[i], m.recv_end[i], 0, 0}, is_before);
        for (auto doubt = first; doubt != last; ++doubt)
            if (arrival >= doubt->arrival)
                explained.push_back(doubt->row);
    }
    std::sort(explained.begin(), explained.end());
    return explained;
}

BindingClassifier::SenderBlocked BindingClassifier::sender_blocked(const Messages &m, size_t i,
                                                                   const Reference &reference, int64_t eager_bytes,
                                                                   bool is_explained) {
    if (!posted_late(m, i) || !incomplete_at_post(m, i))
        return SenderBlocked::no;
    const bool was_waiting = sender_was_waiting(m, i);
    if (was_waiting && (from_engine(m, i) || !may_be_buffered(m, i, eager_bytes)))
        return SenderBlocked::yes;
    if (!is_explained && seems_to_wait_for_post(m, i, reference, eager_bytes))
        return SenderBlocked::yes;
    const int64_t transfer = reference.transfer();
    const bool arrival_expected = m.recv_post[i] > m.send_begin[i] + transfer + m.clock_error[i];
    const bool arrived_before_post =
        from_engine(m, i) ? arrived_early(m, i) != 0 || only_looked_again(m, i, reference.fastest_transit)
                          : waited_from(m, i) == MISSING || !clearly_waited(m, i, reference);
    if (arrival_expected && !arrived_before_post && came_after_post(m, i, reference))
        return SenderBlocked::yes;
    return was_waiting && !is_always_buffered(m, i) ? SenderBlocked::perhaps : SenderBlocked::no;
}

// True if a message that was held back moved from the post on. Call it only for messages of the engine, because no
// other messages can travel over emulated links, which deliver at due times.
bool BindingClassifier::moved_from_post(const Messages &m, size_t i, const Reference &reference) {
    const int64_t transfer = reference.transfer(), lateness = m.recv_post[i] - m.send_begin[i];
    const int64_t under_way = m.recv_end[i] - m.send_end[i];
    if (under_way > std::max(SURELY_THERE * transfer, AT_ONCE_NS) && under_way > lateness / NOT_WORTH)
        return false;
    return lateness > transfer + m.clock_error[i] ||
           (m.recv_end[i] - m.recv_post[i] >= transfer &&
            m.send_end[i] - m.recv_post[i] + m.clock_error[i] >= transfer / 2);
}

Binding BindingClassifier::by_times(const Messages &m, size_t i, const Reference &reference) {
    int64_t wait_begin = waited_from(m, i);
    if (wait_begin == MISSING)
        return Binding::none;
    if (m.send_begin[i] - m.clock_error[i] > wait_begin)
        return Binding::recv;
    if (surely_there(m, i, reference.fastest_transit))
        return Binding::none;
    if (reference.fastest_wait == NO_SAMPLE)
        return Binding::undecided;
    return clearly_waited(m, i, reference) ? Binding::recv : Binding::none;
}

Binding BindingClassifier::at_receiver(const Messages &m, size_t i, const Reference &reference) {
    const int8_t arrival_state = arrived_early(m, i);
    if (arrival_state == 0)
        return only_looked_again(m, i, reference.fastest_transit) ? Binding::none : Binding::recv;
    if (arrival_state > 0)
        return Binding::none;
    // The engine records every wait, so a message without a recorded wait was not waited for.
    if (from_engine(m, i))
        return m.recv_wait_begin[i] == MISSING ? Binding::none : Binding::undecided;
    if (m.arrived_early.size && m.recv_wait_begin[i] == MISSING)
        return Binding::undecided;
    return by_times(m, i, reference);
}

BindingClassifier::Verdict BindingClassifier::verdict(const Messages &m, size_t i, const Reference &reference,
                                                      int64_t eager_bytes, bool is_explained) {
    Verdict result;
    const SenderBlocked blocked = sender_blocked(m, i, reference, eager_bytes, is_explained);
    const bool sender_waited = blocked == SenderBlocked::yes && sender_was_waiting(m, i);
    result.sender_blocked = blocked == SenderBlocked::yes && (!from_engine(m, i) || moved_from_post(m, i, reference));
    result.binding = result.sender_blocked ? Binding::send : at_receiver(m, i, reference);
    // In a call that completes several messages the receiver may have waited for another message.
    if (result.sender_blocked && (from_engine(m, i) || came_after_post(m, i, reference)))
        result.waited = RECEIVER_FROM_POST;
    else if (result.binding == Binding::recv && blocked == SenderBlocked::perhaps)
        result.binding = Binding::undecided;
    else if (result.binding == Binding::recv)
        result.waited = RECEIVER_FOR_SEND;
    if (sender_waited) {
        result.waited = static_cast<int8_t>(result.waited | SENDER_FOR_POST);
        if (result.binding != Binding::recv)
            result.binding = Binding::send;
    }
    return result;
}

BindingClassifier::BindingClassifier() {
    eager_bytes_.fill(NONE_BUFFERED);
}

void BindingClassifier::learn_transits(const Messages &m) {
    for (size_t i = 0; i < m.size(); i++) {
        references_[class_of(m, i)].learn(m, i);
        int64_t &eager_bytes = eager_bytes_[static_cast<size_t>(m.link[i])];
        if (may_wait(send_call(m, i)) && m.send_end[i] != MISSING && m.send_end[i] + m.clock_error[i] < m.recv_post[i])
            eager_bytes = std::max(eager_bytes, m.bytes[i]);
    }
}

void BindingClassifier::learn_waits(const Messages &m) {
    for (size_t i = 0; i < m.size(); i++) {
        Reference &reference = references_[class_of(m, i)];
        if (surely_there(m, i, reference.fastest_transit))
            reference.fastest_wait = std::min(reference.fastest_wait, m.recv_end[i] - waited_from(m, i));
    }
}

BindingResult BindingClassifier::classify(const Messages &m) const {
    BindingResult result;
    result.binding.resize(m.size());
    result.waited.resize(m.size());
    result.expected_arrival.resize(m.size());
    const std::vector<size_t> explained = explained_sends(m);
    for (size_t i = 0; i < m.size(); i++) {
        const Reference &reference = references_[class_of(m, i)];
        const bool is_explained = std::binary_search(explained.begin(), explained.end(), i);
        const Verdict evaluation = verdict(m, i, reference, eager_bytes_of(m, i), is_explained);
        result.binding[i] = static_cast<int8_t>(evaluation.binding);
        result.waited[i] = evaluation.waited;
        result.expected_arrival[i] = evaluation.sender_blocked ? m.recv_post[i] + reference.transfer()
                                                               : m.send_begin[i] + reference.fastest_transit;
    }
    return result;
}

} // namespace hopscope::paths
