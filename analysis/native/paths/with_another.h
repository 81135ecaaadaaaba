// Does two pieces of work at once: machines that convert traces have at least two cores.
#pragma once

#include <exception>
#include <thread>

namespace hopscope {

// Runs `beside` in another thread and `here` in this one. Both are done when it returns; rethrows what either threw.
template <typename Beside, typename Here> void with_another(const Beside &beside, const Here &here) {
    std::exception_ptr problem;
    std::thread other([&] {
        try {
            beside();
        } catch (...) {
            problem = std::current_exception();
        }
    });
    try {
        here();
    } catch (...) {
        other.join();
        throw;
    }
    other.join();
    if (problem)
        std::rethrow_exception(problem);
}

} // namespace hopscope
