/* Advances the readers of all locations, piece by piece. */
#include "reading.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "breaking_off.h"
#include "trial.h"

namespace hopscope {
namespace {

constexpr size_t kThreads = 2;
constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMostEventsPerStep = 1u
                                        << 13; /* read from a location before it is checked if the target is reached */
constexpr int64_t kLongestRunSeconds = 1000000000; /* about 32 years; 64-bit nanoseconds overflow after 292 years */

OTF2_CallbackCode on_clock_offset(void *user, OTF2_TimeStamp time, int64_t offset, double error) {
    static_cast<LocationEvents *>(user)->clock_offsets.push_back({static_cast<int64_t>(time), offset, error});
    return OTF2_CALLBACK_SUCCESS;
}

bool exists(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

/* Raises the limit of open files as far as the system allows: every location keeps a file open. */
void allow_open_files(size_t file_count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= file_count + 64)
        return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, file_count + 64);
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Distributes locations over threads so that all threads have about equally many events. The longest location comes
 * first, and each goes to the thread with the fewest events so far. */
std::vector<std::vector<size_t>> deal(const std::vector<LocationEvents> &locations) {
    std::vector<size_t> order(locations.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return locations[a].expected > locations[b].expected; });
    std::vector<std::vector<size_t>> hands(kThreads);
    std::vector<uint64_t> sums(kThreads, 0);
    for (size_t i : order) {
        const auto smallest = static_cast<size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        hands[smallest].push_back(i);
        sums[smallest] += locations[i].expected + 1;
    }
    for (auto &hand : hands)
        std::sort(hand.begin(), hand.end());
    return hands;
}

} // namespace

struct Reading::Source {
    struct Open {
        LocationEvents *events;
        std::unique_ptr<LocationReader> state;
        OTF2_EvtReader *reader = nullptr; /* null once the location has ended */
        uint64_t readable = kAll;         /* number of complete events in a truncated file; kAll for a whole file */
    };

    std::unique_ptr<Archive> archive;
    std::vector<size_t> location_indices; /* indices into Trace::locations */
    std::vector<Open> open;

