/* Distributes the locations over two threads, each with a reader of its own. */
#include "reading.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <sys/stat.h>
#include <thread>

#include "archive.h"
#include "location_reader.h"

namespace hopscope {
namespace {

constexpr uint64_t kEventsPerStep = 1u << 18; /* between two looks at Progress::cancelled */
constexpr size_t kThreads = 2;
constexpr int64_t kLongestRunSeconds = 1000000000; /* about 32 years; 64-bit nanoseconds end at 292 */

OTF2_CallbackCode on_clock_offset(void *user, OTF2_TimeStamp time, int64_t offset, double error) {
    static_cast<LocationEvents *>(user)->clock_offsets.push_back({static_cast<int64_t>(time), offset, error});
    return OTF2_CALLBACK_SUCCESS;
}

bool exists(const std::string &path) {
    struct stat about;
    return stat(path.c_str(), &about) == 0;
}

/* Local definitions first: without them libotf2 neither corrects clocks nor maps local numbers. An archive need not
 * have any at all; one that `others` have and this location lacks is lost. */
void read_local_definitions(const Archive &archive, bool others, LocationEvents &out) {
    const std::string file = archive.location_file(out.location, "def");
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive.reader(), out.location);
    if (!reader) {
        if (exists(file) || others)
            throw ArchiveError(file + ": missing or unreadable: " + take_otf2_error("libotf2 gives no reason") +
                               "; without it this location's events cannot be understood");
        return;
    }
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
    OTF2_ErrorCode code = OTF2_Reader_RegisterDefCallbacks(archive.reader(), reader, callbacks, &out);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    uint64_t count = 0;
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalDefinitions(archive.reader(), reader, &count);
    if (code != OTF2_SUCCESS)
        throw ArchiveError(file + ": damaged after " + std::to_string(count) +
                           " local definitions: " + take_otf2_error(OTF2_Error_GetDescription(code)));
    OTF2_Reader_CloseDefReader(archive.reader(), reader);
}

void read_events(const Archive &archive, const Trace &trace, uint64_t expected, LocationEvents &out,
                 Progress &progress) {
    const std::string file = archive.location_file(out.location, "evt");
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(archive.reader(), out.location);
    if (!reader) {
        if (expected == 0)
            return;
        throw ArchiveError(file + (exists(file) ? ": cannot be read: " : ": missing or unreadable: ") +
                           take_otf2_error("libotf2 gives no reason") + "; the archive promises " +
                           std::to_string(expected) + " events there");
    }
    LocationReader state(trace.definitions, trace.comms->shadow_refs(), out);
    OTF2_EvtReaderCallbacks *callbacks = location_callbacks();
    OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader, callbacks, &state);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    while (code == OTF2_SUCCESS) {
        if (progress.cancelled)
            throw Cancelled();
        uint64_t count = 0;
        code = OTF2_Reader_ReadLocalEvents(archive.reader(), reader, kEventsPerStep, &count);
        out.events += count;
        progress.done += count;
        if (count < kEventsPerStep)
            break;
    }
    if (code != OTF2_SUCCESS && code != OTF2_ERROR_INDEX_OUT_OF_BOUNDS)
        throw ArchiveError(file + ": damaged after event " + std::to_string(out.events) + " of " +
                           std::to_string(expected) + ": " + take_otf2_error(OTF2_Error_GetDescription(code)));
    take_otf2_error("");
    if (out.events < expected)
        throw ArchiveError(file + ": ends after event " + std::to_string(out.events) + " of " +
                           std::to_string(expected));
    OTF2_Reader_CloseEvtReader(archive.reader(), reader);
    state.finish();
}

void read_locations(const std::string &anchor, Trace &trace, const std::vector<size_t> &mine,
                    const std::vector<uint64_t> &expected, Progress &progress) {
    Archive archive(anchor);
    /* libotf2 wants the global definitions read before it opens the local files. */
    read_definitions(archive);
    for (size_t i : mine)
        OTF2_Reader_SelectLocation(archive.reader(), trace.locations[i].location);
    OTF2_Reader_OpenDefFiles(archive.reader());
    OTF2_Reader_OpenEvtFiles(archive.reader());
    const bool any_definitions =
        std::any_of(trace.locations.begin(), trace.locations.end(), [&](const LocationEvents &location) {
            return exists(archive.location_file(location.location, "def"));
        });
    for (size_t i : mine) {
        take_otf2_error("");
        read_local_definitions(archive, any_definitions && expected[i] > 0, trace.locations[i]);
        take_otf2_error("");
        read_events(archive, trace, expected[i], trace.locations[i], progress);
    }
    OTF2_Reader_CloseDefFiles(archive.reader());
    OTF2_Reader_CloseEvtFiles(archive.reader());
}

