#include "schedules.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace hopscope::plan {

namespace {

bool has_pairs(operation operation_id) {
    return operation_input(operation_id) == CONTENT_EACH && operation_output(operation_id) == CONTENT_EACH;
}

// The positions and lengths of a buffer's blocks. contiguous(): blocks that follow one another. alone(): a rank's only
// block, at the beginning of its buffer.
struct Blocks {
    std::vector<int64_t> position, length;
    explicit Blocks(size_t size) : position(size), length(size) {}
    blocks contiguous() {
        std::exclusive_scan(length.begin(), length.end(), position.begin(), int64_t{0});
        return {position.data(), length.data()};
    }
    blocks alone(int rank) {
        position[static_cast<size_t>(rank)] = 0;
        return {position.data(), length.data()};
    }
};

class Generator {
  public:
    Generator(const Collective &collective, Members &members)
        : c_(collective), members_(members.view()), size_(members.size()), input_blocks_(static_cast<size_t>(size_)),
          output_blocks_(static_cast<size_t>(size_)), scratch_(SCHEDULE_SCRATCH * static_cast<size_t>(size_)) {
        const tree_rule &rule = c_.plan.rules[c_.rule];
        algorithm_ = rule.algorithms[c_.operation_id];
        if (!algorithm_)
            throw std::invalid_argument(std::string("the rule leaves ") + operation_name(c_.operation_id) +
                                        " to the MPI library");
        if (size_ < 2)
            throw std::invalid_argument("a collective of one rank has no schedule");
        check_lengths();
        root_ = c_.root;
        if (operation_has_root(c_.operation_id) && (root_ < 0 || root_ >= size_))
            throw std::invalid_argument(std::string(operation_name(c_.operation_id)) + " needs a root from 0 to " +
                                        std::to_string(size_ - 1));
        if (!operation_has_root(c_.operation_id))
            root_ = 0;
        if (rule.reduce_tree < 0)
            return;
        const tree_spec *trees = c_.plan.trees;
        const tree_spec &up = trees[operation_only_down(c_.operation_id) ? rule.broadcast_tree : rule.reduce_tree];
        const tree_spec &down = trees[operation_only_up(c_.operation_id) ? rule.reduce_tree : rule.broadcast_tree];
        if (!operation_has_root(c_.operation_id))
            root_ = tree_own_root(&up, &down);
        if (!operation_only_down(c_.operation_id))
            up_ = places_of(up, members, root_, TREE_REDUCE);
        if (!operation_only_up(c_.operation_id))
            down_ = places_of(down, members, root_, TREE_BROADCAST);
        tree_ = operation_only_down(c_.operation_id) ? &down : &up;
    }

    // Makes the schedule that the engine would run on this rank.
    void generate(schedule &s, int rank) {
        const tree_rule &rule = c_.plan.rules[c_.rule];
        tree_position up = place(up_, rank), down = place(down_, rank);
        bool at_root = rank == root_, is_rooted = operation_has_root(c_.operation_id);
        schedule_request r = {};
        r.operation = c_.operation_id;
        r.rank = rank;
        r.size = size_;
        r.root = root_;
        r.empty = c_.operation_id == OPERATION_BARRIER;
        r.in_place = c_.in_place && (!is_rooted || at_root);
        r.most_units = schedule_most_units(c_.unit_bytes);
        r.cut = segmentation_of(operation_has_blocks(c_.operation_id) ? 0 : units(), c_.unit_bytes, rule.segment_bytes);
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
        return c_.operation_id == OPERATION_BARRIER;
    }

    void check_lengths() const {
        size_t n = static_cast<size_t>(size_), length_count = c_.lengths.size();
        std::string name = operation_name(c_.operation_id);
        bool fits = is_barrier()                            ? length_count == 0
                    : length_count == 1                     ? true
                    : has_pairs(c_.operation_id)            ? length_count == n * n
                    : operation_has_blocks(c_.operation_id) ? length_count == n
                                                            : false;
        if (!fits)
            throw std::invalid_argument(name + " of " + std::to_string(size_) + " ranks cannot have " +
                                        std::to_string(length_count) + " lengths");
        if (std::any_of(c_.lengths.begin(), c_.lengths.end(), [](int64_t length) { return length < 0; }))
            throw std::invalid_argument("a length is negative");
        if (operation_has_blocks(c_.operation_id) && operation_is_even(c_.operation_id) &&
            std::count(c_.lengths.begin(), c_.lengths.end(), c_.lengths[0]) !=
                static_cast<std::ptrdiff_t>(length_count))
            throw std::invalid_argument("the blocks of " + name + " are of one length");
        if (c_.unit_bytes < 1)
            throw std::invalid_argument("a unit has at least one byte");
    }

    // The length of the block that one rank has for another. Where each rank has one block, only the source matters.
    int64_t block(int source, int target) const {
        auto row = static_cast<size_t>(source), column = static_cast<size_t>(target);
        return c_.lengths[c_.lengths.size() == 1       ? 0
                          : has_pairs(c_.operation_id) ? row * static_cast<size_t>(size_) + column
                                                       : row];
    }

    static tree_position place(Places &places, int rank) {
        if (places.parent.empty())
            return {-1, 0, nullptr};
        auto index = static_cast<size_t>(rank);
        int64_t first = places.first_child[index];
        return {places.parent[index], static_cast<int>(places.first_child[index + 1] - first),
                places.children.data() + first};
    }

