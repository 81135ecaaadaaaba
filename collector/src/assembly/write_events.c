/* Turns one thread's records into OTF2 events. */
#include <stdlib.h>

#include "assembly/archive.h"
#include "assembly/functions.h"
#include "assembly/machine_clock.h"

struct writing {
    struct run *run;
    const struct process *process;
    const struct machine *machine;
    const struct spool_file *file;
    struct strings *strings;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    struct index_list open;               /* open begin records */
    size_t next_open_enter, next_refused; /* positions in the file's lists open_enters and refused */
    int64_t *next_seq;                    /* by communicator: the seq that a reader expects of the next collective */
    uint64_t last_ns, hops_since_enter;
    bool ok;
};

static void check(struct writing *w, OTF2_ErrorCode code) {
    w->ok = w->ok && code == OTF2_SUCCESS;
}

static uint32_t peer_of(const struct spool_record *record) {
    return (uint32_t)(record->a >> 32);
}

static uint32_t tag_of(const struct spool_record *record) {
    return (uint32_t)record->a;
}

/* The request's number in the archive. Its lowest bit is set if the hop ended a wait when it was complete. Both events
 * of the request need the same number, and the first is written before the completion is read. So survey.c has found
 * the bit in advance. */
static uint64_t hop_request(const struct writing *w, uint64_t request) {
    uint64_t id = request & ~SPOOL_WAITED;
    return archive_request(id, id_table_find(&w->file->waited, id) != NO_ID);
}

/* True for the ENTER of a blocking collective. */
static bool collective(const struct spool_record *record) {
    return record->kind == SPOOL_ENTER && function_is_collective(record->region, record->comm) &&
           !function_is_nonblocking(record->region);
}

static uint32_t root_of(uint64_t root) {
    switch (root) {
    case SPOOL_ROOT_NONE:
        return OTF2_COLLECTIVE_ROOT_NONE;
    case SPOOL_ROOT_SELF:
        return OTF2_COLLECTIVE_ROOT_SELF;
    case SPOOL_ROOT_THIS_GROUP:
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    default:
        return (uint32_t)root;
    }
}

/* The root of a collective, from the upper bits of its completion's c. As signed numbers, SPOOL_ROOT_* are -1, -2 and
 * -3. The shift keeps the sign, so these come out unchanged. */
static uint64_t root_above(uint64_t id_and_root) {
    return (uint64_t)((int64_t)id_and_root >> SPOOL_REQUEST_BITS) - 1;
}

static uint64_t id_below(uint64_t id_and_root) {
    return id_and_root & (((uint64_t)1 << SPOOL_REQUEST_BITS) - 1);
}

/* Counts a record whose communicator is unknown. */
static void count_omitted(struct writing *w, const struct spool_record *record) {
    if (is_unjoined(w->process, record->comm))
        w->run->records_unjoined++;
    else
        w->run->records_without_comm++;
}

static void push(struct writing *w, size_t index) {
    w->ok = index_list_add(&w->open, index) && w->ok;
}

static void enter(struct writing *w, size_t index, const struct spool_record *record, uint64_t ns) {
    bool never_left = index_list_has_next(&w->file->open_enters, &w->next_open_enter, index);
    bool refused = index_list_has_next(&w->file->refused, &w->next_refused, index);
    bool nonblocking = function_is_nonblocking(record->region);
    uint32_t comm = refused                                             ? NO_ID
                    : collective(record) || (nonblocking && never_left) ? comm_of(w->process, record->comm)
                                                                        : NO_ID;
    if (comm != NO_ID) {
        int64_t seq = (int64_t)record->b;
        if (seq != w->next_seq[comm] || never_left)
            check(w, OTF2_AttributeList_AddInt64(w->attributes, ATTRIBUTE_SEQ, seq));
        if (never_left)
            check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_COMM, comm));
        w->next_seq[comm] = seq + 1;
        w->hops_since_enter = 0;
    }
    check(w, OTF2_EvtWriter_Enter(w->writer, w->attributes, ns, region_of(w->run, w->process, record, refused)));
    if (comm != NO_ID && !nonblocking)
        check(w, OTF2_EvtWriter_MpiCollectiveBegin(w->writer, NULL, ns));
    else if (collective(record) && !refused)
        count_omitted(w, record);
    push(w, index);
}

/* The name of the algorithm that the MPI library ran; NULL if it is unknown. */
static const char *algorithm_of(const struct process *process, const struct spool_record *leave) {
    uint64_t id = leave ? leave->c >> SPOOL_ALGORITHM_AT : 0;
    return id >= 1 && id <= process->algorithm_count ? process->algorithms[id - 1].text : NULL;
}

