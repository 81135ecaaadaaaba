/* Prints the times at which packets leave a delay line. Arguments: latencies, rates and step, as in the plan, then
 * `at:bytes` for each packet.
 */
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "delay_line.h"

static Trace trace_of(const char *list, uint64_t step_ns) {
    Trace trace{{}, step_ns};
    std::istringstream values(list);
    for (std::string value; std::getline(values, value, ',');)
        trace.values.push_back(std::stod(value));
    return trace;
}

int main(int count, char **words) {
    const uint64_t step_ns = std::strtoull(words[3], nullptr, 10);
    DelayLine line({trace_of(words[1], step_ns), trace_of(words[2], step_ns)});
    for (int i = 4; i < count; i++) {
        unsigned long long time_ns, bytes;
        if (std::sscanf(words[i], "%llu:%llu", &time_ns, &bytes) != 2)
            return 2;
        line.put_in(std::vector<uint8_t>(bytes).data(), bytes, time_ns);
    }
    while (auto due = line.next_due()) {
        if (line.take_out(*due - 1))
            return 1; /* a packet left before it was due */
        std::printf("%llu:%zu\n", static_cast<unsigned long long>(*due), line.take_out(*due)->size());
    }
    const DelayLine::Counts counts = line.counts();
    std::printf("packets %llu dropped %llu\n", static_cast<unsigned long long>(counts.packets),
                static_cast<unsigned long long>(counts.dropped));
}
