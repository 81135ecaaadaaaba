/* The rows of a piece of a trace: some collectives with their calls, steps, hops and critical paths. */
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../paths/binding.h"
#include "../paths/history.h"
#include "../paths/walk.h"
#include "collectives.h"
#include "trees.h"
#include "words.h"

namespace hopscope {

/* Finished tables of a piece, in the order of their rows; several of one name where it was made in parts. */
using Tables = std::vector<std::pair<const char *, std::shared_ptr<Table>>>;

/* What is made of all pieces together. */
struct Making {
    Trace &trace;
    std::shared_ptr<const Words> words;
    paths::Lanes lanes; /* one for each of Trace::locations */
    paths::History *history;
    std::vector<bool> comm_used;
    /* Sums over all rows, for the table `run`. */
    uint64_t incomplete = 0, collectives = 0, unmatched_hops = 0;
    int64_t overhead_ns = 0;
    bool by_tree = false;
};

class CollectivePieces {
  public:
    CollectivePieces(Making &making, Trees &trees) : making_(making), trees_(trees) {}

    void add(const std::vector<std::unique_ptr<Collective>> &collectives, Tables &out);

  private:
    Making &making_;
    Trees &trees_;
    paths::Judge judge_;
    int64_t next_hop_ = 0, next_step_ = 0, next_call_ = 0;
};

/* path_stretches of some stretches; appends nothing where there are none. */
void add_stretches(const paths::Stretches &stretches, const std::shared_ptr<const Words> &words, Tables &out);

} // namespace hopscope
