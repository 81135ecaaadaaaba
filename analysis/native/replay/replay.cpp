// Lanes advance by themselves until they need a message that was not sent yet, or wait for others in a collective that
// is replayed as observed. Two things compete and go through the queue of events: messages that compete for servers or
// for a rank's time, and enters, because a rank's time depends on their order. An enter or a message that nothing can
// precede skips the queue, because events are most of the work: in a broadcast tree only messages to a server are left.
#include "replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "event_queue.h"
#include "network.h"

namespace hopscope::replay {
namespace {

using paths::Leads;

constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

// A message of a collective's schedule, named by the step that receives it.
struct Message {
    int32_t collective, receive;
};

// An event of a message or of a lane. `place` says which: a server that the message comes to, or one of these. at_rank:
// it comes to its receiver. asks: its RTS arrives. goes: its data leaves after the CTS. sender_done: its sender is done
// with it. posted: its receive was posted after it had arrived. enters: a lane enters a collective.
struct Event {
    enum : int32_t { at_rank = -1, enters = -2, goes = -3, sender_done = -4, posted = -5, asks = -6 };
    double t, last;
    Message message; // for `enters`, `collective` is the lane
    int32_t place;   // a server's place on the route, or one of the above
};

// A rank in a collective. left: number of steps not done. pending: number of posted receives and sends by rendezvous.
struct Rank {
    int32_t left, pending;
};

// A collective that is running. Later collectives with the same schedule use its memory again.
struct Running {
    const Schedule *schedule;
    std::vector<int32_t> unmet; // of each step, as in Schedule::unmet
    std::vector<Rank> rank;
    // Receives by rendezvous: the time at which the first of the two ends was ready. Empty if there are none.
    std::vector<double> agreed;
    size_t ranks_left, first_member;
};

class Replay {
  public:
    Replay(const Program &program, const std::vector<Schedule> &schedules, const Costs &costs)
        : program_(program), schedules_(schedules), costs_(costs), network_(costs, program.host),
          lanes_(program.lanes()), sent_(program.transit.size, UNKNOWN), waiting_(program.transit.size, -1),
          observed_(program.collectives()), running_(program.collectives(), nullptr), idle_(schedules.size()) {
        result_.enter.assign(program.member.size, UNKNOWN);
        result_.leave.assign(program.member.size, UNKNOWN);
    }

    Replayed run() {
        for (size_t lane = 0; lane < lanes_.size(); lane++) {
            lanes_[lane].next_op = program_.first_op[lane];
            runnable_.push_back(static_cast<int32_t>(lane));
        }
        advance_all();
        while (!events_.empty()) {
            const Event event = events_.pop();
            clock_ = event.t;
            if (event.place == Event::at_rank) {
                lane_of(event.message).queued--;
                arrive(event.message, clock_);
            } else if (event.place == Event::enters)
                enter(static_cast<size_t>(event.message.collective), clock_);
            else if (event.place == Event::asks)
                ask(event.message, event.last);
            else if (event.place == Event::goes)
                go(event.message);
            else if (event.place == Event::sender_done)
                sent(event.message);
            else if (event.place == Event::posted)
                take_in(event.message);
            else
                travel(schedule_of(event.message.collective), event.message, event.place, {event.t, event.last}, true);
            advance_all();
        }
        result_.finished = true;
        for (size_t lane = 0; lane < lanes_.size(); lane++)
            result_.finished = result_.finished && lanes_[lane].next_op == program_.first_op[lane + 1];
        return std::move(result_);
    }

  private:
    struct Lane {
        int64_t next_op = 0;                                 // in the program
        double time = 0;                                     // where it is, outside of schedules
        double free_at = 0;                                  // when it is free, inside of schedules
        int32_t queued = 0;                                  // messages to it in the queue of events
        bool started = false;                                // the gap before its next operation is over
        std::vector<std::pair<Message, Passage>> unexpected; // emulated, arrived before their receive was posted
    };
    // A collective that is replayed as it was observed.
    struct Observed {
        size_t entered = 0, released = 0; // numbers of members; of a scan, the members from the first on
        double last = 0;                  // the last enter so far; for a scan, among the released members
    };

