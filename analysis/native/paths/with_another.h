// Runs two pieces of work at once: machines that convert traces have at least two cores.
#pragma once

#include <exception>
#include <thread>

namespace hopscope {

// Runs `background` in another thread and `foreground` in this one. Returns when both are done. Rethrows an exception
// of either.
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
