/* hopscope._convert: one function, convert(anchor, progress).
 *
 * The work runs on a thread of its own without the interpreter lock, so that Ctrl-C and the progress bar live. */
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "arrow_stream.h"
#include "collectives.h"
#include "hops.h"
#include "messages.h"
#include "reading.h"
#include "tables.h"
#include "trees.h"

namespace nb = nanobind;

namespace hopscope {
namespace {

constexpr int64_t kBatchRows = 1 << 22; /* text columns hold at most 2 GiB a batch */

/* A table as Python sees it: pyarrow.table(it) takes it. */
struct ArrowTable {
    std::shared_ptr<const Table> table;
    int64_t batch_rows;
};

struct Conversion {
    Trace trace;
    std::vector<std::pair<const char *, std::shared_ptr<Table>>> tables;
    uint64_t unplaced_calls = 0, unmatched_hops = 0, unmatched_sends = 0, unmatched_receives = 0;
};

void step(Progress &progress, const char *stage, uint64_t done, uint64_t total) {
    if (progress.cancelled)
        throw Cancelled();
    progress.stage = stage;
    progress.total = total;
    progress.done = done;
}

Conversion convert_all(const std::string &anchor, Progress &progress) {
    Conversion out;
    out.trace = read_trace(anchor, progress);
    Trace &trace = out.trace;
    step(progress, "matching", 0, 4);
    join_threads(trace);
    Collectives collectives = match_collectives(trace);
    out.unplaced_calls = collectives.unplaced;
    step(progress, "matching", 1, 4);
    out.tables.emplace_back("collectives", collectives_table(trace, collectives));
    out.tables.emplace_back("calls", calls_table(trace, collectives));
    out.tables.emplace_back("steps", steps_table(trace, collectives));
    step(progress, "matching", 2, 4);
    {
        Hops hops = match_hops(trace, collectives);
        out.unmatched_hops = hops.unmatched;
        out.tables.emplace_back("hops", hops_table(trace, hops));
        out.tables.emplace_back("trees", trees_table(trace, collectives, hops));
    }
    step(progress, "matching", 3, 4);
    Messages messages = match_messages(trace);
    out.unmatched_sends = messages.unmatched_sends;
    out.unmatched_receives = messages.unmatched_receives;
    out.tables.emplace_back("messages", messages.table);
    out.tables.emplace_back("intervals", intervals_table(trace));
    out.tables.emplace_back("ranks", ranks_table(trace));
    out.tables.emplace_back("comms", comms_table(trace)); /* last: matching numbers MPI_COMM_SELF */
    out.tables.emplace_back("clocks", clocks_table(trace));
    step(progress, "matching", 4, 4);
    return out;
}

/* What the run table needs of the archive; the rest is in run.json. */
nb::dict facts_of(const Conversion &conversion) {
    const Trace &trace = conversion.trace;
    nb::dict facts, properties;
    for (const auto &[name, value] : trace.definitions.properties)
        properties[name.c_str()] = nb::str(value.data(), value.size());
    uint64_t threads = 0;
    for (const LocationEvents &location : trace.locations)
        threads += location.events > 0;
    nb::dict stopped; /* rank -> why its recording has no end */
    for (size_t i = 0; i < trace.ranks->ranks.size(); i++) {
        const std::string &complete = trace.ranks->ranks[i].complete;
        if (!complete.empty() && complete != "yes")
            stopped[nb::int_(i)] = nb::str(complete.data(), complete.size());
    }
    facts["properties"] = properties;
    facts["creator"] = trace.definitions.creator;
    facts["events"] = trace.events;
    facts["threads"] = threads;
    facts["duration_ns"] = trace.ns(trace.last);
    facts["first_ticks"] = trace.first;
    facts["ticks_per_second"] = trace.definitions.ticks_per_second;
    facts["stopped"] = stopped;
    facts["unplaced_calls"] = conversion.unplaced_calls;
    facts["unmatched_hop_ends"] = conversion.unmatched_hops;
    facts["unmatched_sends"] = conversion.unmatched_sends;
    facts["unmatched_receives"] = conversion.unmatched_receives;
    return facts;
}

/* Waits for the worker, a tenth of a second at a time; between them progress is told and signals are looked at. */
void wait_for(std::thread &worker, std::mutex &lock, std::condition_variable &ended, const bool &done,
              Progress &progress, nb::object &callback) {
    bool over = false;
    try {
        while (!over) {
            {
                nb::gil_scoped_release release;
                std::unique_lock<std::mutex> held(lock);
                over = ended.wait_for(held, std::chrono::milliseconds(100), [&] { return done; });
            }
            if (PyErr_CheckSignals() != 0)
                throw nb::python_error();
            if (!callback.is_none())
                callback(progress.stage.load(), progress.done.load(), progress.total.load());
        }
    } catch (...) {
        progress.cancelled = true;
        nb::gil_scoped_release release;
        worker.join();
        throw;
    }
    nb::gil_scoped_release release;
    worker.join();
}

nb::tuple convert(const std::string &anchor, nb::object callback, int64_t batch_rows) {
    if (batch_rows < 1)
        throw nb::value_error("batch_rows must be at least 1");
    Progress progress;
    Conversion conversion;
    std::exception_ptr problem;
    std::mutex lock;
    std::condition_variable ended;
    bool done = false;
    std::thread worker([&] {
        try {
            conversion = convert_all(anchor, progress);
        } catch (...) {
            problem = std::current_exception();
        }
        std::lock_guard<std::mutex> held(lock);
        done = true;
        ended.notify_one();
    });
    wait_for(worker, lock, ended, done, progress, callback);
    if (problem)
        std::rethrow_exception(problem);
    nb::dict tables;
    for (auto &[name, table] : conversion.tables)
        tables[name] = ArrowTable{table, batch_rows};
    return nb::make_tuple(tables, facts_of(conversion));
}

nb::object stream_of(const ArrowTable &table, nb::object) {
    auto *stream = new ArrowArrayStream;
    export_stream(table.table, table.batch_rows, stream);
    return nb::steal(PyCapsule_New(stream, "arrow_array_stream", [](PyObject *capsule) {
        auto *it = static_cast<ArrowArrayStream *>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
        if (it->release)
            it->release(it);
        delete it;
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
    m.def("convert", &convert, nb::arg("anchor"), nb::arg("progress").none() = nb::none(),
          nb::arg("batch_rows") = kBatchRows,
          "convert(anchor, progress=None, batch_rows=4194304) -> (tables, facts)\n\n"
          "tables: name -> ArrowTable for every table of schemas/tables but run and path_stretches; facts: what the\n"
          "archive says about the run. progress(stage, done, total) is called ten times a second. The\n"
          "tables' streams come in batches of at most batch_rows rows.\n"
          "Raises ArchiveError naming the file and the first bad place.");
}