    // Does all work that does not depend on the order of time.
    void advance_all() {
        while (!runnable_.empty() || !coming_.empty()) {
            for (size_t i = 0; i < runnable_.size(); i++) // the list may grow
                advance(static_cast<size_t>(runnable_[i]));
            runnable_.clear();
            for (size_t i = 0; i < coming_.size(); i++) { // this list may grow, too
                const auto [message, t] = coming_[i];
                if (comes_next(message)) {
                    arrive(message, t);
                } else {
                    lane_of(message).queued++;
                    events_.push({t, 0, message, Event::at_rank});
                }
            }
            coming_.clear();
        }
    }

    void advance(size_t number) {
        Lane &lane = lanes_[number];
        for (; lane.next_op < program_.first_op[number + 1]; lane.next_op++) {
            const auto op = static_cast<size_t>(lane.next_op), ref = static_cast<size_t>(program_.ref[op]);
            // Every lane reads its own part of the columns: more streams than a processor prefetches by itself. This
            // saves a tenth of the time. Not in a function: GCC removes calls that only prefetch.
            if (constexpr size_t LINE = 64 / sizeof(int64_t); op % LINE == 0)
                for (const auto *column : {&program_.ref, &program_.gap, &program_.slot})
                    __builtin_prefetch(column->data + op + 2 * LINE);
            if (!lane.started) { // once, even if the lane returns to this operation
                lane.time += static_cast<double>(program_.gap[op]);
                lane.started = true;
            }
            switch (static_cast<Op>(program_.op[op])) {
            case Op::send:
                sent_[ref] = lane.time;
                if (waiting_[ref] >= 0)
                    runnable_.push_back(waiting_[ref]);
                break;
            case Op::wait:
                if (std::isnan(sent_[ref])) {
                    waiting_[ref] = static_cast<int32_t>(number);
                    return;
                }
                lane.time = std::max(lane.time + static_cast<double>(program_.hold[op]),
                                     sent_[ref] + static_cast<double>(program_.transit[ref]));
                break;
            case Op::collective:
                result_.enter[static_cast<size_t>(program_.slot[op])] = lane.time;
                if (program_.schedule[ref] < 0)
                    meet(ref, static_cast<size_t>(program_.slot[op]));
                else if (enters_at_once(ref, op))
                    enter(number, lane.time);
                else
                    events_.push({lane.time, 0, {static_cast<int32_t>(number), 0}, Event::enters});
                return;
            }
            lane.started = false;
        }
    }

    // Lets the lane of a row of `member` go on to its next operation at time t.
    void leave(size_t slot, double t) {
        Lane &lane = lanes_[static_cast<size_t>(program_.member[slot])];
        result_.leave[slot] = lane.time = t;
        lane.started = false;
        lane.next_op++;
        runnable_.push_back(program_.member[slot]);
    }

    // Enters an observed collective: each member leaves its own time after the last enter that it has to wait for.
    void meet(size_t collective, size_t slot) {
        const auto first = static_cast<size_t>(program_.first_member[collective]);
        const auto end = static_cast<size_t>(program_.first_member[collective + 1]);
        const int32_t position = program_.root_position[collective];
        const size_t root = position < 0 ? end : first + static_cast<size_t>(position);
        Observed &o = observed_[collective];
        const auto leads = static_cast<Leads>(program_.leads[collective]);
        const bool is_scan = leads == Leads::scan || leads == Leads::exscan;
        o.entered++;
        if (!is_scan)
            o.last = std::max(o.last, result_.enter[slot]);
        const bool is_complete = first + o.entered == end;
        if (is_scan) {
            for (; first + o.released < end && !std::isnan(result_.enter[first + o.released]); o.released++) {
                o.last = std::max(o.last, result_.enter[first + o.released]);
                release(first + o.released, o.last);
            }
        } else if (leads == Leads::to_last_enter) {
            for (size_t i = first; i < end && is_complete; i++)
                release(i, o.last);
        } else if (leads == Leads::to_root && root < end) {
            for (size_t i = first; i < end && slot == root; i++)
                if (!std::isnan(result_.enter[i]))
                    release(i, std::max(result_.enter[i], result_.enter[root]));
            if (slot != root && !std::isnan(result_.enter[root]))
                release(slot, std::max(result_.enter[slot], result_.enter[root]));
        } else if (leads == Leads::root_to_last_enter && root < end) {
            if (slot != root)
                release(slot, result_.enter[slot]);
            if (is_complete)
                release(root, o.last);
        } else {
            release(slot, result_.enter[slot]);
        }
    }

