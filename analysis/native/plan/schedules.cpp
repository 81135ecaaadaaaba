#include "schedules.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace hopscope::plan {

namespace {

bool has_pairs(operation what) {
    return operation_input(what) == CONTENT_EACH && operation_output(what) == CONTENT_EACH;
}

// Contiguous blocks, or (alone) a rank's only block at the beginning of its buffer.
struct Blocks {
    std::vector<int64_t> at, length;
    explicit Blocks(size_t size) : at(size), length(size) {}
    blocks behind_one_another() {
        std::exclusive_scan(length.begin(), length.end(), at.begin(), int64_t{0});
        return {at.data(), length.data()};
    }
    blocks alone(int rank) {
        at[static_cast<size_t>(rank)] = 0;
        return {at.data(), length.data()};
    }
};

class Laying {
  public:
    Laying(const Collective &collective, Members &members)
        : c_(collective), members_(members.view()), size_(members.size()), in_(static_cast<size_t>(size_)),
          out_(static_cast<size_t>(size_)), scratch_(SCHEDULE_SCRATCH * static_cast<size_t>(size_)) {
        const tree_rule &rule = c_.plan.rules[c_.rule];
        algorithm_ = rule.algorithms[c_.what];
        if (!algorithm_)
            throw std::invalid_argument(std::string("the rule leaves ") + operation_name(c_.what) +
                                        " to the MPI library");
        if (size_ < 2)
            throw std::invalid_argument("a collective of one rank has no schedule");
        check_lengths();
        root_ = c_.root;
        if (operation_has_root(c_.what) && (root_ < 0 || root_ >= size_))
            throw std::invalid_argument(std::string(operation_name(c_.what)) + " needs a root from 0 to " +
                                        std::to_string(size_ - 1));
        if (!operation_has_root(c_.what))
            root_ = 0;
        if (rule.reduce_tree < 0)
            return;
        const tree_spec *trees = c_.plan.trees;
        const tree_spec &up = trees[operation_only_down(c_.what) ? rule.broadcast_tree : rule.reduce_tree];
        const tree_spec &down = trees[operation_only_up(c_.what) ? rule.reduce_tree : rule.broadcast_tree];
        if (!operation_has_root(c_.what))
            root_ = tree_own_root(&up, &down);
        if (!operation_only_down(c_.what))
            up_ = places_of(up, members, root_, TREE_REDUCE);
        if (!operation_only_up(c_.what))
            down_ = places_of(down, members, root_, TREE_BROADCAST);
        tree_ = operation_only_down(c_.what) ? &down : &up;
    }

    // Makes the schedule as the engine would on this rank.
    void lay(schedule &s, int rank) {
        const tree_rule &rule = c_.plan.rules[c_.rule];
        tree_position up = place(up_, rank), down = place(down_, rank);
        bool at_root = rank == root_, is_rooted = operation_has_root(c_.what);
        schedule_request r = {};
        r.operation = c_.what;
        r.rank = rank;
        r.size = size_;
        r.root = root_;
        r.empty = c_.what == OPERATION_BARRIER;
        r.in_place = c_.in_place && (!is_rooted || at_root);
        r.most_units = schedule_most_units(c_.unit_bytes);
        r.cut = segmentation_of(operation_has_blocks(c_.what) ? 0 : units(), c_.unit_bytes, rule.segment_bytes);
        r.arrival_order = rule.arrival_order;
        r.up = up_.parent.empty() ? nullptr : &up;
        r.down = down_.parent.empty() ? nullptr : &down;
        r.tree = tree_;
        r.groups = &rule.groups;
        r.members = &members_;
        r.scratch = scratch_.data();
        set_blocks(r, at_root);
        if (!algorithm_schedule(algorithm_, &s, &r))
            throw std::bad_alloc();
    }

  private:
    int64_t units() const {
        return is_barrier() ? 0 : c_.lengths[0];
    }
    bool is_barrier() const {
        return c_.what == OPERATION_BARRIER;
    }

