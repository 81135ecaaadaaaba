/* Keeps the memory of columns and similar data from one piece of a trace to the next. To return it to the system after
 * every piece, and get it back, would cost as much time as filling it with data. */
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace hopscope {

/* Hands out blocks of memory whose sizes are powers of two. It keeps returned blocks, up to a limit, for later requests
 * of the same size from any thread. */
class BlockPool {
  public:
    static BlockPool &instance();

    void *take(size_t bytes);
    void give_back(void *block, size_t bytes) noexcept;
    /* Returns all kept blocks to the system. */
    void clear() noexcept;

  private:
    static constexpr size_t kSizes = 64;
    static constexpr size_t kMostWaiting = size_t{128} << 20; /* bytes */

    std::mutex lock_;
    std::vector<void *> waiting_[kSizes];
    size_t bytes_waiting_ = 0;
};

template <typename T> struct Pooled {
    using value_type = T;

    Pooled() = default;
    template <typename U> Pooled(const Pooled<U> &) {}
    // Leaves the new elements of a growing vector uninitialised, because the caller writes them.
    template <typename U> void construct(U *storage) {
        ::new (static_cast<void *>(storage)) U;
    }
    template <typename U, typename... Arguments> void construct(U *storage, Arguments &&...arguments) {
        ::new (static_cast<void *>(storage)) U(std::forward<Arguments>(arguments)...);
    }
    T *allocate(size_t count) {
        return static_cast<T *>(BlockPool::instance().take(count * sizeof(T)));
    }
    void deallocate(T *block, size_t count) noexcept {
        BlockPool::instance().give_back(block, count * sizeof(T));
    }
    template <typename U> bool operator==(const Pooled<U> &) const {
        return true;
    }
    template <typename U> bool operator!=(const Pooled<U> &) const {
        return false;
    }
};

/* A vector whose memory is kept from piece to piece. */
template <typename T> using PooledVector = std::vector<T, Pooled<T>>;

} // namespace hopscope
