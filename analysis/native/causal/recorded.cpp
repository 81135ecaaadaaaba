// Puts the moments of a recorded run in order of time, and gives each its gap and its edges.
//
// A rank can wait for three things, each of which makes edges:
//
//   a message        an edge from the send's begin to the receive's end, as long as the message took
//   a receive        an edge from the post of the receive, which held the message back, to the end of the send
//   other members    in a collective without hops: an edge to the end of the call from the last enter that the
//                    operation's rule needs, and for a nonblocking collective also from other members' waits
//
// A wait is not part of a gap. The edge of a message for which no rank waited is as long as the fastest message of its
// size and link class, or as the message itself if that was faster.
#include "recorded.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "lane_waits.h"
#include "paths/communicating_lanes.h"
#include "paths/time_order.h"
#include "paths/transfers.h"
#include "points.h"

namespace hopscope::causal {
namespace {

using paths::IntervalKind;
using paths::Leads;
using paths::Messages;
using paths::MISSING;

class Builder {
  public:
    explicit Builder(const Columns &columns)
        : columns_(columns), lanes_(columns.lanes.size()), communicating_(lanes_), waits_(lanes_) {
        communicating_.add(columns.intervals);
        for (size_t i = 0; i < columns.calls.size(); i++)
            communicating_.add(static_cast<size_t>(columns.calls.lane[i]));
    }

    Recorded build() {
        learn(columns_.hops);
        learn(columns_.messages);
        collect();
        waits_.join();
        order();
        begin_graph();
        for (const Point &point : points_)
            add(point);
        return std::move(recording_);
    }

  private:
    void learn(const Messages &m) {
        for (size_t i = 0; i < m.size(); i++)
            transfers_[paths::class_of(m, i)].learn(m, i);
    }
    int64_t fastest(const Messages &m, size_t i) const {
        return transfers_[paths::class_of(m, i)].transfer();
    }

    bool by_hops(int64_t collective) const {
        return columns_.collectives.has_hops[static_cast<size_t>(collective)] != 0;
    }

    void point(int64_t time, size_t row, int32_t lane, Kind kind, Table table, bool waited = false) {
        if (time != MISSING)
            points_.push_back(
                {time, static_cast<uint32_t>(row), lane, kind, table, static_cast<uint8_t>(kind), waited});
    }

    void collect() {
        for (size_t i = 0; i < columns_.calls.size(); i++) {
            point(columns_.calls.enter[i], i, columns_.calls.lane[i], Kind::begin, Table::calls);
            point(columns_.calls.leave[i], i, columns_.calls.lane[i], Kind::end, Table::calls);
            if (!paths::completes_early(columns_.calls, i) || by_hops(columns_.calls.collective[i]))
                continue;
            point(columns_.calls.wait_begin[i], i, columns_.calls.lane[i], Kind::goes_on, Table::calls);
            point(columns_.calls.complete[i], i, columns_.calls.lane[i], Kind::complete, Table::calls);
            waits_.add(columns_.calls.lane[i], columns_.calls.wait_begin[i], columns_.waited_until[i]);
        }
        for (size_t i = 0; i < columns_.intervals.size(); i++) {
            const auto kind = static_cast<IntervalKind>(columns_.intervals.kind[i]);
            if (kind == IntervalKind::region)
                continue;
            point(columns_.intervals.begin[i], i, columns_.intervals.lane[i], Kind::begin, Table::intervals);
            if (kind != IntervalKind::finalize)
                point(columns_.intervals.end[i], i, columns_.intervals.lane[i], Kind::end, Table::intervals);
        }
        collect(columns_.hops, columns_.hop_binding, Table::hops);
        collect(columns_.messages, columns_.message_binding, Table::messages);
    }

    void collect(const Messages &m, const Column<int8_t> &binding, Table table) {
        for (size_t i = 0; i < m.size(); i++) {
            if (table == Table::hops && !by_hops(m.collective[i]))
                continue;
            const auto message_binding = static_cast<Binding>(binding[i]);
            const bool sender_blocked = message_binding == Binding::send;
            point(m.send_begin[i], i, m.src_lane[i], Kind::sent, table);
            const bool receiver_waited = message_binding == Binding::recv || message_binding == Binding::undecided;
            point(m.recv_end[i], i, m.dst_lane[i], Kind::received, table, receiver_waited);
            if (receiver_waited && m.recv_wait_begin[i] != MISSING)
                waits_.add(m.dst_lane[i], std::max(m.recv_wait_begin[i], m.recv_post[i]), m.recv_end[i]);
            if (sender_blocked)
                point(m.recv_post[i], i, m.dst_lane[i], Kind::post, table);
            const bool sender_waited = sender_blocked && m.send_end[i] != MISSING && m.send_wait_begin[i] != MISSING &&
                                       m.send_wait_begin[i] < m.recv_post[i] && m.recv_post[i] <= m.send_end[i];
            if (sender_waited) {
                point(m.send_end[i], i, m.src_lane[i], Kind::send_done, table, true);
                waits_.add(m.src_lane[i], m.send_wait_begin[i], m.send_end[i]);
            }
        }
    }