    void check_lengths() const {
        size_t n = static_cast<size_t>(size_), given = c_.lengths.size();
        std::string name = operation_name(c_.what);
        bool fits = is_barrier()                    ? given == 0
                    : given == 1                    ? true
                    : has_pairs(c_.what)            ? given == n * n
                    : operation_has_blocks(c_.what) ? given == n
                                                    : false;
        if (!fits)
            throw std::invalid_argument(name + " of " + std::to_string(size_) + " ranks cannot have " +
                                        std::to_string(given) + " lengths");
        if (std::any_of(c_.lengths.begin(), c_.lengths.end(), [](int64_t length) { return length < 0; }))
            throw std::invalid_argument("a length is negative");
        if (operation_has_blocks(c_.what) && operation_is_even(c_.what) &&
            std::count(c_.lengths.begin(), c_.lengths.end(), c_.lengths[0]) != static_cast<std::ptrdiff_t>(given))
            throw std::invalid_argument("the blocks of " + name + " are of one length");
        if (c_.unit_bytes < 1)
            throw std::invalid_argument("a unit has at least one byte");
    }

    // The length of the block from one rank for another; with one block per rank, only `from` counts.
    int64_t block(int from, int to) const {
        auto row = static_cast<size_t>(from), column = static_cast<size_t>(to);
        return c_.lengths[c_.lengths.size() == 1 ? 0
                          : has_pairs(c_.what)   ? row * static_cast<size_t>(size_) + column
                                                 : row];
    }

    static tree_position place(Places &places, int rank) {
        if (places.parent.empty())
            return {-1, 0, nullptr};
        auto at = static_cast<size_t>(rank);
        int64_t first = places.first_child[at];
        return {places.parent[at], static_cast<int>(places.first_child[at + 1] - first),
                places.children.data() + first};
    }

    // Like reductions.c and movements.c of the engine. A rank without a buffer has no blocks in it.
    void set_blocks(schedule_request &r, bool at_root) {
        bool pairs = has_pairs(c_.what);
        if (!operation_has_blocks(c_.what))
            return;
        for (int i = 0; i < size_; i++) {
            auto k = static_cast<size_t>(i);
            in_.length[k] = pairs ? block(r.rank, i) : block(i, i);
            out_.length[k] = block(i, pairs ? r.rank : i);
        }
        if (pairs)
            r.in_place = false; // its input is a copy then
        bool is_rooted = operation_has_root(c_.what), reduces = operation_reduces(c_.what);
        if (operation_input(c_.what) == CONTENT_EACH) {
            if (at_root || !is_rooted)
                r.input = in_.behind_one_another();
        } else if (!r.in_place) {
            r.input = in_.alone(r.rank);
        }
        if (operation_output(c_.what) == CONTENT_EACH) {
            if (at_root || !is_rooted)
                r.output = out_.behind_one_another();
        } else if (!r.in_place && !reduces) {
            r.output = out_.alone(r.rank);
        }
    }

