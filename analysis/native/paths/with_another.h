// Does two pieces of work at once: machines that convert traces have at least two cores.
#pragma once

#include <exception>
#include <thread>

namespace hopscope {

// Runs `background` in another thread and `foreground` in this one. Both are done when it returns; rethrows what either
// threw.
template <typename Beside, typename Here> void run_both(const Beside &background, const Here &foreground) {
    std::exception_ptr problem;
    std::thread thread([&] {
        try {
            background();
        } catch (...) {
            problem = std::current_exception();
        }
    });
    try {
        foreground();
    } catch (...) {
        thread.join();
        throw;
    }
    thread.join();
    if (problem)
        std::rethrow_exception(problem);
}

} // namespace hopscope
