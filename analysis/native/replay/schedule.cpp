#include "schedule.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

namespace hopscope::replay {

namespace {

template <typename T> void require_rows(const char *name, const Column<T> &column, size_t end) {
    for (size_t i = 0; i < column.size; i++)
        if (column[i] < 0 || static_cast<size_t>(column[i]) >= end)
            throw std::invalid_argument(std::string("a schedule's ") + name + " names a row that is not there");
}

// Throws if offsets into another column do not ascend from 0 to that column's end.
void require_offsets(const char *name, const Column<int64_t> &column, size_t end) {
    bool fits = column.size > 0 && column[0] == 0 && static_cast<size_t>(column[column.size - 1]) == end;
    for (size_t i = 1; fits && i < column.size; i++)
        fits = column[i - 1] <= column[i];
    if (!fits)
        throw std::invalid_argument(std::string("a schedule's ") + name + " does not fit its rows");
}

bool is_message(int8_t kind) {
    return kind == STEP_SEND || kind == STEP_RECEIVE;
}

void require_fit(const Columns &c) {
    const size_t count = c.kind.size;
    if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()) || c.unit_bytes < 1)
        throw std::invalid_argument("a schedule has too many steps, or units of no bytes");
    if (c.unmet.size != count || c.length.size != count || c.other_end.size != count ||
        c.first_edge.size != count + 1 || c.first_ready.size != c.first_step.size)
        throw std::invalid_argument("a schedule's arrays have different lengths");
    require_offsets("first_step", c.first_step, count);
    require_offsets("first_edge", c.first_edge, c.edge.size);
    require_offsets("first_ready", c.first_ready, c.ready.size);
    require_rows("edge", c.edge, count);
    require_rows("ready", c.ready, count);
    require_rows("kind", c.kind, STEP_JOIN + 1);
    if (std::any_of(c.unmet.data, c.unmet.data + count, [](int32_t n) { return n < 0 || n >= MESSAGE; }))
        throw std::invalid_argument("a schedule has a step that waits for fewer than 0 steps, or for 2^30 or more");
    for (size_t rank = 0; rank + 1 < c.first_step.size; rank++) {
        const int64_t first = c.first_step[rank], end = c.first_step[rank + 1];
        auto is_foreign = [&](int64_t row) { return row < first || row >= end; };
        const int64_t first_edge = c.first_edge[static_cast<size_t>(first)];
        if (std::any_of(c.edge.data + first_edge, c.edge.data + c.first_edge[static_cast<size_t>(end)], is_foreign) ||
            std::any_of(c.ready.data + c.first_ready[rank], c.ready.data + c.first_ready[rank + 1], is_foreign))
            throw std::invalid_argument("a schedule has a rank that waits for another rank's step");
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_message(c.kind[i]))
            continue;
        const int64_t partner = c.other_end[i];
        if (partner < 0 || static_cast<size_t>(partner) >= count ||
            c.other_end[static_cast<size_t>(partner)] != static_cast<int64_t>(i) ||
            c.kind[i] + c.kind[static_cast<size_t>(partner)] != STEP_SEND + STEP_RECEIVE)
            throw std::invalid_argument("a schedule has a message with one end only");
    }
}

} // namespace

