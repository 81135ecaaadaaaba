/* Requests that are open on a location. Usually they are few, and the latest is looked up most often, so they are a
 * list; a location with many open keeps the earlier ones in a map. */
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hopscope {

template <typename T> class OpenRequests {
  public:
    /* Replaces a request of this number that is still open. */
    void set(uint64_t request, const T &value) {
        if (T *known = find(request)) {
            *known = value;
            return;
        }
        if (few_.size() == kFew) {
            many_.insert(few_.begin(), few_.end());
            few_.clear();
        }
        few_.emplace_back(request, value);
    }
    /* Null if it is not open; valid until the next set() or erase(). */
    T *find(uint64_t request) {
        for (size_t i = few_.size(); i-- > 0;)
            if (few_[i].first == request)
                return &few_[i].second;
        if (many_.empty())
            return nullptr;
        auto place = many_.find(request);
        return place == many_.end() ? nullptr : &place->second;
    }
    void erase(uint64_t request) {
        for (size_t i = few_.size(); i-- > 0;)
            if (few_[i].first == request) {
                few_[i] = few_.back();
                few_.pop_back();
                return;
            }
        many_.erase(request);
    }
    template <typename Visit> void each(const Visit &visit) const {
        for (const auto &[request, value] : few_)
            visit(value);
        for (const auto &[request, value] : many_)
            visit(value);
    }

  private:
    static constexpr size_t kFew = 32;
    std::vector<std::pair<uint64_t, T>> few_;
    std::unordered_map<uint64_t, T> many_;
};

} // namespace hopscope