    const Collective &c_;
    tree_members members_;
    int size_, root_ = 0;
    const algorithm *algorithm_ = nullptr;
    const tree_spec *tree_ = nullptr;
    Places up_, down_; // empty: the role does not run
    Blocks in_, out_;
    std::vector<int> scratch_;
};

// Appends a rank's schedule.
void append(Schedules &out, const schedule &s) {
    int64_t first = out.first_step.back();
    for (int i = 0; i < s.step_count; i++) {
        const step &one = s.steps[i];
        bool is_message = one.kind == STEP_SEND || one.kind == STEP_RECEIVE;
        out.kind.push_back(static_cast<int8_t>(one.kind));
        out.role.push_back(static_cast<int8_t>(one.role));
        out.round.push_back(one.round);
        out.peer.push_back(is_message ? one.peer : -1);
        out.segment.push_back(static_cast<int32_t>(one.segment));
        out.slot.push_back(one.slot);
        out.operand.push_back(one.operand);
        out.at.push_back(one.position);
        out.operand_at.push_back(one.operand_position);
        out.length.push_back(one.kind == STEP_JOIN ? 0 : one.length);
        out.unmet.push_back(one.unmet);
        for (int e = one.first_edge; e >= 0; e = s.edges[e].next)
            out.edge.push_back(first + s.edges[e].step);
        out.first_edge.push_back(static_cast<int64_t>(out.edge.size()));
    }
    for (int i = 0; i < s.ready_count; i++)
        out.ready.push_back(first + s.ready[i]);
    out.first_ready.push_back(static_cast<int64_t>(out.ready.size()));
    out.first_step.push_back(first + s.step_count);
    out.ring_units.push_back(s.ring_units);
    out.slots.push_back(s.slot_count);
    out.most_messages.push_back(s.most_messages);
}

// A message end of a rank: the partner, and what both ends know of the message. Messages that look the same match in
// order.
struct End {
    int32_t peer;
    uint64_t said; // role, round, segment
    int64_t row;
    bool operator<(const End &other) const {
        return std::tie(peer, said, row) < std::tie(other.peer, other.said, other.row);
    }
};

// The sends or the receives of a rank.
std::vector<End> ends_of(const Schedules &s, size_t rank, step_kind kind) {
    std::vector<End> ends;
    for (int64_t row = s.first_step[rank]; row < s.first_step[rank + 1]; row++) {
        auto i = static_cast<size_t>(row);
        if (s.kind[i] == kind)
            ends.push_back({s.peer[i],
                            static_cast<uint64_t>(s.role[i]) << 48 | static_cast<uint64_t>(s.round[i]) << 32 |
                                static_cast<uint32_t>(s.segment[i]),
                            row});
    }
    if (!std::is_sorted(ends.begin(), ends.end()))
        std::sort(ends.begin(), ends.end());
    return ends;
}

// Finds the two ends of each message. A rank's receives are sorted by sender, and senders are visited in order.
void join_ends(Schedules &out) {
    size_t ranks = out.first_step.size() - 1, sent = 0, awaited = 0;
    std::vector<std::vector<End>> receives;
    for (size_t rank = 0; rank < ranks; rank++) {
        receives.push_back(ends_of(out, rank, STEP_RECEIVE));
        awaited += receives.back().size();
    }
    std::vector<size_t> matched(ranks, 0);
    out.other_end.assign(out.kind.size(), -1);
    bool agree = true;
    for (size_t rank = 0; rank < ranks && agree; rank++)
        for (const End &send : ends_of(out, rank, STEP_SEND)) {
            auto to = static_cast<size_t>(send.peer);
            agree = matched[to] < receives[to].size();
            if (!agree)
                break;
            const End &receive = receives[to][matched[to]++];
            auto from_row = static_cast<size_t>(send.row), to_row = static_cast<size_t>(receive.row);
            agree = receive.peer == static_cast<int32_t>(rank) && receive.said == send.said &&
                    out.length[from_row] == out.length[to_row];
            if (!agree)
                break;
            out.other_end[from_row] = receive.row;
            out.other_end[to_row] = send.row;
            sent++;
        }
    if (!agree || sent != awaited)
        throw std::logic_error("a message has only one end: the generator of this algorithm is wrong");
}

} // namespace

Schedules schedules_of(const Collective &collective, Members &members) {
    Laying laying(collective, members);
    Schedules out;
    out.first_step = out.first_edge = out.first_ready = {0};
    std::unique_ptr<schedule, void (*)(schedule *)> laid(new schedule{}, [](schedule *s) {
        schedule_clear(s);
        delete s;
    });
    for (int rank = 0; rank < members.size(); rank++) {
        laying.lay(*laid, rank);
        append(out, *laid);
    }
    join_ends(out);
    return out;
}

} // namespace hopscope::plan