    /* Reads a location's local definitions: without them libotf2 neither corrects clocks nor maps local numbers. An
     * archive may have no local definitions at all. But if other locations have some (expects_definitions) and this one
     * has none, its events cannot be interpreted. */
    void read_local_definitions(bool expects_definitions, LocationEvents &location) const {
        const std::string file = archive->location_file(location.location, "def");
        auto lose = [&](const std::string &reason) {
            location.exhausted = true;
            location.damage = {file, reason + "; without it, this location's events cannot be interpreted"};
        };
        if (archive->is_plain() && !has_end(file)) {
            lose("truncated");
            return;
        }
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive->reader(), location.location);
        if (!reader) {
            if (exists(file) || expects_definitions)
                lose("missing or unreadable: " + take_otf2_error("libotf2 gives no reason"));
            return;
        }
        OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
        OTF2_ErrorCode code = OTF2_Reader_RegisterDefCallbacks(archive->reader(), reader, callbacks, &location);
        OTF2_DefReaderCallbacks_Delete(callbacks);
        uint64_t count = 0;
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader(), reader, &count);
        if (code != OTF2_SUCCESS)
            lose("damaged after " + std::to_string(count) +
                 " local definitions: " + take_otf2_error(OTF2_Error_GetDescription(code)));
        OTF2_Reader_CloseDefReader(archive->reader(), reader);
    }

    void open_location(const Trace &trace, LocationEvents &location) {
        const bool only_thread =
            std::count_if(trace.locations.begin(), trace.locations.end(),
                          [&](const LocationEvents &candidate) { return candidate.rank == location.rank; }) == 1;
        open.push_back(
            {&location, std::make_unique<LocationReader>(*trace.definitions, *trace.comms, only_thread, location)});
        Open &entry = open.back();
        if (location.exhausted)
            return;
        const std::string file = archive->location_file(location.location, "evt");
        if (archive->is_plain() && !has_end(file)) {
            uint64_t chunk_bytes = 0, definition_chunk_bytes = 0;
            OTF2_Reader_GetChunkSize(archive->reader(), &chunk_bytes, &definition_chunk_bytes);
            entry.readable = whole_events(file, chunk_bytes);
        }
        if (entry.readable == 0) {
            location.exhausted = true;
            location.damage = {file, break_of(location)};
            return;
        }
        entry.reader = OTF2_Reader_GetEvtReader(archive->reader(), location.location);
        if (!entry.reader) {
            location.exhausted = true;
            if (location.expected == 0)
                return;
            location.damage = {file, (exists(file) ? "cannot be read: " : "missing or unreadable: ") +
                                         take_otf2_error("libotf2 gives no reason") + "; the archive promises " +
                                         std::to_string(location.expected) + " events there"};
            return;
        }
        OTF2_EvtReaderCallbacks *callbacks = location_callbacks();
        const OTF2_ErrorCode code =
            OTF2_Reader_RegisterEvtCallbacks(archive->reader(), entry.reader, callbacks, entry.state.get());
        OTF2_EvtReaderCallbacks_Delete(callbacks);
        if (code != OTF2_SUCCESS)
            throw ArchiveError(archive->anchor() + ": " + take_otf2_error(OTF2_Error_GetDescription(code)));
    }

    void open_all(Trace &trace, const std::string &anchor) {
        archive = std::make_unique<Archive>(anchor);
        read_definitions(*archive); /* libotf2 requires this before it opens the local files */
        for (size_t i : location_indices)
            OTF2_Reader_SelectLocation(archive->reader(), trace.locations[i].location);
        OTF2_Reader_OpenDefFiles(archive->reader());
        OTF2_Reader_OpenEvtFiles(archive->reader());
        const bool any_definitions =
            std::any_of(trace.locations.begin(), trace.locations.end(), [&](const LocationEvents &location) {
                return exists(archive->location_file(location.location, "def"));
            });
        for (size_t i : location_indices) {
            take_otf2_error("");
            read_local_definitions(any_definitions && trace.locations[i].expected > 0, trace.locations[i]);
            take_otf2_error("");
            open_location(trace, trace.locations[i]);
        }
    }

    static std::string break_of(const LocationEvents &location) {
        return location.events > 0 ? "truncated there" : "truncated before its first event";
    }

    /* Reads the next `limit` events of a location. */
    void read_step(Open &entry, uint64_t limit, Progress &progress) const {
        LocationEvents &location = *entry.events;
        const uint64_t batch = std::min(limit, entry.readable - location.events);
        uint64_t count = 0;
        const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(archive->reader(), entry.reader, batch, &count);
        location.events += count;
        progress.done += count;
        const bool failed = code != OTF2_SUCCESS && code != OTF2_ERROR_INDEX_OUT_OF_BOUNDS;
        const bool breaks_off = location.events == entry.readable;
        if (!failed && count == batch && !breaks_off)
            return;
        if (failed)
            location.damage = {archive->location_file(location.location, "evt"),
                               "damaged after event " + std::to_string(location.events) + " of " +
                                   std::to_string(location.expected) + ": " +
                                   take_otf2_error(OTF2_Error_GetDescription(code))};
        else if (archive->is_plain() && !breaks_off)
            location.miscounted = location.events != location.expected;
        else if (location.events < location.expected || (breaks_off && location.events != location.expected))
            location.damage = {archive->location_file(location.location, "evt"), break_of(location)};
        take_otf2_error("");
        OTF2_Reader_CloseEvtReader(archive->reader(), entry.reader);
        entry.reader = nullptr;
        location.exhausted = true;
    }

    /* Reads every location up to the target time, `step` events at a time. Stops after `limit` events of all locations.
     */
    void advance(int64_t target, uint64_t step, uint64_t limit, Progress &progress) {
        uint64_t read = 0;
        for (Open &entry : open) {
            while (entry.reader && (entry.events->last == kNull64 || entry.events->last <= target) && read < limit) {
                if (progress.cancelled)
                    throw Cancelled();
                const uint64_t previous = entry.events->events;
                read_step(entry, step, progress);
                read += entry.events->events - previous;
            }
            entry.state->look_ahead();
        }
    }
};