    void release(size_t slot, double waited_for) {
        leave(slot, waited_for + static_cast<double>(program_.own_time[slot]));
    }

    Running &start(size_t collective) {
        const auto number = static_cast<size_t>(program_.schedule[collective]);
        const Schedule &schedule = schedules_[number];
        Running *running;
        if (idle_[number].empty()) {
            running = &all_running_.emplace_back();
        } else {
            running = idle_[number].back();
            idle_[number].pop_back();
        }
        running->schedule = &schedule;
        running->unmet = schedule.unmet;
        running->rank.resize(schedule.ranks());
        for (size_t i = 0; i < running->rank.size(); i++)
            running->rank[i] = {schedule.steps_of[i], 0};
        running->agreed.assign(schedule.has_rendezvous() ? schedule.steps.size() : 0, UNKNOWN);
        running->ranks_left = schedule.ranks();
        running->first_member = static_cast<size_t>(program_.first_member[collective]);
        return *(running_[collective] = running);
    }

    void enter(size_t number, double t) {
        Lane &lane = lanes_[number];
        const auto op = static_cast<size_t>(lane.next_op), collective = static_cast<size_t>(program_.ref[op]);
        Running &x = running_[collective] ? *running_[collective] : start(collective);
        const size_t position = static_cast<size_t>(program_.slot[op]) - x.first_member;
        lane.free_at = t + costs_.enter;
        for (size_t i = x.schedule->first_ready[position]; i < x.schedule->first_ready[position + 1]; i++)
            satisfy(x, static_cast<int32_t>(collective), x.schedule->ready[i], lane.free_at);
        work(x, static_cast<int32_t>(collective), position, 0);
    }

    void arrive(Message message, double t) {
        const auto collective = static_cast<size_t>(message.collective);
        Running &x = running_[collective] ? *running_[collective] : start(collective);
        result_.hops++;
        if ((x.unmet[static_cast<size_t>(message.receive)] -= MESSAGE) > 0)
            return;
        const auto position = static_cast<size_t>(x.schedule->steps[static_cast<size_t>(message.receive)].position);
        Lane &lane = lane_of(x, position);
        lane.free_at = std::max(lane.free_at, t);
        x.rank[position].pending--;
        work_.push_back(message.receive);
        work(x, message.collective, position, 0);
    }

    // One end of a rendezvous is ready: its RTS has arrived, or its receive is posted. If it is the second one, the
    // message leaves when the CTS is back. An emulated message has left already; then its sender goes on.
    void agree(Running &x, Message message, double t) {
        double &ready = x.agreed[static_cast<size_t>(message.receive)];
        if (std::isnan(ready))
            ready = t;
        else if (costs_.emulates)
            events_.push({std::max({ready, t, clock_}), 0, message, Event::sender_done});
        else
            events_.push({std::max(ready, t) + network_.route(step_of(message).pair).cts, 0, message, Event::goes});
    }

    // The RTS of a message arrives, after the last message between the same two ranks, which share a connection.
    void ask(Message message, double t) {
        t = std::max(t + network_.route(step_of(message).pair).rts, last_there(message));
        agree(*running_[static_cast<size_t>(message.collective)], message, t);
    }

    void go(Message message) {
        last_there(message) = clock_ + step_of(message).crossing;
        travel(schedule_of(message.collective), message, network_.route(step_of(message).pair).first, {clock_, clock_},
               false);
    }

    // The sender is done with a message by rendezvous.
    void sent(Message message) {
        Running &x = *running_[static_cast<size_t>(message.collective)];
        const Step &send = x.schedule->steps[static_cast<size_t>(step_of(message).other_end)];
        Lane &lane = lane_of(x, static_cast<size_t>(send.position));
        lane.free_at = std::max(lane.free_at, clock_);
        x.rank[static_cast<size_t>(send.position)].pending--;
        release_followers(x, message.collective, send, lane.free_at);
        work(x, message.collective, static_cast<size_t>(send.position), 1);
    }

