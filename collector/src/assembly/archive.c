/* Creates the archive and writes one location after another, so that only one chunk of events is in memory. */
#include "assembly/archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "assembly/run_json.h"

/* The first error that libotf2 reported. We put it into our own message, and keep libotf2 from printing it. */
struct complaint {
    char text[200];
};

static OTF2_ErrorCode save_complaint(void *data, const char *file, uint64_t line, const char *function,
                                     OTF2_ErrorCode code, const char *format, va_list arguments) {
    (void)file, (void)line, (void)function;
    struct complaint *complaint = data;
    if (code != OTF2_SUCCESS && code != OTF2_WARNING && !complaint->text[0]) {
        int used = snprintf(complaint->text, sizeof complaint->text, "%s: ", OTF2_Error_GetDescription(code));
        if (used > 0 && (size_t)used < sizeof complaint->text)
            vsnprintf(complaint->text + used, sizeof complaint->text - (size_t)used, format, arguments);
    }
    return code;
}

static OTF2_FlushType flush_when_full(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                      bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush_when_full};

static bool write_location(struct run *run, OTF2_Archive *archive, const struct process *process,
                           struct spool_file *file, struct strings *strings, struct progress *progress) {
    OTF2_LocationRef location = location_of(process->rank, file ? file->thread : 0);
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, location);
    if (!events)
        return false;
    bool ok = !file || !process->present || write_events(run, process, file, events, strings, progress);
    if (file)
        spool_file_rest(file);
    return OTF2_Archive_CloseEvtWriter(archive, events) == OTF2_SUCCESS && ok;
}

static bool write_offset(OTF2_DefWriter *writer, int64_t at_ns, const struct clock_measurement *m) {
    return OTF2_DefWriter_WriteClockOffset(writer, (uint64_t)at_ns, m->offset_ns, (double)m->error_ns) == OTF2_SUCCESS;
}

/* Writes the local definitions that map this machine's clock to the reference machine's. libotf2's readers ignore a
 * single definition, so if there is only one measurement, it is written twice: the second time for the last event. */
static bool write_clock_offsets(const struct run *run, OTF2_Archive *archive, const struct process *process,
                                uint32_t thread) {
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location_of(process->rank, thread));
    if (!writer)
        return false;
    bool ok = true;
    if (process->machine != NO_ID && run->machines[process->machine].measurement_count > 0) {
        const struct machine *machine = &run->machines[process->machine];
        const struct clock_measurement *last = NULL;
        int written = 0;
        for (size_t i = 0; i < machine->measurement_count; i++) {
            const struct clock_measurement *m = &machine->measurements[i];
            if (last && m->at_ns == last->at_ns)
                continue;
            ok = write_offset(writer, m->at_ns, m) && ok;
            last = m;
            written++;
        }
        if (written == 1) {
            int64_t end = machine->last_ns > (uint64_t)last->at_ns ? (int64_t)machine->last_ns : last->at_ns + 1;
            ok = write_offset(writer, end, last) && ok;
        }
    }
    return OTF2_Archive_CloseDefWriter(archive, writer) == OTF2_SUCCESS && ok;
}

/* Writes every location: each recorded thread, and the first thread of every rank even if it has no records. events:
 * writes the events, otherwise the local definitions. */
static bool for_all_locations(struct run *run, OTF2_Archive *archive, bool events, struct strings *strings,
                              struct progress *progress) {
    bool ok = true;
    for (int rank = 0; rank < run->rank_count && ok; rank++) {
        struct process *process = &run->processes[rank];
        bool has_first = false;
        for (size_t i = 0; i < process->spool_count && ok; i++) {
            struct spool_file *file = &process->spools[i];
            has_first = has_first || file->thread == 0;
            ok = events ? write_location(run, archive, process, file, strings, progress)
                        : write_clock_offsets(run, archive, process, file->thread);
        }
        if (ok && !has_first)
            ok = events ? write_location(run, archive, process, NULL, strings, progress)
                        : write_clock_offsets(run, archive, process, 0);
    }
    return ok;
}

