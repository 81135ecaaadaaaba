/* Makes the tables ranks, comms and clocks at the end of a conversion. */
#pragma once

#include <memory>
#include <vector>

#include "reading.h"
#include "words.h"

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace, const std::shared_ptr<const Words> &words);
/* The archive's communicators. Of the ranks' MPI_COMM_SELFs only those that were used: `used` has one entry per
 * communicator. */
std::shared_ptr<Table> comms_table(const Trace &trace, const std::vector<bool> &used,
                                   const std::shared_ptr<const Words> &words);
/* The clock offsets that the archive records. Each has a single error, which serves as both error_ns and bound_ns. */
std::shared_ptr<Table> clocks_table(const Trace &trace, const std::shared_ptr<const Words> &words);

} // namespace hopscope
