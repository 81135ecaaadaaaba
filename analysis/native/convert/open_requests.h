/* The requests of a location that are not complete yet. Usually there are few, and the latest ones are looked up most
 * often, so they are in a list, which is searched from its end. If there are many, the earlier ones are in a map. */
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hopscope {

template <typename T> class OpenRequests {
  public:
    /* Adds a request. If a request with this number is open, replaces its value. */
    void set(uint64_t request, const T &value) {
        if (T *entry = find(request)) {
            *entry = value;
            return;
        }
        if (recent_.size() == kFew) {
            older_.insert(recent_.begin(), recent_.end());
            recent_.clear();
        }
        recent_.emplace_back(request, value);
    }
    /* The value of a request; null if it is not open. Valid until the next set() or erase(). */
    T *find(uint64_t request) {
        for (size_t i = recent_.size(); i-- > 0;)
            if (recent_[i].first == request)
                return &recent_[i].second;
        if (older_.empty())
            return nullptr;
        auto place = older_.find(request);
        return place == older_.end() ? nullptr : &place->second;
    }
    void erase(uint64_t request) {
        for (size_t i = recent_.size(); i-- > 0;)
            if (recent_[i].first == request) {
                recent_[i] = recent_.back();
                recent_.pop_back();
                return;
            }
        older_.erase(request);
    }
    template <typename Visit> void visit_all(const Visit &visit) const {
        for (const auto &[request, value] : recent_)
            visit(value);
        for (const auto &[request, value] : older_)
            visit(value);
    }

  private:
    static constexpr size_t kFew = 32;
    std::vector<std::pair<uint64_t, T>> recent_;
    std::unordered_map<uint64_t, T> older_;
};

} // namespace hopscope
