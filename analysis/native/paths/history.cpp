// Columns of a whole trace, one file each.
#include "history.h"

#include <algorithm>

#include "time_order.h"
#include "with_another.h"

namespace hopscope::paths {
namespace {

// Raises a lane's latest time to t. MISSING is less than every time.
void advance(std::vector<int64_t> &of_lanes, int32_t lane, int64_t t) {
    int64_t &latest = of_lanes[static_cast<size_t>(lane)];
    latest = std::max(latest, t);
}

} // namespace

struct History::Files {
    explicit Files(const Scratch &scratch)
        : op(scratch), leads(scratch), returns_early(scratch), library(scratch), has_hops(scratch), root_rank(scratch),
          second_group(scratch), first_call(scratch), first_wait(scratch), collective(scratch), rank(scratch),
          comm_rank(scratch), lane(scratch), wait_lane(scratch), enter(scratch), wait_begin(scratch), leave(scratch),
          complete(scratch), call_site(scratch), region(scratch), region_site(scratch), region_lane(scratch),
          region_kind(scratch), begin(scratch), end(scratch), hop_waits(scratch), message_waits(scratch),
          completions(scratch), hop_times(scratch) {}

    ScratchColumn<int32_t> op;
    ScratchColumn<int8_t> leads, returns_early, library, has_hops;
    ScratchColumn<int32_t> root_rank, second_group;
    ScratchColumn<int64_t> first_call, first_wait;
    ScratchColumn<int64_t> collective;
    ScratchColumn<int32_t> rank, comm_rank, lane, wait_lane;
    ScratchColumn<int64_t> enter, wait_begin, leave, complete;
    ScratchColumn<int32_t> call_site;
    ScratchColumn<int32_t> region, region_site, region_lane;
    ScratchColumn<int8_t> region_kind;
    ScratchColumn<int64_t> begin, end;
    ScratchColumn<Wait> hop_waits, message_waits;
    ScratchColumn<Completion> completions;
    ScratchColumn<HopTime> hop_times;

