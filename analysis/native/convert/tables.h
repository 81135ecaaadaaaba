/* The tables that need no matching and are made at the end: ranks, comms, clocks. */
#pragma once

#include <memory>
#include <vector>

#include "reading.h"
#include "words.h"

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace, const std::shared_ptr<const Words> &words);
/* The archive's communicators, with only those MPI_COMM_SELFs that were used. */
std::shared_ptr<Table> comms_table(const Trace &trace, const std::vector<bool> &used,
                                   const std::shared_ptr<const Words> &words);
/* From the archive's own clock offsets. These have one figure of quality, used for both error and bound. */
std::shared_ptr<Table> clocks_table(const Trace &trace, const std::shared_ptr<const Words> &words);

} // namespace hopscope