Schedule::Schedule(const Columns &c) : steps(c.kind.size), first_ready{0} {
    require_fit(c);
    unmet.assign(c.unmet.data, c.unmet.data + c.unmet.size);
    // False for a join step for which no step waits. It takes no time, so it is left out.
    auto counts = [&](int64_t row) {
        const auto i = static_cast<size_t>(row);
        return c.kind[i] != STEP_JOIN || c.first_edge[i] < c.first_edge[i + 1];
    };
    for (size_t rank = 0; rank + 1 < c.first_step.size; rank++) {
        steps_of.push_back(0);
        for (int64_t row = c.first_step[rank]; row < c.first_step[rank + 1]; row++) {
            const auto i = static_cast<size_t>(row);
            Step &step = steps[i];
            step.kind = static_cast<step_kind>(c.kind[i]);
            step.bytes = static_cast<double>(c.length[i] * c.unit_bytes);
            step.other_end = static_cast<int32_t>(c.other_end[i]);
            step.position = static_cast<int32_t>(rank);
            step.first_edge = static_cast<int32_t>(edges.size());
            std::copy_if(c.edge.data + c.first_edge[i], c.edge.data + c.first_edge[i + 1], std::back_inserter(edges),
                         counts);
            step.last_edge = static_cast<int32_t>(edges.size());
            steps_of.back() += counts(row);
            if (step.kind == STEP_RECEIVE)
                unmet[i] += MESSAGE;
        }
        std::copy_if(c.ready.data + c.first_ready[rank], c.ready.data + c.first_ready[rank + 1],
                     std::back_inserter(ready), counts);
        const auto rank_ready = ready.begin() + static_cast<std::ptrdiff_t>(first_ready.back());
        auto receives = [&](int32_t row) { return c.kind[static_cast<size_t>(row)] == STEP_RECEIVE; };
        posts_one.push_back(std::count_if(rank_ready, ready.end(), receives) == 1);
        first_ready.push_back(ready.size());
    }
    for (int32_t row : ready)
        unmet[static_cast<size_t>(row)]++;
}

void Schedule::price(const std::vector<int32_t> &hosts, const Costs &costs) {
    hosts_ = hosts;
    has_rendezvous_ = false;
    for (Step &step : steps) {
        step.rank_time = 0;
        step.pair = -1;
        step.is_rendezvous = false;
        step.crossing = 0;
        if (step.kind == STEP_COMBINE)
            step.rank_time = costs.combine + costs.combine_per_byte * step.bytes;
        if (step.kind == STEP_COPY)
            step.rank_time = costs.copy + costs.copy_per_byte * step.bytes;
        if (step.kind != STEP_SEND && step.kind != STEP_RECEIVE)
            continue;
        const Step &partner = steps[static_cast<size_t>(step.other_end)];
        const bool sends = step.kind == STEP_SEND;
        const auto sender = static_cast<size_t>(hosts[static_cast<size_t>(sends ? step.position : partner.position)]);
        const auto receiver = static_cast<size_t>(hosts[static_cast<size_t>(sends ? partner.position : step.position)]);
        step.pair = static_cast<int32_t>(sender * costs.hosts + receiver);
        const auto link = static_cast<size_t>(costs.link[static_cast<size_t>(step.pair)]);
        step.is_rendezvous = step.bytes > costs.eager_bytes[link];
        has_rendezvous_ = has_rendezvous_ || step.is_rendezvous;
        step.crossing = step.is_rendezvous ? costs.rendezvous[link] + costs.rendezvous_per_byte[link] * step.bytes
                                           : costs.latency[link] + costs.per_byte[link] * step.bytes;
        step.rank_time = sends ? costs.send[link] + costs.send_per_byte[link] * step.bytes
                               : costs.receive[link] + costs.receive_per_byte[link] * step.bytes;
    }
}

void price_all(std::vector<Schedule> &schedules, const Program &program, const Costs &costs) {
    std::vector<char> is_priced(schedules.size(), 0);
    std::vector<int32_t> hosts;
    for (size_t i = 0; i < program.collectives(); i++) {
        if (program.schedule[i] < 0)
            continue;
        const auto number = static_cast<size_t>(program.schedule[i]);
        hosts.clear();
        for (int64_t m = program.first_member[i]; m < program.first_member[i + 1]; m++)
            hosts.push_back(program.host[static_cast<size_t>(program.member[static_cast<size_t>(m)])]);
        if (hosts.size() != schedules[number].ranks())
            throw std::invalid_argument("collective " + std::to_string(i) + " has not as many ranks as its schedule");
        if (!is_priced[number])
            schedules[number].price(hosts, costs);
        else if (hosts != schedules[number].hosts())
            throw std::invalid_argument("the schedule of collective " + std::to_string(i) +
                                        " also runs a collective whose ranks are on other hosts");
        is_priced[number] = 1;
    }
}

} // namespace hopscope::replay