static void add_text(struct writing *w, uint32_t attribute, const char *text) {
    if (text)
        check(w, OTF2_AttributeList_AddStringRef(w->attributes, attribute, string_id(w->strings, text)));
}

/* Adds the reason with this id to an event's attributes. False if there is no such reason. */
static bool add_reason(struct writing *w, uint64_t id) {
    if (id < 1 || id > w->process->reason_count)
        return false;
    const char *words = w->process->reasons[id - 1].text;
    struct text engine = {0};
    text_add(&engine, ARCHIVE_NATIVE "%s", words ? words : "unknown");
    add_text(w, ATTRIBUTE_ENGINE, engine.bytes);
    text_free(&engine);
    return true;
}

/* Ends a call. leave: the call's LEAVE; NULL if it has none and ends with an outer call. */
static void leave_call(struct writing *w, const struct spool_record *begin, const struct spool_record *leave,
                       uint64_t ns) {
    bool refused = leave && leave->c == SPOOL_REFUSED;
    uint32_t comm = collective(begin) && !refused ? comm_of(w->process, begin->comm) : NO_ID;
    if (comm != NO_ID) {
        check(w, OTF2_EvtWriter_MpiCollectiveEnd(w->writer, NULL, ns, function_collective_op(begin->region), comm,
                                                 root_of(begin->c), leave ? leave->a : 0, leave ? leave->b : 0));
        if (leave && !add_reason(w, leave->comm) && leave->c == 1 && w->hops_since_enter == 0)
            add_text(w, ATTRIBUTE_ENGINE, source_words[SOURCE_TREE]);
        add_text(w, ATTRIBUTE_ALGORITHM, algorithm_of(w->process, leave));
    }
    check(w, OTF2_EvtWriter_Leave(w->writer, w->attributes, ns, region_of(w->run, w->process, begin, refused)));
}

static uint32_t inner_region(const struct writing *w, const struct spool_record *begin) {
    if (begin->kind == SPOOL_REGION_BEGIN)
        return region_of(w->run, w->process, begin, false);
    enum own_region collector_region = OWN_OVERHEAD;
    if (begin->kind == SPOOL_WAIT_BEGIN)
        collector_region = OWN_HOP_WAIT;
    else if (begin->kind == SPOOL_IDLE_BEGIN)
        collector_region = OWN_IDLE;
    else if (begin->kind == SPOOL_JOIN_BEGIN)
        collector_region = OWN_JOIN;
    else if (begin->kind == SPOOL_STEP_BEGIN)
        collector_region = begin->region == SPOOL_STEP_COPY ? OWN_COPY : OWN_COMBINE;
    return (uint32_t)w->run->region_count + collector_region;
}

/* Begins a region that is not an MPI call: a wait, step, overhead or user region. */
static void begin_inner(struct writing *w, size_t index, const struct spool_record *record, uint64_t ns) {
    check(w, OTF2_EvtWriter_Enter(w->writer, NULL, ns, inner_region(w, record)));
    push(w, index);
}

/* Ends everything that is open from this depth of the stack on. `record` is the end of the outermost of these. */
static void end_from(struct writing *w, size_t depth, const struct spool_record *record, uint64_t ns) {
    while (w->open.count > depth) {
        struct spool_record begin = first_of(&w->file->stored[w->open.items[--w->open.count]]);
        if (begin.kind == SPOOL_ENTER)
            leave_call(w, &begin, w->open.count == depth ? record : NULL, ns);
        else
            check(w, OTF2_EvtWriter_Leave(w->writer, NULL, ns, inner_region(w, &begin)));
    }
}

/* Ends a call, wait, step or overhead, together with everything still open inside it. */
static void end_of(struct writing *w, const struct spool_record *record, uint64_t ns) {
    size_t depth = depth_after(w->file, &w->open, record);
    if (depth == SIZE_MAX)
        w->run->leaves_without_enter++;
    else
        end_from(w, depth, record, ns);
}