    template <typename Visit> void visit_all(const Visit &visit) {
        visit(op), visit(leads), visit(returns_early), visit(library), visit(has_hops), visit(root_rank),
            visit(second_group);
        visit(first_call), visit(first_wait), visit(collective), visit(rank), visit(comm_rank), visit(lane),
            visit(wait_lane), visit(enter);
        visit(wait_begin), visit(leave), visit(complete), visit(call_site), visit(region), visit(region_site);
        visit(region_lane), visit(region_kind), visit(begin), visit(end), visit(hop_waits), visit(message_waits);
        visit(completions), visit(hop_times);
    }
};

void History::FilesDeleter::operator()(Files *files) const {
    delete files;
}

History::History(const Scratch &scratch, const Lanes &lanes)
    : scratch_(scratch), lanes_(lanes), last_calls_(lanes.size(), MISSING), last_intervals_(last_calls_),
      last_regions_(last_calls_), calls_on_(lanes.size(), 0), intervals_on_(calls_on_), waits_on_(calls_on_),
      completions_on_(calls_on_), hop_times_on_(calls_on_), early_returns_on_(calls_on_), communicating_(lanes.size()),
      files_(new Files(scratch)), hop_times_(scratch) {
    files_->first_call.add(0);
    files_->first_wait.add(0);
}

void History::add(const Collectives &collectives, const Calls &calls, const HopWaits &hop_waits) {
    Files &files = *files_;
    const auto calls_before = static_cast<int64_t>(files.enter.size());
    const auto waits_before = static_cast<int64_t>(files.hop_waits.size());
    for (size_t c = 1; c <= collectives.size(); c++) {
        files.first_call.add(calls_before + collectives.first_call[c]);
        files.first_wait.add(waits_before + hop_waits.first[c]);
    }
    files.op.add(collectives.op);
    files.leads.add(collectives.leads);
    files.returns_early.add(collectives.returns_early);
    files.library.add(collectives.library);
    files.has_hops.add(collectives.has_hops);
    files.root_rank.add(collectives.root_rank);
    files.second_group.add(collectives.second_group);
    files.collective.add(calls.collective);
    files.rank.add(calls.rank);
    files.comm_rank.add(calls.comm_rank);
    files.lane.add(calls.lane);
    files.wait_lane.add(calls.wait_lane);
    files.enter.add(calls.enter);
    files.wait_begin.add(calls.wait_begin);
    files.leave.add(calls.leave);
    files.complete.add(calls.complete);
    files.call_site.add(calls.call_site);
    files.hop_waits.add(hop_waits.waits, static_cast<size_t>(hop_waits.first[collectives.size()]));
    for (size_t i = 0; i < calls.size(); i++) {
        calls_on_[static_cast<size_t>(calls.lane[i])]++;
        if (completes_early(calls, i))
            early_returns_on_[static_cast<size_t>(calls.wait_lane[i])]++;
        advance(last_calls_, calls.lane[i], calls.enter[i]);
        advance(last_calls_, calls.lane[i], calls.leave[i]);
    }
}

void History::add(const Intervals &intervals) {
    Files &files = *files_;
    files.region.add(intervals.region);
    files.region_site.add(intervals.call_site);
    files.region_lane.add(intervals.lane);
    files.region_kind.add(intervals.kind);
    files.begin.add(intervals.begin);
    files.end.add(intervals.end);
    communicating_.add(intervals);
    for (size_t i = 0; i < intervals.size(); i++) {
        const auto kind = static_cast<IntervalKind>(intervals.kind[i]);
        intervals_on_[static_cast<size_t>(intervals.lane[i])] += kind != IntervalKind::region;
        if (kind == IntervalKind::overhead && intervals.end[i] != MISSING)
            overheads_.push_back({intervals.lane[i], intervals.end[i], intervals.begin[i]});
        if (kind == IntervalKind::idle)
            thread_ends_.push_back(
                {lanes_.rank[static_cast<size_t>(intervals.lane[i])], intervals.begin[i], intervals.lane[i]});
        const bool is_finalize = kind == IntervalKind::finalize;
        finalizes_ = finalizes_ || is_finalize;
        advance(kind == IntervalKind::region ? last_regions_ : last_intervals_, intervals.lane[i],
                is_finalize ? intervals.begin[i] : std::max(intervals.begin[i], intervals.end[i]));
    }
}

void History::add(const Messages &messages, const BindingResult &bindings) {
    const PooledVector<Wait> waits = waits_of(messages, bindings);
    files_->message_waits.add(waits.data(), waits.size());
    for (const Wait &wait : waits)
        waits_on_[static_cast<size_t>(wait.lane)]++;
    // Keeps a completion for which nobody waited. A wait shows by itself that its call completed a message.
    auto complete = [&](int32_t lane, int64_t time, bool waited) {
        if (waited || time == MISSING)
            return;
        files_->completions.add({time, lane});
        completions_on_[static_cast<size_t>(lane)]++;
    };
    auto wait = waits.begin();
    for (size_t i = 0; i < messages.size(); i++) {
        bool sender_waited = false, receiver_waited = false;
        for (; wait != waits.end() && wait->message == messages.first_id + static_cast<int64_t>(i); ++wait)
            (wait->by_sender ? sender_waited : receiver_waited) = true;
        complete(messages.dst_lane[i], messages.recv_end[i], receiver_waited);
        complete(messages.src_lane[i], messages.send_end[i], sender_waited);
    }
}

void History::add_hop_times(const Messages &hops) {
    auto add = [&](int32_t lane, int64_t begin, int64_t end, int8_t link) {
        if (begin == MISSING || end == MISSING || begin >= end)
            return;
        files_->hop_times.add({begin, end, lane, link});
        hop_times_on_[static_cast<size_t>(lane)]++;
    };
    for (size_t i = 0; i < hops.size(); i++) {
        add(hops.dst_lane[i], hops.recv_wait_begin[i], hops.recv_end[i], hops.link[i]);
        add(hops.src_lane[i], hops.send_wait_begin[i], hops.send_end[i], hops.link[i]);
    }
}

// Finds the end of the run: the enter of the last Finalize; if a rank without Finalize (perhaps killed) runs longer,
// the end of its last MPI call; if no rank has a Finalize, the end of the trace.
Place History::find_end_of_run() const {
    Place end{-1, MISSING};
    for (size_t lane = 0; lane < lanes_.size(); lane++) {
        const int64_t region = finalizes_ ? MISSING : last_regions_[lane];
        const int64_t last = std::max({last_calls_[lane], last_intervals_[lane], region});
        if (last > end.t)
            end = {static_cast<int32_t>(lane), last};
    }
    return end;
}

void History::finish() {
    std::sort(overheads_.begin(), overheads_.end());
    std::sort(thread_ends_.begin(), thread_ends_.end());
    end_of_run_ = find_end_of_run();
    for (size_t lane = 0; lane < lanes_.size(); lane++)
        if (calls_on_[lane] > 0)
            communicating_.add(lane);
    Files &files = *files_;
    collectives_ = {0,
                    files.op.finish(),
                    files.leads.finish(),
                    files.returns_early.finish(),
                    files.library.finish(),
                    files.root_rank.finish(),
                    files.second_group.finish(),
                    files.first_call.finish(),
                    files.has_hops.finish()};
    calls_ = {0,
              files.collective.finish(),
              files.rank.finish(),
              files.comm_rank.finish(),
              files.lane.finish(),
              files.wait_lane.finish(),
              files.enter.finish(),
              files.wait_begin.finish(),
              files.leave.finish(),
              files.complete.finish(),
              files.call_site.finish()};
    intervals_ = {files.region.finish(),      files.region_site.finish(), files.region_lane.finish(),
                  files.region_kind.finish(), files.begin.finish(),       files.end.finish()};
    hop_waits_ = {files.hop_waits.finish().data, files.first_wait.finish().data};
    const Column<Wait> message_waits = files.message_waits.finish();
    const Column<Completion> completions = files.completions.finish();
    const Column<HopTime> hop_times = files.hop_times.finish();
    std::vector<size_t> items_on(calls_on_);
    for (size_t lane = 0; lane < lanes_.size(); lane++)
        items_on[lane] += intervals_on_[lane];
    const std::function<void()> trim_files = [this] { files_->visit_all([](const auto &column) { column.trim(); }); };
    run_both(
        [&] {
            message_waits_ = std::make_unique<MessageWaits>(scratch_, waits_on_, message_waits, trim_files);
            completions_ = std::make_unique<Completions>(scratch_, completions_on_, completions, trim_files);
            hop_times_.fill(hop_times_on_, [&](const auto &give) {
                for (size_t i = 0; i < hop_times.size; i++)
                    give(static_cast<size_t>(hop_times[i].lane), hop_times[i]);
            });
            for (size_t lane = 0; lane < lanes_.size(); lane++)
                sort_nearly(hop_times_.begin(lane), hop_times_.end(lane), std::less<HopTime>());
        },
        [&] {
            timeline_ = std::make_unique<Timeline>(scratch_, items_on, calls_, intervals_, trim_files);
            early_returns_ = std::make_unique<EarlyReturns>(scratch_, early_returns_on_, calls_, trim_files);
        });
    trim();
}

Place History::last_thread_end(int32_t lane, int64_t begin, int64_t end) const {
    const int32_t rank = lanes_.rank[static_cast<size_t>(lane)];
    const ThreadEnd limit{rank, end, std::numeric_limits<int32_t>::max()};
    auto after = std::upper_bound(thread_ends_.begin(), thread_ends_.end(), limit);
    if (after == thread_ends_.begin())
        return {-1, MISSING};
    const ThreadEnd &last = *std::prev(after);
    return last.rank == rank && last.t > begin && last.lane != lane ? Place{last.lane, last.t} : Place{-1, MISSING};
}

Place History::last_communication(int32_t lane, int64_t begin, int64_t end) const {
    Place last{-1, begin};
    if (!communicating_.rests(lanes_, lane))
        return last;
    for (size_t other = 0; other < lanes_.size(); other++) {
        if (lanes_.main_lane[other] != lane || !communicating_.communicates(other))
            continue;
        const Item *item = timeline_->last_before(static_cast<int32_t>(other), end);
        const bool has_ended =
            item && !item->is_call() && static_cast<IntervalKind>(intervals_.kind[item->row()]) == IntervalKind::idle;
        const int64_t t = !item ? begin : has_ended ? item->begin : std::min(item->end, end);
        if (t > last.t)
            last = {static_cast<int32_t>(other), t};
    }
    return last;
}

Span History::span_of(int32_t lane, const Item &item) const {
    const size_t row = item.row();
    auto has_hops = [&](int64_t call) {
        return collectives_.has_hops[static_cast<size_t>(calls_.collective[static_cast<size_t>(call)])] != 0;
    };
    auto call_span = [&](bool hops) {
        return Span{item.begin, item.end, hops ? Category::local : Category::native, hops};
    };
    if (item.is_call()) {
        if (collectives_.returns_early[static_cast<size_t>(calls_.collective[row])]) // it only begins in this call
            return {item.begin, item.end, Category::local, false};
        const bool hops = has_hops(static_cast<int64_t>(row));
        const auto library = static_cast<Category>(collectives_.library[static_cast<size_t>(calls_.collective[row])]);
        return {item.begin, item.end, hops ? Category::local : library, hops};
    }
    const auto kind = static_cast<IntervalKind>(intervals_.kind[row]);
    if (kind != IntervalKind::wait)
        return {item.begin, item.end, category_of(kind), false};
    auto [first, last] = early_returns_->waited_for(lane, item.begin);
    if (first != last)
        return call_span(std::any_of(first, last, [&](const auto &completed) { return has_hops(completed.call); }));
    const Wait *wait = message_waits_->last_before(lane, item.end);
    const bool completes_message =
        (wait && wait->end > item.begin) || completions_->contains(lane, item.begin, item.end);
    return {item.begin, item.end, completes_message ? Category::p2p : Category::mpi, false};
}

bool History::is_of_threads(const Item &item) const {
    const auto kind = item.is_call() ? IntervalKind::mpi : static_cast<IntervalKind>(intervals_.kind[item.row()]);
    return kind == IntervalKind::idle || kind == IntervalKind::join;
}

void History::spans_of(int32_t lane, const std::function<void(const Span &)> &give) const {
    const auto [first, last] = timeline_->items(lane);
    for (const Item *item = first; item != last; item++)
        if (!is_of_threads(*item))
            give(span_of(lane, *item));
}

void History::trim() const {
    files_->visit_all([](const auto &column) { column.trim(); });
    if (timeline_)
        timeline_->trim();
    if (message_waits_)
        message_waits_->trim();
    if (completions_)
        completions_->trim();
    if (early_returns_)
        early_returns_->trim();
    hop_times_.trim();
}

} // namespace hopscope::paths
