/* Prints an inspection as JSON: schemas/inspection.schema.json. */
#include <inttypes.h>
#include <string.h>

#include "assembly/functions.h"
#include "assembly/inspect.h"
#include "assembly/modules.h"
#include "assembly/run_json.h"

static void add_time(struct text *out, const struct inspection *in, const char *key, uint64_t ns) {
    text_add(out, ",\"%s\":%" PRIu64, key, ns > in->first_ns ? ns - in->first_ns : 0);
}

static void add_comm(struct text *out, uint32_t comm) {
    if (comm == NO_ID)
        text_add(out, ",\"comm\":null");
    else
        text_add(out, ",\"comm\":%" PRIu32, comm);
}

/* A peer as trace-wide rank, "any" or "nobody"; null where its communicator's members are unknown. place: among these.
 */
static void add_member(struct text *out, const struct inspection *in, uint32_t comm, uint32_t peer, uint32_t place) {
    const struct comm *known = comm == NO_ID ? NULL : &in->run.comms[comm];
    const char *word = peer == SPOOL_ANY ? "any" : peer == SPOOL_NOBODY ? "nobody" : NULL;
    if (word)
        text_add(out, ",\"peer\":\"%s\"", word);
    else if (known && known->members && place < (uint32_t)known->size)
        text_add(out, ",\"peer\":%d", known->members[place]);
    else
        text_add(out, ",\"peer\":null");
}

static void add_peer(struct text *out, const struct inspection *in, uint32_t comm, uint64_t peer_and_tag, bool tag) {
    uint32_t peer = (uint32_t)(peer_and_tag >> 32);
    add_member(out, in, comm, peer, comm != NO_ID && in->run.comms[comm].inter ? NO_ID : peer);
    if (tag && (uint32_t)peer_and_tag == SPOOL_ANY)
        text_add(out, ",\"tag\":\"any\"");
    else if (tag)
        text_add(out, ",\"tag\":%" PRIu32, (uint32_t)peer_and_tag);
}

static void add_site(struct text *out, const struct process *process, uint64_t id) {
    const struct site_definition *its = id >= 1 && id <= process->site_count ? &process->sites[id - 1] : NULL;
    struct text site = {0};
    if (its && its->module)
        text_add(&site, "%s+0x%" PRIx64, its->module, its->offset);
    else if (its && its->file && its->line > 0)
        text_add(&site, "%s:%" PRId64, its->file, its->line);
    else if (its && its->file)
        text_add(&site, "%s", its->file);
    text_add(out, ",\"site\":");
    text_add_quoted(out, site.bytes);
    text_add(out, ",\"symbol\":");
    text_add_quoted(out, its ? its->symbol : NULL);
    text_free(&site);
}

static bool is_message_call(uint16_t function) {
    return function_role(function) == OTF2_REGION_ROLE_POINT2POINT;
}

/* From the call's ENTER: what it is, its call site and its peer. */
static void add_call(struct text *out, const struct inspection *in, const struct process *process,
                     const struct spool_record *call) {
    uint32_t comm = comm_of(process, call->comm);
    text_add(out, "\"function\":\"%s\"", function_name(call->region));
    add_site(out, process, call->a);
    if (function_is_collective(call->region)) {
        add_comm(out, comm);
        text_add(out, ",\"seq\":%" PRIu64, call->b);
    } else if (is_message_call(call->region) && comm != NO_ID) {
        add_comm(out, comm);
        add_peer(out, in, comm, call->b, true);
        if (call->c) {
            text_add(out, ",\"receive\":{\"kind\":\"receive\"");
            add_peer(out, in, comm, call->c, true);
            text_add(out, "}");
        }
    }
}

static void add_open(struct text *out, const struct inspection *in, const struct process *process,
                     const struct spool_record *record, uint64_t ns) {
    if (record->kind == SPOOL_COLLECTIVE_REQUEST) {
        text_add(out, "{\"kind\":\"collective\",\"function\":\"%s\",\"seq\":%" PRIu64, function_name(record->region),
                 record->b & (((uint64_t)1 << ARCHIVE_PERSISTENT_SHIFT) - 1));
        add_comm(out, comm_of(process, record->comm));
        add_time(out, in, "at_ns", ns);
        text_add(out, "}");
        return;
    }
    bool hop = record->kind >= SPOOL_HOP_ISEND;
    bool sends = record->kind == SPOOL_ISEND || record->kind == SPOOL_HOP_ISEND;
    uint32_t comm = comm_of(process, record->comm), tag = (uint32_t)record->a;
    text_add(out, "{\"kind\":\"%s\"", sends ? "send" : "receive");
    add_comm(out, comm);
    if (hop) {
        add_member(out, in, comm, (uint32_t)(record->a >> 32), hop_peer_of(&in->run, process, record));
        bool named = record->region >= 1 && record->region <= process->tree_count;
        const char *tree = named ? process->trees[record->region - 1].text : NULL;
        /* The role of the MPI library's own messages is recognised later, from all of a collective. */
        bool native = tree && strncmp(tree, ARCHIVE_NATIVE, strlen(ARCHIVE_NATIVE)) == 0;
        uint32_t role = native ? ROLE_COUNT : hop_role_of(tag);
        text_add(out, ",\"role\":\"%s\",\"round\":%" PRIu32 ",\"segment\":%" PRIu32 ",\"tree\":",
                 role < ROLE_COUNT ? role_words[role] : "unknown", hop_round_of(tag), hop_segment_of(tag));
        text_add_quoted(out, tree);
    } else {
        add_peer(out, in, comm, record->a, true);
    }
    add_time(out, in, "at_ns", ns);
    text_add(out, "}");
}

