// Two pieces of work at a time: the machines that traces are converted on have two cores at least.
#pragma once

#include <exception>
#include <thread>

namespace hopscope {

// Does one thing in another thread beside one here. Both are over when it returns; throws what either threw.
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
