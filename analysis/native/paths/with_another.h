// Runs two functions at the same time, because every machine that converts traces has at least two cores.
#pragma once

#include <exception>
#include <thread>

namespace hopscope {

// Runs `background` in another thread and `foreground` in this thread. Returns when both are done. If one of them
// throws an exception, rethrows it.
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
