// Which end of a message had to wait for the other.
#pragma once

#include "columns.h"

namespace hopscope {

struct BindingResult {
    std::vector<int8_t> binding; // enum Binding, per message
    std::vector<int64_t>
        expected_arrival; // send_begin + the fastest transit of its class: breaks ties of one MPI_Waitall
};

BindingResult classify(const Messages &messages);

} // namespace hopscope