static void message(struct writing *w, const struct spool_record *record, uint64_t ns) {
    bool hop = record->kind >= SPOOL_HOP_ISEND;
    uint32_t comm_id = comm_of(w->process, record->comm);
    uint32_t comm = comm_id;
    if (hop && comm_id != NO_ID) {
        uint32_t shadow = shadow_of(w->run, w->process, record);
        comm = shadow == NO_ID ? NO_ID : (uint32_t)w->run->comm_count + shadow;
    }
    const struct comm *members = comm_id == NO_ID ? NULL : &w->run->comms[comm_id];
    bool ungrouped = members && members->inter && members->first_group == 0;
    int size = !members ? 0 : members->self ? 1 : members->size;
    if (ungrouped) {
        w->run->records_ungrouped++;
        return;
    }
    uint32_t peer = hop ? hop_peer_of(w->run, w->process, record) : peer_of(record), tag = tag_of(record);
    if (comm == NO_ID || peer >= (uint32_t)size) {
        count_omitted(w, record);
        return;
    }
    w->hops_since_enter += hop;
    uint64_t request = hop ? hop_request(w, record->c) : archive_request(record->c, false);
    switch (record->kind) {
    case SPOOL_SEND:
        check(w, OTF2_EvtWriter_MpiSend(w->writer, NULL, ns, peer, comm, tag, record->b));
        break;
    case SPOOL_RECV:
        check(w, OTF2_EvtWriter_MpiRecv(w->writer, NULL, ns, peer, comm, tag, record->b));
        break;
    case SPOOL_ISEND:
    case SPOOL_HOP_ISEND:
        check(w, OTF2_EvtWriter_MpiIsend(w->writer, NULL, ns, peer, comm, tag, record->b, request));
        break;
    default:
        check(w, OTF2_EvtWriter_MpiIrecv(w->writer, NULL, ns, peer, comm, tag, record->b, request));
        break;
    }
}

/* Writes a collective's request. A nonblocking collective's request lies inside its call. A persistent collective's
 * request lies in MPI_Start, so its function is written too. */
static void collective_request(struct writing *w, const struct spool_record *record, uint64_t ns) {
    uint32_t comm = comm_of(w->process, record->comm);
    int64_t seq = (int64_t)record->b;
    if (comm == NO_ID) {
        count_omitted(w, record);
        return;
    }
    check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_COMM, comm));
    if (function_is_nonblocking(record->region)) {
        if (seq != w->next_seq[comm])
            check(w, OTF2_AttributeList_AddInt64(w->attributes, ATTRIBUTE_SEQ, seq));
        w->next_seq[comm] = seq + 1;
    } else {
        check(w, OTF2_AttributeList_AddInt64(w->attributes, ATTRIBUTE_SEQ, seq));
        check(w, OTF2_AttributeList_AddRegionRef(w->attributes, ATTRIBUTE_FUNCTION,
                                                 region_of(w->run, w->process, record, false)));
    }
    add_reason(w, record->a >> SPOOL_REASON_AT);
    check(w,
          OTF2_EvtWriter_NonBlockingCollectiveRequest(w->writer, w->attributes, ns, archive_request(record->c, false)));
}

static void collective_complete(struct writing *w, const struct spool_record *record, uint64_t ns) {
    uint32_t comm = comm_of(w->process, record->comm);
    if (comm != NO_ID)
        check(w, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                     w->writer, NULL, ns, function_collective_op(record->region), comm, root_of(root_above(record->c)),
                     record->a, record->b, archive_request(id_below(record->c), false)));
}

static void write_measurement_mode(struct writing *w, const struct spool_record *record, OTF2_MeasurementMode mode,
                                   uint64_t ns) {
    check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_GAP, (uint32_t)record->a));
    check(w, OTF2_EvtWriter_MeasurementOnOff(w->writer, w->attributes, ns, mode));
}

static void skipped(struct writing *w, const struct spool_record *record, enum parameter parameter, uint64_t count,
                    uint64_t ns) {
    uint32_t comm = comm_of(w->process, record->comm);
    if (count == 0 || comm == NO_ID)
        return;
    check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_COMM, comm));
    check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_PEER, peer_of(record)));
    check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_TAG, tag_of(record)));
    if (record->c & SPOOL_IN_GAP)
        check(w, OTF2_AttributeList_AddUint32(w->attributes, ATTRIBUTE_GAP, (uint32_t)record->c));
    else
        check(w, OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_REQUEST, archive_request(record->c, false)));
    check(w, OTF2_EvtWriter_ParameterUnsignedInt(w->writer, w->attributes, ns, parameter, count));
}

