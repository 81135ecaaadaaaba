/* The tables ranks, comms and clocks, which need no matching and are made at the end. */
#pragma once

#include <memory>
#include <vector>

#include "reading.h"
#include "words.h"

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace, const std::shared_ptr<const Words> &words);
/* The archive's communicators, but of the ranks' MPI_COMM_SELFs only those that were used. */
std::shared_ptr<Table> comms_table(const Trace &trace, const std::vector<bool> &used,
                                   const std::shared_ptr<const Words> &words);
/* The archive's own clock offsets. Their only figure of quality serves as both error and bound. */
std::shared_ptr<Table> clocks_table(const Trace &trace, const std::shared_ptr<const Words> &words);

} // namespace hopscope