Reading::~Reading() = default;

Reading::Reading(const std::string &anchor, uint64_t piece_events, Progress &progress)
    : anchor_(anchor), piece_events_(piece_events), progress_(progress) {
    collect_otf2_errors();
    take_otf2_error("");
    try_definitions(anchor);
    {
        Archive archive(anchor);
        trace_.definitions = read_definitions(archive);
    }
    trace_.ranks = std::make_unique<Ranks>(*trace_.definitions);
    trace_.comms = std::make_unique<Comms>(*trace_.definitions, *trace_.ranks);
    for (const Location &location : trace_.definitions->locations) {
        const int32_t rank = trace_.ranks->of_location(location.id);
        if (rank < 0)
            continue;
        trace_.locations.emplace_back();
        trace_.locations.back().location = location.id;
        trace_.locations.back().rank = rank;
        trace_.locations.back().expected = location.events;
        progress.total += location.events;
    }
    allow_open_files(trace_.locations.size());
}

template <typename Work> void Reading::in_threads(const Work &work) {
    std::exception_ptr problem;
    std::mutex problem_lock;
    std::vector<std::thread> threads;
    for (const auto &source : sources_)
        threads.emplace_back([&, it = source.get()] {
            try {
                work(*it);
            } catch (...) {
                std::lock_guard<std::mutex> lock(problem_lock);
                if (!problem)
                    problem = std::current_exception();
                progress_.cancelled = true;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    if (problem)
        std::rethrow_exception(problem);
}

/* Throws if no event can be read because of damage. Damage of only some locations is reported with the results. */
void Reading::refuse_if_unreadable() const {
    const Damage *first = nullptr;
    for (const LocationEvents &location : trace_.locations) {
        if (location.events > 0)
            return;
        if (!first && !location.damage.file.empty())
            first = &location.damage;
    }
    if (first)
        throw ArchiveError(first->file + ": " + first->reason);
}

void Reading::open_locations() {
    for (std::vector<size_t> &hand : deal(trace_.locations)) {
        sources_.push_back(std::make_unique<Source>());
        sources_.back()->location_indices = std::move(hand);
    }
    in_threads([&](Source &source) {
        source.open_all(trace_, anchor_);
        /* Read each location's first events to find the begin of the trace. */
        source.advance(kNull64, 1, kEver, progress_);
    });
    refuse_if_unreadable();
    trace_.ranks->set_clock_errors(trace_.locations);
    measure();
    check_span();
}

/* Sets the target time so that the next piece will have about piece_events events, if events stay as frequent as now.
 */
void Reading::choose_target() {
    int64_t frontier = kEver;
    uint64_t read = 0;
    for (const LocationEvents &location : trace_.locations) {
        read += location.events;
        if (!location.exhausted)
            frontier = std::min(frontier, location.last);
    }
    if (piece_events_ == 0 || frontier == kEver) {
        target_ = kEver;
        return;
    }
    const double ticks_per_event = static_cast<double>(frontier - trace_.first) / static_cast<double>(read + 1);
    const double step = std::max(1.0, static_cast<double>(piece_events_) * ticks_per_event);
    target_ = step > 4e18 ? kEver : std::max(target_, frontier + static_cast<int64_t>(step));
}

/* Makes all records of the ranks that have no more events final, because no event can change them any more. */
void Reading::close_ended_ranks() {
    std::vector<bool> going_on(trace_.ranks->ranks.size(), false);
    for (const LocationEvents &location : trace_.locations)
        if (!location.exhausted)
            going_on[static_cast<size_t>(location.rank)] = true;
    for (LocationEvents &location : trace_.locations)
        if (!going_on[static_cast<size_t>(location.rank)])
            location.horizon = {kEver, kEver, kEver, kEver};
}

Horizon Reading::horizon() const {
    Horizon minimum{kEver, kEver, kEver, kEver};
    for (const LocationEvents &location : trace_.locations) {
        minimum.calls = std::min(minimum.calls, location.horizon.calls);
        minimum.sends = std::min(minimum.sends, location.horizon.sends);
        minimum.receives = std::min(minimum.receives, location.horizon.receives);
        minimum.intervals = std::min(minimum.intervals, location.horizon.intervals);
    }
    return minimum;
}

bool Reading::next_piece() {
    if (sources_.empty())
        open_locations();
    else if (std::all_of(trace_.locations.begin(), trace_.locations.end(),
                         [](const LocationEvents &location) { return location.exhausted; }))
        return false;
    choose_target();
    const uint64_t locations = std::max<size_t>(1, trace_.locations.size());
    const bool whole = piece_events_ == 0;
    const uint64_t step =
        whole ? kMostEventsPerStep : std::clamp<uint64_t>(piece_events_ / locations / 8, 1, kMostEventsPerStep);
    const uint64_t limit = whole ? std::numeric_limits<uint64_t>::max() : 2 * piece_events_ + kThreads;
    in_threads([&](Source &source) { source.advance(target_, step, limit, progress_); });
    close_ended_ranks();
    measure();
    check_span();
    return true;
}

/* Sets the times of the first and of the last event so far, for every rank and for the trace. */
void Reading::measure() {
    int64_t first = kEver, last = kNull64;
    for (const LocationEvents &location : trace_.locations) {
        if (location.first == kNull64)
            continue;
        Rank &rank = trace_.ranks->ranks[static_cast<size_t>(location.rank)];
        if (rank.first == kNull64 || location.first < rank.first)
            rank.first = location.first;
        if (rank.last == kNull64 || location.last > rank.last)
            rank.last = location.last;
        first = std::min(first, location.first);
        last = std::max(last, location.last);
    }
    if (first == kEver)
        first = last = 0;
    trace_.first = first;
    trace_.last = last;
}

/* Refuses a trace that spans decades: its clock offsets or times must be damaged, and its nanoseconds could overflow.
 */
void Reading::check_span() const {
    const __int128 limit = static_cast<__int128>(trace_.definitions->ticks_per_second) * kLongestRunSeconds;
    if (static_cast<__int128>(trace_.last) - trace_.first <= limit)
        return;
    const Archive &archive = *sources_.front()->archive;
    for (const LocationEvents &location : trace_.locations)
        for (const ClockOffsetRecord &offset : location.clock_offsets)
            if (offset.offset > limit || offset.offset < -limit)
                throw ArchiveError(archive.location_file(location.location, "def") + ": a clock offset of " +
                                   std::to_string(offset.offset) + " ticks is impossible");
    throw ArchiveError(archive.anchor() + ": the first and the last event are more than " +
                       std::to_string(kLongestRunSeconds) + " s apart; a time or the timer's rate is damaged");
}

int64_t Trace::scaled(int64_t ticks) const {
    /* Whole seconds and the rest are converted separately, because a 64-bit division takes a fraction of the time of a
     * 128-bit one. */
    constexpr uint64_t kPerSecond = 1000000000;
    const uint64_t rate = definitions->ticks_per_second;
    const auto size = ticks < 0 ? 0 - static_cast<uint64_t>(ticks) : static_cast<uint64_t>(ticks);
    const uint64_t seconds = size / rate, rest = size % rate;
    const uint64_t of_rest =
        rate <= UINT64_MAX / kPerSecond / 2
            ? (rest * kPerSecond + rate / 2) / rate
            : static_cast<uint64_t>((static_cast<unsigned __int128>(rest) * kPerSecond + rate / 2) / rate);
    const auto nanoseconds = static_cast<int64_t>(seconds * kPerSecond + of_rest);
    return ticks < 0 ? -nanoseconds : nanoseconds;
}

} // namespace hopscope
