/* A queue of one location's records, in the order of their begins. New records are appended, and finished ones are
 * dropped from the front. A record keeps its number, which counts from the first record of the trace. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hopscope {

template <typename T> class Queue {
  public:
    /* begin(): the number of the first record in the queue. end(): the number of the next record to come. */
    int64_t begin() const {
        return base_ + static_cast<int64_t>(head_);
    }
    int64_t end() const {
        return base_ + static_cast<int64_t>(records_.size());
    }
    bool empty() const {
        return head_ == records_.size();
    }
    T &operator[](int64_t number) {
        return records_[static_cast<size_t>(number - base_)];
    }
    const T &operator[](int64_t number) const {
        return records_[static_cast<size_t>(number - base_)];
    }
    T &back() {
        return records_.back();
    }
    int64_t push_back(const T &record) {
        records_.push_back(record);
        return end() - 1;
    }
    /* Drops all records before `number`; frees memory when half of it is unused. */
    void drop_to(int64_t number) {
        if (number <= begin())
            return;
        head_ = static_cast<size_t>(number - base_);
        if (head_ * 2 >= records_.size()) {
            records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(head_));
            base_ += static_cast<int64_t>(head_);
            head_ = 0;
        }
    }

  private:
    std::vector<T> records_;
    int64_t base_ = 0;
    size_t head_ = 0;
};

} // namespace hopscope