static void add_thread(struct text *out, const struct inspection *in, const struct process *process,
                       const struct thread_place *place) {
    text_add(out, "{\"thread\":%" PRIu32 ",\"records\":%zu,\"call\":", place->thread, place->records);
    if (place->call.kind) {
        text_add(out, "{");
        add_call(out, in, process, &place->call);
        add_time(out, in, "at_ns", place->call_ns);
        text_add(out, "}");
    } else {
        text_add(out, "null");
    }
    text_add(out, ",\"last\":");
    if (place->last.kind) {
        text_add(out, "{");
        add_call(out, in, process, &place->last);
        add_time(out, in, "at_ns", place->last_enter_ns);
        add_time(out, in, "left_ns", place->last_leave_ns);
        text_add(out, "}");
    } else {
        text_add(out, "null");
    }
    if (place->waits)
        add_time(out, in, "waits_ns", place->wait_ns);
    else
        text_add(out, ",\"waits_ns\":null");
    text_add(out, ",\"open\":[");
    for (size_t i = 0; i < place->open_count; i++) {
        text_add(out, i ? "," : "");
        add_open(out, in, process, &place->open[i], place->open_ns[i]);
    }
    text_add(out, "]}");
}

static const char *state_of(const struct process *process, const struct rank_place *rank) {
    if (!process->present)
        return "unknown";
    if (process->end_how)
        return process->end_how[0] == 'f' ? "finished" : "aborted";
    return rank->alive ? "running" : rank->known ? "died" : "unknown";
}

static void add_rank(struct text *out, const struct inspection *in, int number) {
    const struct process *process = &in->run.processes[number];
    const struct rank_place *rank = &in->ranks[number];
    text_add(out, "{\"rank\":%d,\"world\":%" PRIu32 ",\"world_rank\":%d,\"state\":\"%s\",\"pid\":%" PRId64 ",\"host\":",
             number, process->world, process->world_rank, state_of(process, rank), process->pid);
    text_add_quoted(out, process->host ? process->host : process->clock_host);
    const char *stopped = NULL;
    for (size_t i = 0; i < process->spool_count; i++)
        if (process->spools[i].state == SPOOL_STOPPED)
            stopped = process->spools[i].stop_reason;
    text_add(out, ",\"recording_stopped\":");
    text_add_quoted(out, stopped);
    text_add(out, ",\"threads\":[");
    for (size_t i = 0; i < rank->thread_count; i++) {
        text_add(out, i ? "," : "");
        add_thread(out, in, process, &rank->threads[i]);
    }
    text_add(out, "],\"collectives\":[");
    for (size_t i = 0; i < rank->collective_count; i++) {
        const struct last_collective *c = &rank->collectives[i];
        text_add(out, "%s{\"comm\":%" PRIu32 ",\"seq\":%" PRIu64 ",\"function\":\"%s\",\"root\":", i ? "," : "",
                 c->comm, c->seq, function_name(c->function));
        text_add(out, c->root >= SPOOL_ROOT_THIS_GROUP ? "null" : "%" PRIu64, c->root);
        text_add(out, ",\"inside\":%s", c->inside ? "true" : "false");
        add_time(out, in, "at_ns", c->enter_ns);
        text_add(out, "}");
    }
    text_add(out, "]}");
}

void inspection_json(const struct inspection *in, struct text *out) {
    text_add(out, "{\"schema_version\":1,\"now_ns\":");
    if (in->has_now)
        text_add(out, "%" PRIu64, in->now_ns - in->first_ns);
    else
        text_add(out, "null");
    add_time(out, in, "last_ns", in->last_ns);
    int64_t started = run_started_ns(&in->run);
    if (started > 0)
        text_add(out, ",\"started_ns\":%" PRId64, started);
    else
        text_add(out, ",\"started_ns\":null");
    text_add(out, ",\"modules\":");
    modules_write(&in->run, out);
    text_add(out, ",\"comms\":[");
    for (size_t i = 0; i < in->run.comm_count; i++) {
        const struct comm *comm = &in->run.comms[i];
        text_add(out, "%s{\"comm\":%zu,\"name\":", i ? "," : "", i);
        text_add_quoted(out, comm->name);
        text_add(out, ",\"members\":[");
        for (int m = 0; comm->members && m < comm->size; m++)
            text_add(out, m ? ",%d" : "%d", comm->members[m]);
        text_add(out, "]}");
    }
    text_add(out, "],\"ranks\":[");
    for (int rank = 0; rank < in->run.rank_count; rank++) {
        text_add(out, rank ? "," : "");
        add_rank(out, in, rank);
    }
    text_add(out, "],\"missing\":[");
    for (size_t i = 0; i < in->run.missing.count; i++) {
        text_add(out, i ? "," : "");
        text_add_quoted(out, in->run.missing.items[i]);
    }
    text_add(out, "]}\n");
}
