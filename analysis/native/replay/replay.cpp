// A lane advances by itself until it needs a message that was not sent yet, or enters a collective. A queue of events
// puts two things in the order of time: messages, because they compete for servers and for a rank's time, and enters of
// collectives, because what a rank does first depends on them. Events are most of the work, so an enter or a message
// that no other event can precede skips the queue. In a broadcast tree only messages to a shared server remain in it.
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

// A message of a collective with a schedule. receive: the step that receives it.
struct Message {
    int32_t collective, receive;
};

// An event of a message or of a lane. `place` is the place on its route at which the message arrives, or one of these:
// at_rank: the message reaches its receiver. asks: its sender sends the RTS. goes: its data leaves after the CTS.
// sender_done: its sender is done with it. posted: its receive is posted, while emulated messages wait at its receiver.
// enters: a lane enters a collective.
struct Event {
    enum : int32_t { at_rank = -1, enters = -2, goes = -3, sender_done = -4, posted = -5, asks = -6 };
    double t, last;
    Message message; // for `enters`, message.collective is the lane
    int32_t place;   // a place on a route, or one of the values above
};

// A rank in a running collective. left: number of its steps not done. pending: posted receives and rendezvous sends.
struct Rank {
    int32_t left, pending;
};

// A running collective with a schedule. Later collectives with the same schedule reuse its memory.
struct Running {
    const Schedule *schedule;
    std::vector<int32_t> unmet; // per step: the conditions that are left of Schedule::unmet
    std::vector<Rank> rank;
    // Per receive by rendezvous: the time of the RTS or of the post, whichever came first. Empty without rendezvous.
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
        int64_t next_op = 0;                                 // its next row among the program's operations
        double time = 0;                                     // the time that it has reached outside of schedules
        double free_at = 0;                                  // inside of schedules: the time at which it is free
        int32_t queued = 0;                                  // number of messages to it in the queue of events
        bool started = false;                                // true if the gap before its next operation is over
        std::vector<std::pair<Message, Passage>> unexpected; // emulated messages that came before their receive's post
    };
    // A collective without a schedule, whose members take their observed own time.
    struct Observed {
        size_t entered = 0, released = 0; // numbers of members; released: only for a scan
        double last = 0;                  // the last enter so far; for a scan, of the released members
    };

    // Advances lanes and delivers messages as long as no event in the queue can come before.
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
            // Lanes read more streams than a processor prefetches by itself. Prefetching saves a tenth of the time. It
            // is not in a function, because GCC removes calls that only prefetch.
            if (constexpr size_t LINE = 64 / sizeof(int64_t); op % LINE == 0)
                for (const auto *column : {&program_.ref, &program_.gap, &program_.slot})
                    __builtin_prefetch(column->data + op + 2 * LINE);
            if (!lane.started) { // add the gap only once, even if the lane comes back to this operation
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

    // Lets a member's lane leave its collective at time t and go on to its next operation. slot: row of `member`.
    void leave(size_t slot, double t) {
        Lane &lane = lanes_[static_cast<size_t>(program_.member[slot])];
        result_.leave[slot] = lane.time = t;
        lane.started = false;
        lane.next_op++;
        runnable_.push_back(program_.member[slot]);
    }

    // Lets a member enter a collective without a schedule. It leaves its own time after the last enter that it needs.
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

    // Notes at time t that a rendezvous message's RTS has arrived, or that its receive is posted. When both are so, the
    // message leaves as soon as the CTS is back at the sender. An emulated message has already left: its sender goes
    // on.
    void agree(Running &x, Message message, double t) {
        double &ready = x.agreed[static_cast<size_t>(message.receive)];
        if (std::isnan(ready))
            ready = t;
        else if (costs_.emulates)
            events_.push({std::max({ready, t, clock_}), 0, message, Event::sender_done});
        else
            events_.push({std::max(ready, t) + network_.route(step_of(message).pair).cts, 0, message, Event::goes});
    }

    // Sends the RTS of a message at time t. It cannot overtake an earlier one between the two ranks' one connection.
    void ask(Message message, double t) {
        t = std::max(t + network_.route(step_of(message).pair).rts, last_there(message));
        agree(*running_[static_cast<size_t>(message.collective)], message, t);
    }

    void go(Message message) {
        last_there(message) = clock_ + step_of(message).crossing;
        travel(schedule_of(message.collective), message, network_.route(step_of(message).pair).first, {clock_, clock_},
               false);
    }

    // Lets the sender of a rendezvous message go on, because it is done with the message.
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

    // Fulfils one condition of a step at time t, and starts the step after its last condition. Like the engine, a rank
    // first does all other work, and then takes messages that arrived before their receives were posted.
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

    // Does all steps that a rank can do now; messages that arrive meanwhile stay unseen. finished: steps just done.
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

    // True if no other event can reach the receiver before this message, which has passed its last server: the receiver
    // waits for nothing else, or it gets messages in the order of that server and none is queued for it.
    bool comes_next(Message message) {
        const auto collective = static_cast<size_t>(message.collective);
        if (costs_.emulates || !running_[collective] || !is_posted(message))
            return false;
        const Step &step = step_of(message);
        return running_[collective]->rank[position_of(step)].pending == 1 ||
               (network_.route(step.pair).in_order && lane_of(message).queued == 0);
    }

    // True if the lane's enter need not go through the queue of events. Such a lane posts exactly one receive on entry,
    // so no other message is there, and it leaves after that message. Its sends go through the queue themselves.
    bool enters_at_once(size_t collective, size_t op) const {
        const auto position = static_cast<size_t>(program_.slot[op] - program_.first_member[collective]);
        return !costs_.emulates && schedule_of(static_cast<int32_t>(collective)).posts_one[position];
    }

    // Moves on the first emulated message that waited for its receive's post, to the far servers.
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

    // Moves a message on from a place of its route until it must wait or arrives. resumed: that place serves it now.
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
    std::vector<int32_t> waiting_; // per message: the lane that waits for it; -1 if there is none
    std::vector<Observed> observed_;
    std::vector<Running *> running_; // per collective; null if it is not running
    std::deque<Running> all_running_;
    std::vector<std::vector<Running *>> idle_;      // per schedule: memory that the next collective can use
    std::unordered_map<size_t, double> last_there_; // by sender and receiver: arrival of the last rendezvous message
    std::vector<int32_t> work_, arrived_;           // steps that a rank can do now; arrived_: receives, done last
    std::vector<int32_t> runnable_;
    std::vector<std::pair<Message, double>> coming_; // messages behind their last server, with times of arrival
    Replayed result_;
};

} // namespace

Replayed replay(const Program &program, std::vector<Schedule> &schedules, const Costs &costs) {
    price_all(schedules, program, costs);
    return Replay(program, schedules, costs).run();
}

} // namespace hopscope::replay
