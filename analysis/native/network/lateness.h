/* The lateness of packets: by how much a relay passed them on later than they were due. */
#ifndef HOPSCOPE_NETWORK_LATENESS_H
#define HOPSCOPE_NETWORK_LATENESS_H

#include <cstddef>
#include <cstdint>
#include <vector>

class Lateness {
  public:
    void add(uint64_t ns);
    uint64_t count() const {
        return count_;
    }
    /* The lateness, in ns rounded up to whole microseconds, that this share of the packets does not exceed. */
    uint64_t quantile(double share) const;

  private:
    static constexpr size_t MOST_MICROSECONDS = 100'000; /* a later packet counts as this late */
    std::vector<uint64_t> of_microseconds_ = std::vector<uint64_t>(MOST_MICROSECONDS + 1);
    uint64_t count_ = 0;
};

#endif