    // Sets the blocks of the rank's input and output, as reductions.c and movements.c of the engine do. A buffer that
    // the rank does not have gets no blocks.
    void set_blocks(schedule_request &r, bool at_root) {
        bool pairs = has_pairs(c_.operation_id);
        if (!operation_has_blocks(c_.operation_id))
            return;
        for (int i = 0; i < size_; i++) {
            auto k = static_cast<size_t>(i);
            input_blocks_.length[k] = pairs ? block(r.rank, i) : block(i, i);
            output_blocks_.length[k] = block(i, pairs ? r.rank : i);
        }
        if (pairs)
            r.in_place = false; // the engine then sends from a copy of the buffer
        bool is_rooted = operation_has_root(c_.operation_id), reduces = operation_reduces(c_.operation_id);
        if (operation_input(c_.operation_id) == CONTENT_EACH) {
            if (at_root || !is_rooted)
                r.input = input_blocks_.contiguous();
        } else if (!r.in_place) {
            r.input = input_blocks_.alone(r.rank);
        }
        if (operation_output(c_.operation_id) == CONTENT_EACH) {
            if (at_root || !is_rooted)
                r.output = output_blocks_.contiguous();
        } else if (!r.in_place && !reduces) {
            r.output = output_blocks_.alone(r.rank);
        }
    }

    const Collective &c_;
    tree_members members_;
    int size_, root_ = 0;
    const algorithm *algorithm_ = nullptr;
    const tree_spec *tree_ = nullptr;
    Places up_, down_; // empty if the algorithm uses no tree in this direction
    Blocks input_blocks_, output_blocks_;
    std::vector<int> scratch_;
};

// Appends the schedule of the next rank.
void append(Schedules &schedules, const schedule &s) {
    int64_t first = schedules.first_step.back();
    for (int i = 0; i < s.step_count; i++) {
        const step &entry = s.steps[i];
        bool is_message = entry.kind == STEP_SEND || entry.kind == STEP_RECEIVE;
        schedules.kind.push_back(static_cast<int8_t>(entry.kind));
        schedules.role.push_back(static_cast<int8_t>(entry.role));
        schedules.round.push_back(entry.round);
        schedules.peer.push_back(is_message ? entry.peer : -1);
        schedules.segment.push_back(static_cast<int32_t>(entry.segment));
        schedules.slot.push_back(entry.slot);
        schedules.operand.push_back(entry.operand);
        schedules.position.push_back(entry.position);
        schedules.operand_position.push_back(entry.operand_position);
        schedules.length.push_back(entry.kind == STEP_JOIN ? 0 : entry.length);
        schedules.unmet.push_back(entry.unmet);
        for (int e = entry.first_edge; e >= 0; e = s.edges[e].next)
            schedules.edge.push_back(first + s.edges[e].step);
        schedules.first_edge.push_back(static_cast<int64_t>(schedules.edge.size()));
    }
    for (int i = 0; i < s.ready_count; i++)
        schedules.ready.push_back(first + s.ready[i]);
    schedules.first_ready.push_back(static_cast<int64_t>(schedules.ready.size()));
    schedules.first_step.push_back(first + s.step_count);
    schedules.ring_units.push_back(s.ring_units);
    schedules.slots.push_back(s.slot_count);
    schedules.most_messages.push_back(s.most_messages);
}

// A send or receive of a rank: its peer, and the properties that both ends of a message know. If several messages have
// the same properties, the first send belongs to the first receive, and so on.
struct End {
    int32_t peer;
    uint64_t signature; // role, round, segment
    int64_t row;
    bool operator<(const End &rhs) const {
        return std::tie(peer, signature, row) < std::tie(rhs.peer, rhs.signature, rhs.row);
    }
};

// A rank's sends, or its receives, sorted.
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

// Sets other_end: finds the receive of each send. A rank's receives are sorted by sender, and senders are visited in
// order, so each send belongs to the receiver's next receive.
void join_ends(Schedules &schedules) {
    size_t ranks = schedules.first_step.size() - 1, sent = 0, receive_count = 0;
    std::vector<std::vector<End>> receives;
    for (size_t rank = 0; rank < ranks; rank++) {
        receives.push_back(ends_of(schedules, rank, STEP_RECEIVE));
        receive_count += receives.back().size();
    }
    std::vector<size_t> matched(ranks, 0);
    schedules.other_end.assign(schedules.kind.size(), -1);
    bool agree = true;
    for (size_t rank = 0; rank < ranks && agree; rank++)
        for (const End &send : ends_of(schedules, rank, STEP_SEND)) {
            auto receiver = static_cast<size_t>(send.peer);
            agree = matched[receiver] < receives[receiver].size();
            if (!agree)
                break;
            const End &receive = receives[receiver][matched[receiver]++];
            auto from_row = static_cast<size_t>(send.row), to_row = static_cast<size_t>(receive.row);
            agree = receive.peer == static_cast<int32_t>(rank) && receive.signature == send.signature &&
                    schedules.length[from_row] == schedules.length[to_row];
            if (!agree)
                break;
            schedules.other_end[from_row] = receive.row;
            schedules.other_end[to_row] = send.row;
            sent++;
        }
    if (!agree || sent != receive_count)
        throw std::logic_error("a message has only one end: the generator of this algorithm is wrong");
}

} // namespace

Schedules schedules_of(const Collective &collective, Members &members) {
    Generator generator(collective, members);
    Schedules result;
    result.first_step = result.first_edge = result.first_ready = {0};
    std::unique_ptr<schedule, void (*)(schedule *)> rank_schedule(new schedule{}, [](schedule *s) {
        schedule_clear(s);
        delete s;
    });
    for (int rank = 0; rank < members.size(); rank++) {
        generator.generate(*rank_schedule, rank);
        append(result, *rank_schedule);
    }
    join_ends(result);
    return result;
}

} // namespace hopscope::plan
