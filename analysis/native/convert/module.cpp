/* The Python module hopscope.native._convert: its Reader returns an archive's tables, piece by piece. */
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "arrow_stream.h"
#include "conversion.h"
#include "schemas/otf2.h"

namespace nb = nanobind;

namespace hopscope {
namespace {

constexpr uint64_t kPieceEvents = 1 << 19;
constexpr int64_t kPieceRows = 1 << 17;
constexpr int64_t kBatchRows = 1 << 22; /* text columns hold at most 2 GiB per batch */

/* A table as Python sees it: pyarrow.table() accepts it. */
struct ArrowTable {
    std::shared_ptr<const Table> table;
    int64_t batch_rows;
};

nb::str text_of(const std::string &text) {
    const std::string utf8 = readable(text);
    return nb::str(utf8.data(), utf8.size());
}

nb::dict facts_of(const Trace &trace, const Sums &sums) {
    nb::dict facts;
    const auto &properties = trace.definitions->properties;
    const auto run = properties.find(ARCHIVE_PROPERTY_RUN);
    nb::dict stopped; /* rank -> the reason why its recording is incomplete */
    for (size_t i = 0; i < trace.ranks->ranks.size(); i++) {
        const std::string &complete = trace.ranks->ranks[i].complete;
        if (!complete.empty() && complete != ARCHIVE_COMPLETE)
            stopped[nb::int_(i)] = nb::str(complete.data(), complete.size());
    }
    nb::dict call_sites; /* call site -> the calling function, by its linker name */
    for (const auto &[ref, region] : trace.definitions->regions)
        if (!region.call_site.empty())
            call_sites[text_of(region.call_site)] = text_of(region.caller);
    facts["call_sites"] = call_sites;
    facts["is_ours"] = properties.count(ARCHIVE_PROPERTY_VERSION) > 0;
    facts["run_json"] =
        run == properties.end() ? nb::object(nb::none()) : nb::str(run->second.data(), run->second.size());
    facts["creator"] = trace.definitions->creator;
    facts["events"] = sums.events;
    facts["threads"] = sums.threads;
    facts["duration_ns"] = trace.ns(trace.last);
    facts["first_ticks"] = trace.first;
    facts["ticks_per_second"] = trace.definitions->ticks_per_second;
    facts["stopped"] = stopped;
    nb::list damaged;    /* (file, events read, events that the definitions promise, what is wrong) */
    nb::list miscounted; /* (location, events read, events that the definitions promise) */
    uint64_t set_back = 0;
    for (const LocationEvents &location : trace.locations) {
        set_back += location.set_back;
        if (!location.damage.file.empty())
            damaged.append(nb::make_tuple(readable(location.damage.file), location.events, location.expected,
                                          readable(location.damage.reason)));
        if (location.miscounted)
            miscounted.append(nb::make_tuple(location.location, location.events, location.expected));
    }
    facts["damaged"] = damaged;
    facts["miscounted"] = miscounted;
    facts["set_back_events"] = set_back;
    facts["collectives"] = sums.collectives;
    facts["incomplete_collectives"] = sums.incomplete;
    facts["unplaced_calls"] = sums.unplaced_calls;
    facts["threads_without_process"] = trace.ranks->threads_without_process;
    facts["unmatched_hop_ends"] = sums.unmatched_hops;
    facts["unmatched_sends"] = sums.unmatched_sends;
    facts["unmatched_receives"] = sums.unmatched_receives;
    facts["overhead_ns"] = sums.overhead_ns;
    facts["ran_tree"] = sums.by_tree;
    return facts;
}

/* A conversion as Python sees it. The work runs in a separate thread without the interpreter lock, so that Ctrl-C, the
 * progress bar and the writer of the tables keep running. */
class Reader {
  public:
    Reader(const std::string &anchor, const std::string &scratch_directory, uint64_t piece_events, int64_t piece_rows,
           int64_t batch_rows)
        : batch_rows_(batch_rows) {
        if (batch_rows < 1 || piece_rows < 1)
            throw nb::value_error("piece_rows and batch_rows must be at least 1");
        nb::gil_scoped_release release;
        conversion_ = std::make_unique<Conversion>(anchor, scratch_directory, piece_events, piece_rows, progress_);
    }

    nb::object next(nb::object callback) {
        Tables tables;
        bool has_tables = false, done = false;
        std::exception_ptr problem;
        std::mutex lock;
        std::condition_variable finished;
        std::thread worker([&] {
            try {
                while (tables.empty() && (has_tables = conversion_->next(tables)))
                    ;
            } catch (...) {
                problem = std::current_exception();
            }
            std::lock_guard<std::mutex> guard(lock);
            done = true;
            finished.notify_one();
        });
        wait_for(worker, lock, finished, done, callback);
        if (problem)
            std::rethrow_exception(problem);
        if (!has_tables && tables.empty())
            return nb::none();
        nb::list result;
        for (auto &[name, table] : tables)
            result.append(nb::make_tuple(name, ArrowTable{table, batch_rows_}));
        return result;
    }

