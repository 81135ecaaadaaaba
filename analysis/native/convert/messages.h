/* The application's point-to-point messages: MPI's matching order, and the table. */
#pragma once

#include <memory>
#include <vector>

#include "columns.h"
#include "reading.h"

namespace hopscope {

struct Messages {
    std::shared_ptr<Table> table;
    uint64_t unmatched_sends = 0, unmatched_receives = 0;
};

/* Hands ends of requests that one thread started and another completed to the thread that started them. */
void join_threads(Trace &trace);

Messages match_messages(Trace &trace);

} // namespace hopscope
