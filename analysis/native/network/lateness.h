/* Counts the lateness of packets: the time from when a packet was due until the relay passed it on. */
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
    /* The lateness in ns, a multiple of 1000, that the given share of the packets does not exceed. */
    uint64_t quantile(double share) const;

  private:
    static constexpr size_t MOST_MICROSECONDS = 100'000; /* the largest lateness; later packets count as this late */
    std::vector<uint64_t> of_microseconds_ = std::vector<uint64_t>(MOST_MICROSECONDS + 1);
    uint64_t count_ = 0;
};

#endif
