/* One thread's share of a piece: some collectives, whose hops it matches, whose rows it fills, and whose waits it
 * classifies. */
#pragma once

#include <array>
#include <iterator>
#include <memory>
#include <vector>

#include "../paths/binding.h"
#include "../paths/walk.h"
#include "both_ends.h"
#include "hops.h"
#include "making.h"

namespace hopscope {

#define CODE(word, meaning) word,
enum class NativeReason : int8_t { NATIVE_REASONS(CODE) };
#undef CODE

struct Step {
    int64_t begin, end;
    size_t location;
    int64_t index; /* index into its location's steps */
    RegionKind kind;
};

/* The numbers (words.h) of words that many rows use. */
struct RowWords {
    explicit RowWords(const Words &words);
    std::array<int32_t, std::size(role_words)> roles;
    std::array<int32_t, std::size(link_words)> links;
    std::array<int32_t, std::size(binding_words)> bindings;
    std::array<int32_t, std::size(step_kind_words)> steps;
    std::array<int32_t, std::size(native_reason_words)> native_reasons;
    int32_t tree, native, silent;
};

class Part {
  public:
    Part(const Making &making, const std::unique_ptr<Collective> *first, size_t count);

    PooledVector<Hop> hops;
    std::vector<size_t> first_hop{0}; /* per collective: index of its first hop; a last entry has the number of hops */
    uint64_t unmatched = 0, incomplete = 0;
    PooledVector<Step> steps;
    std::vector<size_t> first_step{
        0}; /* per collective: index of its first step; a last entry has the number of steps */
    bool by_tree = false;
    paths::Messages messages;
    paths::Collectives collectives;
    paths::Calls calls;
    PooledVector<paths::Wait> waits;
    std::vector<int64_t> first_wait; /* per collective: index of its first wait; a last entry has the number of waits */

    size_t size() const {
        return count_;
    }
    const Collective &operator[](size_t i) const {
        return *first_[i];
    }
    /* The shadow communicator of a collective's hops; null if it has no hops. */
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
    void classify(const paths::BindingClassifier &classifier);
    void give(Tables &tables);
    const paths::Stretches &stretches() const {
        return stretches_;
    }

  private:
    int8_t what_hides(size_t i, uint64_t ends_lost);
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
    PooledVector<int8_t> hidden_;    /* per collective: the result of what_hides() */
    std::vector<int32_t> hop_ranks_; /* reused memory of what_hides(): the senders and receivers of hops */
    Values<int32_t> *hop_binding_ = nullptr, *native_reason_ = nullptr;
    Values<int64_t> *hop_predecessor_ = nullptr, *call_predecessor_ = nullptr, *needed_ns_ = nullptr;
    Values<int32_t> *needed_rank_ = nullptr;
    paths::Stretches stretches_;
    /* Inputs of the critical-path walks that are not columns of the tables. */
    std::unique_ptr<BothEnds> hop_ends_;
    PooledVector<int8_t> leads_, returns_early_, library_, has_hops_, from_engine_;
    PooledVector<int32_t> root_rank_, second_group_, comm_rank_, call_lane_, wait_lane_;
    PooledVector<int64_t> first_call_;
};

} // namespace hopscope