    /* Two lists with one entry per rank: its host, and its cluster. */
    nb::tuple places() const {
        nb::list hosts, clusters;
        for (const Rank &rank : conversion_->trace().ranks->ranks) {
            hosts.append(text_of(rank.host));
            clusters.append(text_of(rank.cluster));
        }
        return nb::make_tuple(hosts, clusters);
    }

    /* The members of a communicator, and the index at which the second group begins, or None. */
    nb::tuple communicator(int32_t number) const {
        const std::vector<Comm> &comms = conversion_->trace().comms->list();
        if (number < 0 || static_cast<size_t>(number) >= comms.size())
            throw nb::index_error("no such communicator");
        const Comm &comm = comms[static_cast<size_t>(number)];
        nb::list members;
        for (int32_t rank : comm.members)
            members.append(rank);
        return nb::make_tuple(members, comm.second_group == kNull32 ? nb::object(nb::none())
                                                                    : nb::object(nb::int_(comm.second_group)));
    }

    nb::dict facts() const {
        return facts_of(conversion_->trace(), conversion_->sums());
    }

  private:
    /* Waits for the worker. Every tenth of a second it reports progress and checks for signals. */
    void wait_for(std::thread &worker, std::mutex &lock, std::condition_variable &finished, const bool &done,
                  nb::object &callback) {
        bool is_finished = false;
        try {
            while (!is_finished) {
                {
                    nb::gil_scoped_release release;
                    std::unique_lock<std::mutex> guard(lock);
                    is_finished = finished.wait_for(guard, std::chrono::milliseconds(100), [&] { return done; });
                }
                if (PyErr_CheckSignals() != 0)
                    throw nb::python_error();
                if (!callback.is_none())
                    callback(progress_.stage.load(), progress_.done.load(), progress_.total.load());
            }
        } catch (...) {
            progress_.cancelled = true;
            nb::gil_scoped_release release;
            worker.join();
            throw;
        }
        nb::gil_scoped_release release;
        worker.join();
    }

    Progress progress_;
    std::unique_ptr<Conversion> conversion_;
    int64_t batch_rows_;
};

nb::object stream_of(const ArrowTable &table, nb::object) {
    auto *stream = new ArrowArrayStream;
    export_stream(table.table, table.batch_rows, stream);
    return nb::steal(PyCapsule_New(stream, "arrow_array_stream", [](PyObject *capsule) {
        auto *exported = static_cast<ArrowArrayStream *>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
        if (exported->release)
            exported->release(exported);
        delete exported;
    }));
}

} // namespace
} // namespace hopscope

NB_MODULE(_convert, m) {
    using namespace hopscope;
    m.doc() = "Reads OTF2 archives into tables.";
    nb::exception<ArchiveError>(m, "ArchiveError");
    nb::class_<ArrowTable>(m, "ArrowTable", "A table that exports itself by the Arrow C stream interface.")
        .def("__arrow_c_stream__", &stream_of, nb::arg("requested_schema").none() = nb::none());
    nb::register_exception_translator([](const std::exception_ptr &problem, void *) {
        try {
            std::rethrow_exception(problem);
        } catch (const std::system_error &error) {
            PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), error.what()).ptr());
        }
    });
    nb::class_<Reader>(m, "Reader",
                       "Reader(anchor, scratch_directory, piece_events=524288, piece_rows=131072, batch_rows=4194304)"
                       "\n\nReads an archive about piece_events events at a time (0: all at once). Tables have about\n"
                       "piece_rows rows, and their streams come in batches of at most batch_rows. Temporary files are\n"
                       "made in scratch_directory, without a name.\n"
                       "Raises ArchiveError that names the file and the first bad place, OSError if there is no room.")
        .def(nb::init<const std::string &, const std::string &, uint64_t, int64_t, int64_t>(), nb::arg("anchor"),
             nb::arg("scratch_directory"), nb::arg("piece_events") = kPieceEvents, nb::arg("piece_rows") = kPieceRows,
             nb::arg("batch_rows") = kBatchRows)
        .def("next", &Reader::next, nb::arg("progress").none() = nb::none(),
             "next(progress=None) -> list of (name, ArrowTable), or None after the last.\n\n"
             "Makes every table of schemas/tables except kinds, trees and run. Tables of one name come in the order\n"
             "of their rows. Collectives have no kind yet, and hops only the roles that their tags name.\n"
             "Calls progress(stage, done, total) ten times a second.")
        .def("places", &Reader::places, "places() -> two lists: the host and the cluster of each rank.")
        .def("communicator", &Reader::communicator, nb::arg("number"),
             "communicator(number) -> its members, and the index at which the second group begins, or None.")
        .def("facts", &Reader::facts,
             "facts() -> a dict about the archive and its run; complete after the last piece.");
}
