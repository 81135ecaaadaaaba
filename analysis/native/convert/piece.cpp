/* Makes the tables of a piece with two threads, each of which takes collectives with about half of the calls. */
#include "piece.h"

#include <algorithm>

#include "../paths/with_another.h"
#include "part.h"

namespace hopscope {
namespace {

template <typename Work> void run_parts(std::vector<Part> &parts, const Work &work) {
    run_both([&] { work(parts[1]); }, [&] { work(parts[0]); });
}

} // namespace

void CollectivePieces::add(const std::vector<std::unique_ptr<Collective>> &collectives, Tables &tables) {
    if (collectives.empty())
        return;
    size_t half = 0, calls = 0, calls_in_first = 0;
    for (const auto &collective : collectives)
        calls += collective->calls.size();
    while (half < collectives.size() && 2 * calls_in_first < calls)
        calls_in_first += collectives[half++]->calls.size();
    std::vector<Part> parts;
    parts.reserve(2);
    parts.emplace_back(making_, collectives.data(), half);
    parts.emplace_back(making_, collectives.data() + half, collectives.size() - half);
    run_parts(parts, [](Part &part) { part.match(); });
    const int64_t first_call = next_call_, first_hop = next_hop_, first_step = next_step_;
    const auto hops_in_first = static_cast<int64_t>(parts[0].hops.size());
    const auto steps_in_first = static_cast<int64_t>(parts[0].steps.size());
    run_parts(parts, [&](Part &part) {
        const bool is_first = &part == &parts[0];
        part.fill(first_call + (is_first ? 0 : static_cast<int64_t>(calls_in_first)),
                  first_hop + (is_first ? 0 : hops_in_first), first_step + (is_first ? 0 : steps_in_first));
    });
    for (const Part &part : parts)
        classifier_.learn_transits(part.messages);
    for (const Part &part : parts)
        classifier_.learn_waits(part.messages);
    run_parts(parts, [&](Part &part) { part.classify(classifier_); });
    for (Part &part : parts) {
        making_.unmatched_hops += part.unmatched;
        making_.incomplete += part.incomplete;
        making_.by_tree = making_.by_tree || part.by_tree;
        next_hop_ += static_cast<int64_t>(part.hops.size());
        next_step_ += static_cast<int64_t>(part.steps.size());
        if (part.size() > 0)
            making_.history->add(part.collectives, part.calls, {part.waits.data(), part.first_wait.data()});
        making_.history->add_hop_times(part.messages);
        for (size_t i = 0; i < part.size(); i++)
            making_.comm_used[static_cast<size_t>(making_.trace.comms->representative(part[i].comm))] = true;
        part.give(tables);
        add_stretches(part.stretches(), making_.words, tables);
    }
    next_call_ += static_cast<int64_t>(calls);
    making_.collectives += collectives.size();
}

void add_stretches(const paths::Stretches &stretches, const std::shared_ptr<const Words> &words, Tables &tables) {
    if (stretches.size() == 0)
        return;
    auto table = std::make_shared<Table>(words, stretches.size());
    auto words_of = [&](Values<int32_t> &column, const PooledVector<int8_t> &codes, const auto &vocabulary) {
        const auto numbers = words->numbers(vocabulary);
        for (int8_t code : codes)
            column.push_back(numbers[static_cast<size_t>(code)]);
    };
    auto nullable = [](auto &column, const auto &values, auto null) {
        for (auto value : values)
            column.push_back(value == -1 ? null : value);
    };
    auto copy = [](auto &column, const auto &values) { column.assign(values.begin(), values.end()); };
    words_of(table->string("path"), stretches.path, path_words);
    nullable(table->int64("path_collective_id", true), stretches.path_collective, kNull64);
    copy(table->int64("step"), stretches.step);
    copy(table->int32("rank"), stretches.rank);
    copy(table->int64("begin_ns"), stretches.begin);
    copy(table->int64("end_ns"), stretches.end);
    words_of(table->string("category"), stretches.category, category_words);
    nullable(table->int64("collective_id", true), stretches.collective, kNull64);
    nullable(table->int64("hop_id", true), stretches.hop, kNull64);
    nullable(table->int64("message_id", true), stretches.message, kNull64);
    nullable(table->int32("src", true), stretches.src, kNull32);
    nullable(table->int32("dst", true), stretches.dst, kNull32);
    copy(table->string("op", true), stretches.op);
    copy(table->string("call_site", true), stretches.call_site);
    tables.emplace_back("path_stretches", table);
}

} // namespace hopscope