    const Messages &messages_of(Table table) const {
        return table == Table::hops ? columns_.hops : columns_.messages;
    }

    // The time of the event of another lane for which a point may have waited: the send's begin, or the receive's post.
    int64_t other_end(const Point &p) const {
        if (p.kind == Kind::received)
            return messages_of(p.table).send_begin[p.row];
        return p.kind == Kind::send_done ? messages_of(p.table).recv_post[p.row] : MISSING;
    }

    // Sorts the points by time. Of points at the same time, those of a lane keep their order, and a point that depends
    // on another lane's point comes after it.
    void order() {
        PooledVector<TimedIndex> places(points_.size());
        for (size_t i = 0; i < points_.size(); i++)
            places[i] = {points_[i].time, static_cast<uint32_t>(i)};
        sort_by_time(places, [&](uint32_t a, uint32_t b) { return precedes(points_[a], points_[b]); });
        std::vector<Point> ordered(points_.size());
        for (size_t i = 0; i < places.size(); i++)
            ordered[i] = points_[places[i].place];
        points_ = std::move(ordered);
        for (auto first = points_.begin(), last = first; first != points_.end(); first = last) {
            last = std::find_if(first, points_.end(), [&](const Point &point) { return point.time != first->time; });
            if (last - first > 1)
                order_at_one_time(first, last);
        }
    }

    static bool precedes(const Point &a, const Point &b) {
        const bool a_begins = a.kind >= Kind::begin, b_begins = b.kind >= Kind::begin;
        // The point that ended a wait comes first: the lane saw the others only because the wait had ended.
        const bool a_saw = !a.waited, b_saw = !b.waited;
        return std::tie(a.lane, a_begins, a_saw, a.kind, a.table, a.row) <
               std::tie(b.lane, b_begins, b_saw, b.kind, b.table, b.row);
    }

    void order_at_one_time(std::vector<Point>::iterator first, std::vector<Point>::iterator last) {
        for (auto of_lane = first, end = first; of_lane != last; of_lane = end) {
            end = std::find_if(of_lane, last, [&](const Point &point) { return point.lane != of_lane->lane; });
            find_last_of_waits(of_lane, end);
            uint8_t phase = 0;
            for (auto point = of_lane; point != end; ++point) {
                phase = std::max(phase, other_end(*point) == point->time ? PHASE_AFTER_OTHER_LANES : point->phase);
                point->phase = phase;
            }
        }
        std::stable_sort(first, last, [](const Point &a, const Point &b) { return a.phase < b.phase; });
    }

    // The earliest time at which a point's message can have arrived.
    int64_t expected(const Point &p) const {
        const Messages &m = messages_of(p.table);
        const int64_t begin = p.kind == Kind::send_done ? m.recv_post[p.row] : m.send_begin[p.row];
        return begin + fastest(m, p.row);
    }

    // Leaves `waited` set only for the message that ended a call such as MPI_Waitall. Others only have earliest times.
    void find_last_of_waits(std::vector<Point>::iterator first, std::vector<Point>::iterator last) const {
        auto latest = last;
        for (auto point = first; point != last; ++point)
            if (point->waited && (latest == last || expected(*point) > expected(*latest)))
                latest = point;
        for (auto point = first; point != last; ++point)
            point->waited = point->waited && point == latest;
    }

