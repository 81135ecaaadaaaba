/* Lists of kept blocks, one for each power of two. */
#include "block_pool.h"

namespace hopscope {
namespace {

constexpr size_t kSmallest = 1u << 14; /* bytes; malloc itself keeps smaller blocks */

size_t size_class(size_t bytes) {
    return bytes <= 1 ? 0 : 64 - static_cast<size_t>(__builtin_clzll(bytes - 1));
}

} // namespace

BlockPool &BlockPool::instance() {
    static auto *pool = new BlockPool; /* never destroyed: columns may be freed while the process ends */
    return *pool;
}

void *BlockPool::take(size_t bytes) {
    if (bytes < kSmallest)
        return ::operator new(bytes);
    const size_t size = size_class(bytes);
    {
        std::lock_guard<std::mutex> guard(lock_);
        if (!waiting_[size].empty()) {
            void *block = waiting_[size].back();
            waiting_[size].pop_back();
            bytes_waiting_ -= size_t{1} << size;
            return block;
        }
    }
    return ::operator new(size_t{1} << size);
}

void BlockPool::give_back(void *block, size_t bytes) noexcept {
    if (bytes >= kSmallest) {
        const size_t size = size_class(bytes);
        std::lock_guard<std::mutex> guard(lock_);
        if (bytes_waiting_ + (size_t{1} << size) <= kMostWaiting) {
            try {
                waiting_[size].push_back(block);
                bytes_waiting_ += size_t{1} << size;
                return;
            } catch (const std::bad_alloc &) { /* free the block below */
            }
        }
    }
    ::operator delete(block);
}

void BlockPool::clear() noexcept {
    std::lock_guard<std::mutex> guard(lock_);
    for (std::vector<void *> &blocks : waiting_) {
        for (void *block : blocks)
            ::operator delete(block);
        blocks.clear();
        blocks.shrink_to_fit();
    }
    bytes_waiting_ = 0;
}

} // namespace hopscope