    const Schedule &schedule_of(int32_t collective) const {
        return schedules_[static_cast<size_t>(program_.schedule[static_cast<size_t>(collective)])];
    }

    const Step &step_of(Message message) const {
        return schedule_of(message.collective).steps[static_cast<size_t>(message.receive)];
    }

    static size_t position_of(const Step &step) {
        return static_cast<size_t>(step.position);
    }

    Lane &lane_of(Message message) {
        const auto first = program_.first_member[static_cast<size_t>(message.collective)];
        return lanes_[static_cast<size_t>(program_.member[static_cast<size_t>(first) + position_of(step_of(message))])];
    }

    Lane &lane_of(const Running &x, size_t position) {
        return lanes_[static_cast<size_t>(program_.member[x.first_member + position])];
    }

    // Fulfils one condition of a step, at time t. A message that arrived before its receive was posted is taken after
    // all other work, as in the engine.
    void satisfy(Running &x, int32_t collective, int32_t row, double t) {
        const Step &step = x.schedule->steps[static_cast<size_t>(row)];
        const int32_t unmet = --x.unmet[static_cast<size_t>(row)];
        if (unmet != 0 && unmet != MESSAGE)
            return;
        if (step.kind != STEP_RECEIVE) {
            work_.push_back(row);
            return;
        }
        if (unmet == 0)
            arrived_.push_back(row);
        else
            x.rank[position_of(step)].pending++;
        if (step.is_rendezvous)
            agree(x, {collective, row}, t);
        if (costs_.emulates && unmet > 0 && !lane_of(x, position_of(step)).unexpected.empty())
            events_.push({std::max(t, clock_), 0, {collective, row}, Event::posted});
    }

    void release_followers(Running &x, int32_t collective, const Step &step, double t) {
        for (int32_t edge = step.first_edge; edge < step.last_edge; edge++)
            satisfy(x, collective, x.schedule->edges[static_cast<size_t>(edge)], t);
    }

    // Does all that a rank can do now, one step after another, and ignores what arrives meanwhile. finished: the number
    // of steps that are already done.
    void work(Running &x, int32_t collective, size_t position, int32_t finished) {
        const Schedule &schedule = *x.schedule;
        Lane &lane = lane_of(x, position);
        size_t done = 0, arrival = 0;
        double t = lane.free_at;
        while (done < work_.size() || arrival < arrived_.size()) {
            const int32_t row = done < work_.size() ? work_[done++] : arrived_[arrival++];
            const Step &step = schedule.steps[static_cast<size_t>(row)];
            t += step.rank_time;
            if (step.kind == STEP_SEND) {
                const Route &route = network_.route(step.pair);
                const Message message{collective, step.other_end};
                if (!step.is_rendezvous || costs_.emulates)
                    travel(schedule, message, route.first, {t, t}, false);
                if (step.is_rendezvous) {
                    x.rank[position].pending++;
                    costs_.emulates ? agree(x, message, t)
                                    : events_.push({std::max(t, clock_), t, message, Event::asks});
                    continue;
                }
            }
            finished++;
            release_followers(x, collective, step, t);
        }
        work_.clear();
        arrived_.clear();
        lane.free_at = t;
        x.rank[position].left -= finished;
        if (x.rank[position].left > 0)
            return;
        leave(x.first_member + position, t + costs_.leave);
        if (--x.ranks_left == 0) {
            idle_[static_cast<size_t>(program_.schedule[static_cast<size_t>(collective)])].push_back(&x);
            running_[static_cast<size_t>(collective)] = nullptr;
        }
    }

    double &last_there(Message message) {
        const Running &x = *running_[static_cast<size_t>(message.collective)];
        const Step &receive = step_of(message), &send = x.schedule->steps[static_cast<size_t>(receive.other_end)];
        const int32_t *member = program_.member.data + x.first_member;
        return last_there_[static_cast<size_t>(member[send.position]) * lanes_.size() +
                           static_cast<size_t>(member[receive.position])];
    }

    bool is_posted(Message message) {
        const auto collective = static_cast<size_t>(message.collective);
        const Running &x = running_[collective] ? *running_[collective] : start(collective);
        return x.unmet[static_cast<size_t>(message.receive)] == MESSAGE;
    }