    void begin_graph() {
        recording_.lanes = lanes_;
        recording_.enter.resize(lanes_);
        recording_.interval_end.assign(columns_.intervals.size(), NO_MOMENT);
        recording_.call_end.assign(columns_.calls.size(), {NO_MOMENT, NO_EDGE});
        for (auto [moments, size] :
             {std::pair{&recording_.hops, columns_.hops.size()}, {&recording_.messages, columns_.messages.size()}}) {
            moments->sent.assign(size, NO_MOMENT);
            moments->posted.assign(size, NO_MOMENT);
            moments->received.assign(size, NO_MOMENT);
            moments->transfer.assign(size, NO_EDGE);
            moments->hold.assign(size, NO_EDGE);
            moments->sending.assign(size, NO_EDGE);
        }
        recording_.graph.reserve(points_.size() + columns_.collectives.size(), points_.size());
        recording_.recorded.reserve(points_.size() + columns_.collectives.size());
        enter_of_call_.assign(columns_.calls.size(), NO_MOMENT);
        wait_of_call_.assign(columns_.calls.size(), NO_MOMENT);
        last_.assign(lanes_, NO_MOMENT);
        thread_end_.assign(lanes_, NO_MOMENT);
        finalized_.assign(lanes_, false);
        depth_.assign(lanes_, 0);
        meetings_.assign(2 * columns_.collectives.size(), NO_MOMENT);
        last_waits_.assign(2 * columns_.collectives.size(), NO_MOMENT);
        missing_.assign(2 * columns_.collectives.size(), 0);
        for (size_t i = 0; i < columns_.calls.size(); i++)
            if (!by_hops(columns_.calls.collective[i]))
                missing_[meeting_of(i)]++;
    }

    // The index of a call in meetings_, last_waits_ and missing_. A meeting is the moment at which a collective's last
    // member has entered. On an intercommunicator each group has its own.
    size_t meeting_of(size_t call) const {
        const auto collective = static_cast<size_t>(columns_.calls.collective[call]);
        const int32_t second = columns_.collectives.second_group[collective];
        return 2 * collective + (second >= 0 && columns_.calls.comm_rank[call] >= second ? 1 : 0);
    }

    int64_t time_before(int32_t lane, int64_t fallback) const {
        const Moment previous = last_[static_cast<size_t>(lane)];
        return previous == NO_MOMENT ? fallback : recording_.recorded[previous];
    }

    // Adds a point's moment, at least `gap` ns after the previous moment of its lane.
    Moment add_moment(const Point &p, int64_t gap) {
        const auto lane = static_cast<size_t>(p.lane);
        Moment creator = NO_MOMENT;
        if (last_[lane] == NO_MOMENT) { // its first moment depends on the rank's main thread, if that has begun
            const size_t main = main_lane(p.lane);
            creator = main == lane ? NO_MOMENT : last_[main];
            gap = creator == NO_MOMENT ? p.time : Graph::MINUS_INFINITY;
        }
        const Moment moment = recording_.graph.add(p.lane, gap, depth_[lane] > 0);
        recording_.recorded.push_back(p.time);
        if (creator != NO_MOMENT)
            recording_.graph.add_edge({creator, p.time - recording_.recorded[creator]});
        last_[lane] = moment;
        return moment;
    }

    // Adds a moment whose gap is the whole recorded time since the previous moment of its lane.
    Moment add_own(const Point &p) {
        return add_moment(p, p.time - time_before(p.lane, 0));
    }

    // Adds a moment whose gap is the time since the previous moment of its lane without waits.
    Moment add_seen(const Point &p) {
        return add_moment(p, waits_.busy(p.lane, time_before(p.lane, 0), p.time));
    }

    void add(const Point &p) {
        if (finalized_[static_cast<size_t>(p.lane)])
            return;
        switch (p.kind) {
        case Kind::begin:
            return add_begin(p);
        case Kind::goes_on:
            return add_going_on(p);
        case Kind::sent:
            moments_of(p.table).sent[p.row] = add_own(p);
            break;
        case Kind::post:
            moments_of(p.table).posted[p.row] = add_own(p);
            break;
        case Kind::received:
            return add_received(p);
        case Kind::send_done:
            return add_send_done(p);
        case Kind::complete:
            return add_call_end(p, columns_.calls.wait_begin[p.row]);
        case Kind::end:
            return add_end(p);
        }
    }

    MessageMoments &moments_of(Table table) {
        return table == Table::hops ? recording_.hops : recording_.messages;
    }

    // Adds a moment. In a call that communicates, its gap leaves out waits: polls before a receive belong to its wait.
    Moment add_outside_waits(const Point &p) {
        return p.table == Table::intervals && is_communication(p) ? add_seen(p) : add_own(p);
    }

    // Adds a moment of a thread that may have waited for its rank's other threads, with edges from their last moments.
    Moment add_after_threads(const Point &p) {
        std::vector<Moment> before;
        for (size_t lane = 0; lane < lanes_; lane++)
            if (communicating_.communicates(lane) &&
                main_lane(static_cast<int32_t>(lane)) == static_cast<size_t>(p.lane) && last_[lane] != NO_MOMENT &&
                recording_.recorded[last_[lane]] > time_before(p.lane, 0))
                before.push_back(last_[lane]);
        const Moment moment = before.empty() ? add_own(p) : add_moment(p, 0);
        for (Moment last : before)
            recording_.graph.add_edge({last, p.time - recording_.recorded[last]});
        return moment;
    }