static void report_omitted_records(struct run *run) {
    if (run->records_without_comm)
        sentences_add(&run->missing, "%llu message(s) and collectives on communicators that were never defined",
                      (unsigned long long)run->records_without_comm);
    if (run->records_unjoined)
        sentences_add(
            &run->missing,
            "%llu message(s) and collectives on communicators shared with processes that could not be identified",
            (unsigned long long)run->records_unjoined);
    if (run->records_ungrouped)
        sentences_add(&run->missing, "%llu message(s) on intercommunicators whose groups are unknown",
                      (unsigned long long)run->records_ungrouped);
    if (run->records_unknown)
        sentences_add(&run->missing,
                      "%llu record(s) of an unknown kind (the spool is damaged or was written by another version)",
                      (unsigned long long)run->records_unknown);
    if (run->leaves_without_enter)
        sentences_add(&run->missing, "%llu call(s) whose beginning was not recorded",
                      (unsigned long long)run->leaves_without_enter);
}

static bool write_all(struct run *run, OTF2_Archive *archive, struct progress *progress, struct text *run_json) {
    struct strings strings = {.writer = OTF2_Archive_GetGlobalDefWriter(archive)};
    bool ok = strings.writer && OTF2_Archive_OpenEvtFiles(archive) == OTF2_SUCCESS && string_id(&strings, "") == 0 &&
              for_all_locations(run, archive, true, &strings, progress) &&
              OTF2_Archive_CloseEvtFiles(archive) == OTF2_SUCCESS;
    ok = ok && OTF2_Archive_OpenDefFiles(archive) == OTF2_SUCCESS &&
         for_all_locations(run, archive, false, &strings, progress) &&
         OTF2_Archive_CloseDefFiles(archive) == OTF2_SUCCESS;
    ok = ok && write_definitions(run, strings.writer, &strings);
    if (ok) {
        report_omitted_records(run);
        run_json_write(run, run_json);
        ok = !run_json->failed &&
             OTF2_Archive_SetProperty(archive, ARCHIVE_PROPERTY_VERSION, HOPSCOPE_VERSION, true) == OTF2_SUCCESS &&
             OTF2_Archive_SetProperty(archive, ARCHIVE_PROPERTY_FORMAT, ARCHIVE_FORMAT, true) == OTF2_SUCCESS &&
             OTF2_Archive_SetProperty(archive, ARCHIVE_PROPERTY_RUN, run_json->bytes, true) == OTF2_SUCCESS &&
             OTF2_Archive_SetCreator(archive, "Hopscope " HOPSCOPE_VERSION) == OTF2_SUCCESS;
    }
    strings_free(&strings);
    return ok;
}

/* Uses the smallest event chunks that OTF2 allows. A reader of the whole archive keeps one chunk of each location in
 * memory, and there may be thousands of locations. */
bool archive_write(struct run *run, const char *directory, struct progress *progress, struct text *run_json,
                   char *message, size_t capacity) {
    enum { DEFINITION_CHUNK_BYTES = 4 << 20 };
    struct complaint complaint = {0};
    OTF2_Error_RegisterCallback(save_complaint, &complaint);
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                              DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    bool ok = archive && OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL) == OTF2_SUCCESS &&
              OTF2_Archive_SetSerialCollectiveCallbacks(archive) == OTF2_SUCCESS &&
              write_all(run, archive, progress, run_json);
    if (archive)
        ok = OTF2_Archive_Close(archive) == OTF2_SUCCESS && ok;
    OTF2_Error_RegisterCallback(NULL, NULL);
    /* If the disk is too full for the last definitions, libotf2 reports an error, but closing the archive succeeds
     * (seen in 3.0). */
    ok = ok && !complaint.text[0];
    if (!ok)
        snprintf(message, capacity, "cannot write the archive to %s: %s", directory,
                 complaint.text[0] ? complaint.text : "out of memory");
    return ok;
}
