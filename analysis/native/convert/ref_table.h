/* Maps an archive's reference numbers to values. OTF2 asks for consecutive numbers, so they index a vector. High
 * numbers are in a map, because an archive may leave large gaps between them. */
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hopscope {

template <typename T> class RefTable {
  public:
    void set(uint32_t ref, T value) {
        if (ref >= kDense) {
            sparse_[ref] = std::move(value);
            return;
        }
        if (ref >= dense_.size())
            dense_.resize(ref + size_t{1});
        dense_[ref] = std::move(value);
    }
    /* The value of a number; null if it is not defined. */
    const T *find(uint32_t ref) const {
        if (ref < dense_.size())
            return dense_[ref] ? &*dense_[ref] : nullptr;
        if (sparse_.empty())
            return nullptr;
        auto place = sparse_.find(ref);
        return place == sparse_.end() ? nullptr : &place->second;
    }

  private:
    static constexpr uint32_t kDense = 1u << 18;
    std::vector<std::optional<T>> dense_;
    std::unordered_map<uint32_t, T> sparse_;
};

} // namespace hopscope