/* Locations dealt so that both threads have about as many events: longest first, to whoever has least. */
std::vector<std::vector<size_t>> deal(const std::vector<uint64_t> &events) {
    std::vector<size_t> order(events.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return events[a] > events[b]; });
    std::vector<std::vector<size_t>> hands(kThreads);
    std::vector<uint64_t> sums(kThreads, 0);
    for (size_t i : order) {
        const auto least = static_cast<size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
        hands[least].push_back(i);
        sums[least] += events[i] + 1;
    }
    for (auto &hand : hands)
        std::sort(hand.begin(), hand.end());
    return hands;
}

/* First and last event of every rank and of the trace. */
void measure(Trace &trace) {
    trace.first = trace.last = kNull64;
    for (const LocationEvents &location : trace.locations) {
        trace.events += location.events;
        if (location.first == kNull64)
            continue;
        Rank &rank = trace.ranks->ranks[static_cast<size_t>(trace.rank_of(location))];
        if (rank.first == kNull64 || location.first < rank.first)
            rank.first = location.first;
        if (rank.last == kNull64 || location.last > rank.last)
            rank.last = location.last;
        if (trace.first == kNull64 || location.first < trace.first)
            trace.first = location.first;
        if (trace.last == kNull64 || location.last > trace.last)
            trace.last = location.last;
    }
    if (trace.first == kNull64)
        trace.first = trace.last = 0;
}

/* Times are counted in nanoseconds from the first event; a span of decades means that a clock offset is damaged. */
void check_span(const Trace &trace, const Archive &archive) {
    const __int128 limit = static_cast<__int128>(trace.definitions.ticks_per_second) * kLongestRunSeconds;
    if (static_cast<__int128>(trace.last) - trace.first <= limit)
        return;
    for (const LocationEvents &location : trace.locations)
        for (const ClockOffsetRecord &offset : location.clock_offsets)
            if (offset.offset > limit || offset.offset < -limit)
                throw ArchiveError(archive.location_file(location.location, "def") + ": a clock offset of " +
                                   std::to_string(offset.offset) + " ticks cannot be");
    throw ArchiveError(archive.anchor() + ": the first and the last event lie more than " +
                       std::to_string(kLongestRunSeconds) + " s apart; a time or the timer's rate is damaged");
}

} // namespace

int64_t Trace::span_ns(int64_t ticks) const {
    if (definitions.ticks_per_second == 1000000000)
        return ticks;
    const auto per_second = static_cast<__int128>(definitions.ticks_per_second);
    const __int128 scaled = static_cast<__int128>(ticks) * 1000000000;
    const __int128 half = scaled < 0 ? -per_second / 2 : per_second / 2;
    return static_cast<int64_t>((scaled + half) / per_second);
}

int64_t Trace::ns(int64_t ticks) const {
    return span_ns(ticks - first);
}

Trace read_trace(const std::string &anchor, Progress &progress) {
    collect_otf2_errors();
    take_otf2_error("");
    Trace trace;
    {
        Archive archive(anchor);
        trace.definitions = read_definitions(archive);
    }
    trace.ranks = std::make_unique<Ranks>(trace.definitions);
    trace.comms = std::make_unique<Comms>(trace.definitions, *trace.ranks);
    std::vector<uint64_t> expected;
    for (const Location &location : trace.definitions.locations) {
        if (trace.ranks->of_location(location.id) < 0)
            continue;
        trace.locations.emplace_back();
        trace.locations.back().location = location.id;
        expected.push_back(location.events);
        progress.total += location.events;
    }
    std::exception_ptr problem;
    std::mutex problem_lock;
    std::vector<std::thread> threads;
    for (const std::vector<size_t> &hand : deal(expected)) {
        if (hand.empty())
            continue;
        threads.emplace_back([&, hand] {
            try {
                read_locations(anchor, trace, hand, expected, progress);
            } catch (...) {
                std::lock_guard<std::mutex> lock(problem_lock);
                if (!problem)
                    problem = std::current_exception();
                progress.cancelled = true;
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    if (problem)
        std::rethrow_exception(problem);
    measure(trace);
    check_span(trace, Archive(anchor));
    trace.ranks->set_clock_errors(trace.locations);
    return trace;
}

} // namespace hopscope
