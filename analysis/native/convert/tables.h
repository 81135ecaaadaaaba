/* The tables that need no matching: ranks, comms, intervals, clocks. */
#pragma once

#include <memory>

#include "columns.h"
#include "reading.h"

namespace hopscope {

std::shared_ptr<Table> ranks_table(const Trace &trace);
std::shared_ptr<Table> comms_table(const Trace &trace);
std::shared_ptr<Table> intervals_table(const Trace &trace);
/* From the archive's own clock offsets; they hold one figure of quality, which stands for error and bound. */
std::shared_ptr<Table> clocks_table(const Trace &trace);

} // namespace hopscope