/* Writes one record. index: its position in the file, or that of the whole call from which it was expanded. */
static void write_record(struct writing *w, size_t index, const struct spool_record *record) {
    uint64_t ns = machine_clock_ns(w->machine, record->ticks);
    /* Times must not decrease. Times before the first calibration pair may all become 0. */
    ns = ns < w->last_ns ? w->last_ns : ns;
    w->last_ns = ns;
    switch (record->kind) {
    case SPOOL_ENTER:
        enter(w, index, record, ns);
        break;
    case SPOOL_IDLE_BEGIN:
        end_from(w, 0, NULL, ns);
        begin_inner(w, index, record, ns);
        break;
    case SPOOL_WAIT_BEGIN:
    case SPOOL_STEP_BEGIN:
    case SPOOL_OVERHEAD_BEGIN:
    case SPOOL_JOIN_BEGIN:
    case SPOOL_REGION_BEGIN:
        begin_inner(w, index, record, ns);
        break;
    case SPOOL_LEAVE:
    case SPOOL_WAIT_END:
    case SPOOL_STEP_END:
    case SPOOL_OVERHEAD_END:
    case SPOOL_IDLE_END:
    case SPOOL_JOIN_END:
    case SPOOL_REGION_END:
        end_of(w, record, ns);
        break;
    case SPOOL_SEND:
    case SPOOL_RECV:
    case SPOOL_ISEND:
    case SPOOL_IRECV:
    case SPOOL_HOP_ISEND:
    case SPOOL_HOP_IRECV:
        message(w, record, ns);
        break;
    case SPOOL_ISEND_COMPLETE:
        check(w, OTF2_EvtWriter_MpiIsendComplete(w->writer, NULL, ns, archive_request(record->c, false)));
        break;
    case SPOOL_HOP_ISEND_COMPLETE:
        check(w, OTF2_EvtWriter_MpiIsendComplete(w->writer, NULL, ns, hop_request(w, record->c)));
        break;
    case SPOOL_IRECV_POST:
        check(w, OTF2_EvtWriter_MpiIrecvRequest(w->writer, NULL, ns, archive_request(record->c, false)));
        break;
    case SPOOL_HOP_IRECV_POST:
        check(w, OTF2_EvtWriter_MpiIrecvRequest(w->writer, NULL, ns, hop_request(w, record->c)));
        break;
    case SPOOL_COLLECTIVE_REQUEST:
        collective_request(w, record, ns);
        break;
    case SPOOL_COLLECTIVE_COMPLETE:
        collective_complete(w, record, ns);
        break;
    case SPOOL_TRANSFER:
    case SPOOL_TRANSFER_COMPLETE:
        check(w, write_transfer(w->run, w->process, record, w->writer, ns));
        break;
    case SPOOL_OFF:
        write_measurement_mode(w, record, OTF2_MEASUREMENT_OFF, ns);
        break;
    case SPOOL_ON:
        write_measurement_mode(w, record, OTF2_MEASUREMENT_ON, ns);
        break;
    case SPOOL_SKIPPED:
        skipped(w, record, PARAMETER_SENDS_SKIPPED, record->b >> 32, ns);
        skipped(w, record, PARAMETER_RECEIVES_SKIPPED, record->b & UINT32_MAX, ns);
        break;
    case SPOOL_REQUEST_CANCELLED:
        check(w, OTF2_EvtWriter_MpiRequestCancelled(w->writer, NULL, ns, archive_request(record->c, false)));
        break;
    default:
        w->run->records_unknown++;
        break;
    }
}

bool write_events(struct run *run, const struct process *process, struct spool_file *file, OTF2_EvtWriter *writer,
                  struct strings *strings, struct progress *progress) {
    enum { REPORT_EVERY = 1 << 16 };
    struct writing w = {.run = run,
                        .process = process,
                        .machine = &run->machines[process->machine],
                        .file = file,
                        .strings = strings,
                        .writer = writer,
                        .attributes = OTF2_AttributeList_New(),
                        .next_seq = calloc(run->comm_count + 1, sizeof(int64_t)),
                        .ok = true};
    w.ok = w.attributes && w.next_seq;
    for (size_t i = 0; i < file->count && w.ok; i++) {
        struct spool_record records[MAX_STORED_RECORDS];
        size_t count = records_of(&file->stored[i], records);
        for (size_t r = 0; r < count; r++)
            write_record(&w, i, &records[r]);
        if (progress->report && i % REPORT_EVERY == REPORT_EVERY - 1)
            progress->report(progress->context, progress->done + i * sizeof(struct spool_record), progress->total);
    }
    progress->done += file->count * sizeof(struct spool_record);
    if (progress->report)
        progress->report(progress->context, progress->done, progress->total);
    uint64_t events = 0;
    check(&w, OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
    file->events_written = events;
    run->events += events;
    if (w.attributes)
        OTF2_AttributeList_Delete(w.attributes);
    free(w.next_seq);
    index_list_free(&w.open);
    return w.ok;
}
