/* The trees that ran, worked out from the hops. */
#pragma once

#include <memory>

#include "hops.h"

namespace hopscope {

/* From the first complete collective of every (tree, communicator, root). A root is the rank that sends nothing up or
 * receives nothing down; Allreduce and Barrier name none, their hops do. */
std::shared_ptr<Table> trees_table(const Trace &trace, const Collectives &collectives, const Hops &hops);

} // namespace hopscope
