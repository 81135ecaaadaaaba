/* Half of a piece: some collectives whose hops are matched, whose rows are filled and whose waits are judged by one
 * thread. */
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "both_ends.h"
#include "hops.h"
#include "piece.h"

namespace hopscope {

struct Step {
    int64_t begin, end;
    size_t location;
    int64_t index; /* in its steps */
    RegionKind kind;
};

/* Numbers of words that rows share. */
struct RowWords {
    std::array<int32_t, 3> phases;
    std::array<int32_t, 4> links, bindings;
    int32_t tree, native, combine, copy, overhead;
};

class Part {
  public:
    Part(const Making &making, const std::unique_ptr<Collective> *first, size_t count);

    Kept<Hop> hops;
    std::vector<size_t> first_hop{0}; /* of each collective */
    uint64_t unmatched = 0, incomplete = 0;
    Kept<Step> steps;
    std::vector<size_t> first_step{0};
    bool by_tree = false;
    paths::Messages messages;
    paths::Collectives collectives;
    paths::Calls calls;
    Kept<paths::Wait> waits;

    size_t size() const {
        return count_;
    }
    const Collective &operator[](size_t i) const {
        return *first_[i];
    }
    /* The tree on which a collective's hops travelled. */
    const Shadow *tree_of(const Collective &collective) const {
        for (const Call &call : collective.calls)
            if (record(call).shadow != OTF2_UNDEFINED_COMM)
                if (const Shadow *shadow = trace_.comms->shadow(record(call).shadow))
                    return shadow;
        return nullptr;
    }
    const CallRecord &record(const Call &call) const {
        return trace_.locations[call.location].calls[call.index];
    }

    void match();
    void fill(int64_t first_call_id, int64_t first_hop_id, int64_t first_step_id);
    void judge(const paths::Judge &judge);
    void give(Tables &out);

  private:
    void fill_collectives();
    void fill_calls();
    void fill_steps(int64_t id);
    void fill_hops(int64_t first_id);

    const Making &making_;
    const Trace &trace_;
    RowWords words_;
    const std::unique_ptr<Collective> *first_;
    size_t count_;
    std::shared_ptr<Table> collectives_table_, calls_table_, steps_table_, hops_table_;
    Values<int32_t> *hop_binding_ = nullptr;
    Values<int64_t> *hop_predecessor_ = nullptr, *call_predecessor_ = nullptr;
    paths::Stretches stretches_;
    /* What the walks need besides the tables' own columns. */
    std::unique_ptr<BothEnds> hop_ends_;
    Kept<int8_t> leads_, returns_early_, has_hops_, from_engine_;
    Kept<int32_t> root_rank_, comm_rank_, call_lane_;
    Kept<int64_t> first_call_;
};

} // namespace hopscope