    void add_begin(const Point &p) {
        const Moment moment =
            communicating_.rests(columns_.lanes, p.lane) ? add_after_threads(p) : add_outside_waits(p);
        recording_.enter[static_cast<size_t>(p.lane)].emplace_back(p.time, moment);
        depth_[static_cast<size_t>(p.lane)] += is_communication(p);
        if (p.table == Table::intervals) {
            const auto kind = static_cast<IntervalKind>(columns_.intervals.kind[p.row]);
            finalized_[static_cast<size_t>(p.lane)] = kind == IntervalKind::finalize;
            if (kind == IntervalKind::idle)
                thread_end_[main_lane(p.lane)] = moment;
            return;
        }
        enter_of_call_[p.row] = moment;
        const int64_t collective = columns_.calls.collective[p.row];
        if (by_hops(collective))
            return;
        const size_t meeting = meeting_of(p.row);
        if (--missing_[meeting] > 0)
            return;
        meetings_[meeting] = recording_.graph.add(-1, 0, false);
        recording_.recorded.push_back(p.time);
        const auto first = static_cast<size_t>(columns_.collectives.first_call[static_cast<size_t>(collective)]);
        const auto end = static_cast<size_t>(columns_.collectives.first_call[static_cast<size_t>(collective) + 1]);
        for (size_t call = first; call < end; call++)
            if (meeting_of(call) == meeting && enter_of_call_[call] != NO_MOMENT)
                recording_.graph.add_edge({enter_of_call_[call], 0});
    }

    // Adds the begin of a wait for a nonblocking collective, and a moment of no lane after all members' waits so far.
    void add_going_on(const Point &p) {
        const Moment wait = add_own(p);
        wait_of_call_[p.row] = wait;
        Moment &last_wait = last_waits_[meeting_of(p.row)];
        const Moment before = last_wait;
        last_wait = recording_.graph.add(-1, 0, false);
        recording_.recorded.push_back(p.time);
        recording_.graph.add_edge({wait, 0});
        if (before != NO_MOMENT)
            recording_.graph.add_edge({before, 0});
    }

    // True if a point belongs to a call that communicates. The call's time without waits is the cost of messages.
    bool is_communication(const Point &p) const {
        if (p.table == Table::calls)
            return true;
        return paths::may_wait_for_message(static_cast<IntervalKind>(columns_.intervals.kind[p.row]));
    }

    void add_end(const Point &p) {
        end_call(p);
        depth_[static_cast<size_t>(p.lane)] -= is_communication(p);
    }

    void end_call(const Point &p) {
        if (p.table == Table::intervals) {
            recording_.interval_end[p.row] = add_interval_end(p);
            return;
        }
        const auto collective = static_cast<size_t>(columns_.calls.collective[p.row]);
        if (by_hops(columns_.calls.collective[p.row]) || columns_.collectives.returns_early[collective])
            add_own(p);
        else
            add_call_end(p, columns_.calls.enter[p.row]);
    }

    size_t main_lane(int32_t lane) const {
        return static_cast<size_t>(columns_.lanes.main_lane[static_cast<size_t>(lane)]);
    }

    // Adds the end of an interval. The thread that begins after an idle interval depends on no other thread. A wait for
    // a thread gets an edge from that thread's end.
    Moment add_interval_end(const Point &p) {
        const auto kind = static_cast<IntervalKind>(columns_.intervals.kind[p.row]);
        if (kind == IntervalKind::idle)
            last_[static_cast<size_t>(p.lane)] = NO_MOMENT;
        const Moment ended = thread_end_[main_lane(p.lane)];
        if (kind != IntervalKind::join || ended == NO_MOMENT ||
            recording_.recorded[ended] <= columns_.intervals.begin[p.row])
            return add_outside_waits(p);
        const Moment moment = add_moment(p, 0);
        recording_.graph.add_edge({ended, p.time - recording_.recorded[ended]});
        return moment;
    }

