// Columns of a whole trace, one file each.
#include "history.h"

#include <algorithm>

namespace hopscope::paths {
namespace {

// MISSING is less than every time.
void later(std::vector<int64_t> &of_lanes, int32_t lane, int64_t t) {
    int64_t &latest = of_lanes[static_cast<size_t>(lane)];
    latest = std::max(latest, t);
}

} // namespace

struct History::Files {
    explicit Files(const Scratch &scratch)
        : op(scratch), leads(scratch), returns_early(scratch), has_hops(scratch), root_rank(scratch),
          first_call(scratch), first_wait(scratch), collective(scratch), rank(scratch), comm_rank(scratch),
          lane(scratch), enter(scratch), wait_begin(scratch), leave(scratch), complete(scratch), call_site(scratch),
          region(scratch), region_site(scratch), region_lane(scratch), region_kind(scratch), begin(scratch),
          end(scratch), hop_waits(scratch), message_waits(scratch), completions(scratch) {}

    ScratchColumn<int32_t> op;
    ScratchColumn<int8_t> leads, returns_early, has_hops;
    ScratchColumn<int32_t> root_rank;
    ScratchColumn<int64_t> first_call, first_wait;
    ScratchColumn<int64_t> collective;
    ScratchColumn<int32_t> rank, comm_rank, lane;
    ScratchColumn<int64_t> enter, wait_begin, leave, complete;
    ScratchColumn<int32_t> call_site;
    ScratchColumn<int32_t> region, region_site, region_lane;
    ScratchColumn<int8_t> region_kind;
    ScratchColumn<int64_t> begin, end;
    ScratchColumn<Wait> hop_waits, message_waits;
    ScratchColumn<Completion> completions;

    template <typename Visit> void each(const Visit &visit) {
        visit(op), visit(leads), visit(returns_early), visit(has_hops), visit(root_rank), visit(first_call);
        visit(first_wait), visit(collective), visit(rank), visit(comm_rank), visit(lane), visit(enter);
        visit(wait_begin), visit(leave), visit(complete), visit(call_site), visit(region), visit(region_site);
        visit(region_lane), visit(region_kind), visit(begin), visit(end), visit(hop_waits), visit(message_waits);
        visit(completions);
    }
};

void History::FilesDeleter::operator()(Files *files) const {
    delete files;
}

History::History(const Scratch &scratch, const Lanes &lanes)
    : scratch_(scratch), lanes_(lanes), last_calls_(lanes.size(), MISSING), last_intervals_(last_calls_),
      last_regions_(last_calls_), files_(new Files(scratch)) {
    files_->first_call.add(0);
    files_->first_wait.add(0);
}

void History::add(const Collectives &collectives, const Calls &calls, const Kept<Wait> &hop_waits) {
    Files &files = *files_;
    const auto calls_before = static_cast<int64_t>(files.enter.size());
    const auto waits_before = static_cast<int64_t>(files.hop_waits.size());
    const std::vector<int64_t> first_wait = first_waits(hop_waits, collectives);
    for (size_t c = 1; c <= collectives.size(); c++) {
        files.first_call.add(calls_before + collectives.first_call[c]);
        files.first_wait.add(waits_before + first_wait[c]);
    }
    files.op.add(collectives.op);
    files.leads.add(collectives.leads);
    files.returns_early.add(collectives.returns_early);
    files.has_hops.add(collectives.has_hops);
    files.root_rank.add(collectives.root_rank);
    files.collective.add(calls.collective);
    files.rank.add(calls.rank);
    files.comm_rank.add(calls.comm_rank);
    files.lane.add(calls.lane);
    files.enter.add(calls.enter);
    files.wait_begin.add(calls.wait_begin);
    files.leave.add(calls.leave);
    files.complete.add(calls.complete);
    files.call_site.add(calls.call_site);
    files.hop_waits.add(hop_waits.data(), hop_waits.size());
    for (size_t i = 0; i < calls.size(); i++) {
        later(last_calls_, calls.lane[i], calls.enter[i]);
        later(last_calls_, calls.lane[i], calls.leave[i]);
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
    for (size_t i = 0; i < intervals.size(); i++) {
        const auto kind = static_cast<IntervalKind>(intervals.kind[i]);
        const bool is_finalize = kind == IntervalKind::finalize;
        finalizes_ = finalizes_ || is_finalize;
        later(kind == IntervalKind::region ? last_regions_ : last_intervals_, intervals.lane[i],
              is_finalize ? intervals.begin[i] : std::max(intervals.begin[i], intervals.end[i]));
    }
}

void History::add(const Messages &messages, const BindingResult &judged) {
    const Kept<Wait> waits = waits_of(messages, judged);
    files_->message_waits.add(waits.data(), waits.size());
    for (size_t i = 0; i < messages.size(); i++) {
        files_->completions.add({messages.recv_end[i], messages.dst_lane[i]});
        if (messages.send_end[i] != MISSING)
            files_->completions.add({messages.send_end[i], messages.src_lane[i]});
    }
}

// The enter of the last Finalize; or, if a rank that was killed or has none goes on for longer, the end of the last MPI
// call. Where nobody has a Finalize, the last thing there is.
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
    end_of_run_ = find_end_of_run();
    Files &files = *files_;
    collectives_ = {0,
                    files.op.finish(),
                    files.leads.finish(),
                    files.returns_early.finish(),
                    files.root_rank.finish(),
                    files.first_call.finish(),
                    files.has_hops.finish()};
    calls_ = {0,
              files.collective.finish(),
              files.rank.finish(),
              files.comm_rank.finish(),
              files.lane.finish(),
              files.enter.finish(),
              files.wait_begin.finish(),
              files.leave.finish(),
              files.complete.finish(),
              files.call_site.finish()};
    intervals_ = {files.region.finish(),      files.region_site.finish(), files.region_lane.finish(),
                  files.region_kind.finish(), files.begin.finish(),       files.end.finish()};
    hop_waits_ = {files.hop_waits.finish().data, files.first_wait.finish().data};
    const std::function<void()> trim_now = [this] { trim(); };
    timeline_ = std::make_unique<Timeline>(scratch_, lanes_, calls_, intervals_, trim_now);
    trim();
    message_waits_ = std::make_unique<MessageWaits>(scratch_, lanes_.size(), files.message_waits.finish(), trim_now);
    completions_ = std::make_unique<Completions>(scratch_, lanes_.size(), files.completions.finish(), trim_now);
    trim();
    early_returns_ = std::make_unique<EarlyReturns>(scratch_, lanes_, calls_, trim_now);
    trim();
}

void History::trim() const {
    files_->each([](const auto &column) { column.trim(); });
    if (timeline_)
        timeline_->trim();
    if (message_waits_)
        message_waits_->trim();
    if (completions_)
        completions_->trim();
    if (early_returns_)
        early_returns_->trim();
}

} // namespace hopscope::paths
