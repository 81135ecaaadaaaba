/* Delays the packets of one direction of a link. They leave in the order in which they came, each when it is due. */
#ifndef HOPSCOPE_NETWORK_DELAY_LINE_H
#define HOPSCOPE_NETWORK_DELAY_LINE_H

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "lateness.h"

/* A number that may change with time. Each value is valid for step_ns; after the last value the first one follows. */
struct Trace {
    std::vector<double> values; /* at least one */
    uint64_t step_ns = 0;       /* 0: the first value is always valid */
    double value_at(uint64_t ns) const {
        return values[step_ns ? ns / step_ns % values.size() : 0];
    }
};

struct Link {
    Trace latency_ns{{0}, 0};
    Trace bytes_per_second{{0}, 0}; /* 0: unlimited */
};

class DelayLine {
  public:
    explicit DelayLine(Link link) : link_(std::move(link)) {}

    /* Adds a packet that reached the line at time_ns. The line sends its bytes when it has sent all earlier packets;
     * the latency begins after its last byte. If the line would hold more than MOST_BYTES, drops the packet. Times are
     * CLOCK_MONOTONIC in ns. The values of Traces begin with the first packet. */
    void put_in(const uint8_t *packet, size_t bytes, uint64_t time_ns);
    /* The time at which the next packet is due; nothing if there is no packet. */
    std::optional<uint64_t> next_due() const;
    /* Removes and returns the next packet; null if none is due at time_ns. The result is valid until the next call. */
    const std::vector<uint8_t> *take_out(uint64_t time_ns);

    /* Counts a packet that was taken out but could not be written. */
    void count_loss() {
        counts_.dropped++;
    }

    struct Counts {
        uint64_t packets = 0, bytes = 0, dropped = 0;
        Lateness lateness;
    };
    /* Returns the counts since its last call. */
    Counts counts();

  private:
    static constexpr size_t MOST_BYTES = 256u << 20;
    struct Packet {
        uint64_t due;
        std::vector<uint8_t> bytes;
    };
    Link link_;
    std::deque<Packet> under_way_;
    std::vector<std::vector<uint8_t>> spare_;
    std::vector<uint8_t> outgoing_;
    std::optional<uint64_t> begin_;
    uint64_t busy_until_ = 0, last_due_ = 0;
    size_t queued_bytes_ = 0;
    Counts counts_;
};

#endif