    // Adds the end of a call of a collective without hops, with edges from the members that the operation's rule needs.
    void add_call_end(const Point &p, int64_t wait_begin) {
        const std::vector<Moment> requirements = requirements_of(p.row);
        int64_t last = MISSING;
        for (Moment enter : requirements)
            last = std::max(last, recording_.recorded[enter]);
        if (last == MISSING) {
            recording_.call_end[p.row] = {add_own(p), NO_EDGE};
            return;
        }
        const bool has_waited = last > wait_begin && last <= p.time;
        // A rank's own time begins at the last enter that it needs, or at its own enter if that is later.
        const int64_t own_time = p.time - std::max(last, wait_begin);
        const Moment moment =
            has_waited ? add_moment(p, std::min(own_time, p.time - time_before(p.lane, 0))) : add_own(p);
        uint32_t edge = NO_EDGE;
        for (Moment enter : requirements)
            edge = recording_.graph.add_edge({enter, has_waited ? p.time - last : std::min(own_time, p.time - last)});
        recording_.call_end[p.row] = {moment, requirements.size() == 1 ? edge : NO_EDGE};
    }

    // The moments of other members that must come before a call's end by its operation's rule.
    std::vector<Moment> requirements_of(size_t call) const {
        const auto collective = static_cast<size_t>(columns_.calls.collective[call]);
        const auto first = static_cast<size_t>(columns_.collectives.first_call[collective]);
        const auto end = static_cast<size_t>(columns_.collectives.first_call[collective + 1]);
        const bool is_inter = columns_.collectives.second_group[collective] >= 0;
        const int32_t root = columns_.collectives.root_rank[collective];
        std::vector<Moment> requirements;
        auto need = [&](Moment moment) {
            if (moment != NO_MOMENT)
                requirements.push_back(moment);
        };
        auto need_meeting = [&] {
            const size_t meeting = is_inter ? meeting_of(call) ^ 1 : meeting_of(call);
            need(meetings_[meeting]);
            need(last_waits_[meeting]);
        };
        auto need_member = [&](size_t member) {
            need(enter_of_call_[member]);
            need(wait_of_call_[member]);
        };
        switch (static_cast<Leads>(columns_.collectives.leads[collective])) {
        case Leads::to_last_enter:
            need_meeting();
            break;
        case Leads::root_to_last_enter:
            if (columns_.calls.rank[call] == root)
                need_meeting();
            break;
        case Leads::to_root:
            for (size_t sender = first; sender < end; sender++)
                if (sender != call && columns_.calls.rank[sender] == root)
                    need_member(sender);
            break;
        case Leads::scan:
        case Leads::exscan:
            for (size_t sender = first; sender < end; sender++)
                if (columns_.calls.comm_rank[sender] < columns_.calls.comm_rank[call])
                    need_member(sender);
            break;
        case Leads::stays:
            break;
        }
        return requirements;
    }

    void add_received(const Point &p) {
        const Messages &m = messages_of(p.table);
        MessageMoments &moments = moments_of(p.table);
        const int64_t send_begin = m.send_begin[p.row], took = p.time - send_begin;
        const Moment sent = moments.sent[p.row];
        const bool has_edge = sent != NO_MOMENT && send_begin <= p.time;
        moments.received[p.row] = add_seen(p);
        if (has_edge)
            moments.transfer[p.row] =
                recording_.graph.add_edge({sent, p.waited ? took : std::min(took, fastest(m, p.row))});
    }

    void add_send_done(const Point &p) {
        const Messages &m = messages_of(p.table);
        MessageMoments &moments = moments_of(p.table);
        const Moment posted = moments.posted[p.row];
        if (posted == NO_MOMENT) {
            add_own(p);
            return;
        }
        const int64_t time_since_post = p.time - m.recv_post[p.row];
        add_seen(p);
        moments.hold[p.row] = recording_.graph.add_edge(
            {posted, p.waited ? time_since_post : std::min(time_since_post, fastest(m, p.row))});
        if (const Moment sent = moments.sent[p.row]; sent != NO_MOMENT)
            moments.sending[p.row] = recording_.graph.add_edge({sent, std::min(time_since_post, fastest(m, p.row))});
    }

    const Columns &columns_;
    const size_t lanes_;
    paths::CommunicatingLanes communicating_;
    std::array<paths::Transfer, paths::MESSAGE_CLASSES> transfers_;
    std::vector<Point> points_;
    LaneWaits waits_;
    Recorded recording_;
    std::vector<Moment> enter_of_call_, wait_of_call_; // per row of calls
    std::vector<Moment> meetings_, last_waits_; // per meeting: a moment after all enters, one after all waits so far
    std::vector<Moment> last_, thread_end_;     // per lane: its last moment; per main lane: its rank's last thread end
    std::vector<int32_t> missing_, depth_;
    std::vector<bool> finalized_;
};

} // namespace

Recorded recorded_run(const Columns &columns) {
    return Builder(columns).build();
}

} // namespace hopscope::causal
