/* Makes the tables of a piece of a trace: some collectives with their calls, steps, hops and critical paths. */
#pragma once

#include <memory>
#include <vector>

#include "../paths/binding.h"
#include "../paths/walk.h"
#include "making.h"

namespace hopscope {

class CollectivePieces {
  public:
    explicit CollectivePieces(Making &making) : making_(making) {}

    void add(const std::vector<std::unique_ptr<Collective>> &collectives, Tables &tables);

  private:
    Making &making_;
    paths::BindingClassifier classifier_;
    int64_t next_hop_ = 0, next_step_ = 0, next_call_ = 0;
};

/* Appends the stretches as a table `path_stretches`; appends nothing if there are no stretches. */
void add_stretches(const paths::Stretches &stretches, const std::shared_ptr<const Words> &words, Tables &tables);

} // namespace hopscope