    // True if nothing can happen to the receiver before this message: it waits for nothing else, or all messages that
    // it waits for come in this order.
    bool comes_next(Message message) {
        const auto collective = static_cast<size_t>(message.collective);
        if (costs_.emulates || !running_[collective] || !is_posted(message))
            return false;
        const Step &step = step_of(message);
        return running_[collective]->rank[position_of(step)].pending == 1 ||
               (network_.route(step.pair).in_order && lane_of(message).queued == 0);
    }

    // True if the lane need not enter in the order of time. On entry it posts exactly one receive, so it finds no other
    // message there, and it cannot leave before that message comes. Its sends are put in order by themselves.
    bool enters_at_once(size_t collective, size_t op) const {
        const auto position = static_cast<size_t>(program_.slot[op] - program_.first_member[collective]);
        return !costs_.emulates && schedule_of(static_cast<int32_t>(collective)).posts_one[position];
    }

    // A receive was posted. If several messages can now be taken in, the one that arrived first takes its turn at the
    // far servers.
    void take_in(Message message) {
        const auto position = position_of(step_of(message));
        auto &arrivals = lane_of(*running_[static_cast<size_t>(message.collective)], position).unexpected;
        auto first = arrivals.end();
        for (auto entry = arrivals.begin(); entry != arrivals.end(); ++entry)
            if (is_posted(entry->first) && (first == arrivals.end() || entry->second.first < first->second.first))
                first = entry;
        if (first == arrivals.end())
            return;
        const auto [arrival, passage] = *first;
        arrivals.erase(first);
        travel(schedule_of(arrival.collective), arrival, network_.route(step_of(arrival).pair).far, passage, true);
    }

    // Moves a message on from a place of its route. resumed: the server at that place serves it now.
    void travel(const Schedule &schedule, Message message, int32_t place, Passage passage, bool resumed) {
        const Step &step = schedule.steps[static_cast<size_t>(message.receive)];
        const Route &route = network_.route(step.pair);
        bool on_near_side = place < route.far || !resumed, its_turn = resumed;
        if (costs_.emulates && !on_near_side && !is_posted(message)) {
            lane_of(*running_[static_cast<size_t>(message.collective)], position_of(step))
                .unexpected.push_back({message, passage});
            return;
        }
        while (true) {
            if (place == route.far && on_near_side) {
                if (step.is_rendezvous && !costs_.emulates)
                    events_.push({std::max(passage.last, clock_), 0, message, Event::sender_done});
                passage = {passage.first + step.crossing, passage.last + step.crossing};
                on_near_side = false;
                if (costs_.emulates && place < route.end) {
                    events_.push({passage.first, passage.last, message, place});
                    return;
                }
            }
            if (place == route.end)
                break;
            const bool may_wait = costs_.emulates ? place == route.first : network_.is_shared(place);
            if (!its_turn && passage.first > clock_ && may_wait) {
                events_.push({passage.first, passage.last, message, place});
                return;
            }
            passage = network_.pass(place++, step.bytes, passage);
            its_turn = false;
        }
        if (resumed && passage.last <= clock_)
            arrive(message, clock_);
        else
            coming_.push_back({message, std::max(passage.last, clock_)});
    }

    const Program &program_;
    const std::vector<Schedule> &schedules_;
    const Costs &costs_;
    Network network_;
    EventQueue<Event> events_;
    double clock_ = 0;
    std::vector<Lane> lanes_;
    std::vector<double> sent_;
    std::vector<int32_t> waiting_; // the lane that waits for each message; -1: none
    std::vector<Observed> observed_;
    std::vector<Running *> running_; // per collective
    std::deque<Running> all_running_;
    std::vector<std::vector<Running *>> idle_;      // per schedule
    std::unordered_map<size_t, double> last_there_; // by sender and receiver: arrival of the last rendezvous
    std::vector<int32_t> work_, arrived_;           // steps of a rank that can be done now
    std::vector<int32_t> runnable_;
    std::vector<std::pair<Message, double>> coming_; // on the way to their receivers, with times of arrival
    Replayed result_;
};

} // namespace

Replayed replay(const Program &program, std::vector<Schedule> &schedules, const Costs &costs) {
    price_all(schedules, program, costs);
    return Replay(program, schedules, costs).run();
}

} // namespace hopscope::replay
