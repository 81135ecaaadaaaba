/* Prints an inspection as JSON, see schemas/inspection.schema.json. */
#include <inttypes.h>
#include <string.h>

#include "assembly/functions.h"
#include "assembly/inspect.h"
#include "assembly/modules.h"
#include "assembly/run_json.h"
#include "hopscope/functions.h"

static void add_time(struct text *output, const struct inspection *inspection, const char *key, uint64_t ns) {
    text_add(output, ",\"%s\":%" PRIu64, key, ns > inspection->first_ns ? ns - inspection->first_ns : 0);
}

static void add_comm(struct text *output, uint32_t comm) {
    if (comm == NO_ID)
        text_add(output, ",\"comm\":null");
    else
        text_add(output, ",\"comm\":%" PRIu32, comm);
}

/* Adds a peer as a trace-wide rank, "any" or "nobody"; null if the communicator's members are unknown. member_index:
 * the index of the peer in the list of members. */
static void add_member(struct text *output, const struct inspection *inspection, uint32_t comm, uint32_t peer,
                       uint32_t member_index) {
    const struct comm *known_comm = comm == NO_ID ? NULL : &inspection->run.comms[comm];
    const char *word = peer == SPOOL_ANY ? "any" : peer == SPOOL_NOBODY ? "nobody" : NULL;
    if (word)
        text_add(output, ",\"peer\":\"%s\"", word);
    else if (known_comm && known_comm->members && member_index < (uint32_t)known_comm->size)
        text_add(output, ",\"peer\":%d", known_comm->members[member_index]);
    else
        text_add(output, ",\"peer\":null");
}

static void add_peer(struct text *output, const struct inspection *inspection, uint32_t comm, uint64_t peer_and_tag,
                     bool tag) {
    uint32_t peer = (uint32_t)(peer_and_tag >> 32);
    add_member(output, inspection, comm, peer, comm != NO_ID && inspection->run.comms[comm].inter ? NO_ID : peer);
    if (tag && (uint32_t)peer_and_tag == SPOOL_ANY)
        text_add(output, ",\"tag\":\"any\"");
    else if (tag)
        text_add(output, ",\"tag\":%" PRIu32, (uint32_t)peer_and_tag);
}

static void add_site(struct text *output, const struct run *run, const struct process *process, uint64_t id) {
    const struct site_definition *definition = id >= 1 && id <= process->site_count ? &process->sites[id - 1] : NULL;
    struct text site = {0};
    if (definition && is_known_site(definition))
        text_add_place(&site, &run->sites[definition->merged]);
    if (definition && definition->file && definition->line > 0)
        text_add(&site, ":%" PRId64, definition->line);
    text_add(output, ",\"site\":");
    text_add_quoted(output, site.bytes);
    text_add(output, ",\"symbol\":");
    text_add_quoted(output, definition ? definition->symbol : NULL);
    text_free(&site);
}

/* Adds the rank of a window for which a call waits, and whether it wants an exclusive lock there. */
static void add_target(struct text *output, const struct inspection *inspection, uint32_t comm,
                       const struct spool_record *call) {
    add_comm(output, comm);
    add_peer(output, inspection, comm, call->b, false);
    if (call->region == FUNCTION_MPI_Win_lock)
        text_add(output, ",\"exclusive\":%s", (uint32_t)call->b == SPOOL_LOCK_EXCLUSIVE ? "true" : "false");
}

static bool is_message_call(uint16_t function) {
    return function_role(function) == OTF2_REGION_ROLE_POINT2POINT;
}

/* Adds the call of an ENTER: its function, call site and peer. */
static void add_call(struct text *output, const struct inspection *inspection, const struct process *process,
                     const struct spool_record *call) {
    uint32_t comm = comm_of(process, call->comm);
    text_add(output, "\"function\":\"%s\"", function_name(call->region));
    add_site(output, &inspection->run, process, call->a);
    if (function_is_collective(call->region, call->comm)) {
        add_comm(output, comm);
        text_add(output, ",\"seq\":%" PRIu64, call->b);
    } else if (is_message_call(call->region) && comm != NO_ID) {
        add_comm(output, comm);
        add_peer(output, inspection, comm, call->b, true);
        if (call->c) {
            text_add(output, ",\"receive\":{\"kind\":\"receive\"");
            add_peer(output, inspection, comm, call->c, true);
            text_add(output, "}");
        }
    } else if (function_role(call->region) == OTF2_REGION_ROLE_RMA && comm != NO_ID) {
        add_target(output, inspection, comm, call);
    }
}

static void add_open(struct text *output, const struct inspection *inspection, const struct process *process,
                     const struct spool_record *record, uint64_t ns) {
    if (record->kind == SPOOL_COLLECTIVE_REQUEST) {
        text_add(output, "{\"kind\":\"collective\",\"function\":\"%s\",\"seq\":%" PRIu64, function_name(record->region),
                 record->b & (((uint64_t)1 << ARCHIVE_PERSISTENT_SHIFT) - 1));
        add_comm(output, comm_of(process, record->comm));
        add_time(output, inspection, "at_ns", ns);
        text_add(output, "}");
        return;
    }
    bool hop = record->kind >= SPOOL_HOP_ISEND;
    bool sends = record->kind == SPOOL_ISEND || record->kind == SPOOL_HOP_ISEND;
    uint32_t comm = comm_of(process, record->comm), tag = (uint32_t)record->a;
    text_add(output, "{\"kind\":\"%s\"", sends ? "send" : "receive");
    add_comm(output, comm);
    if (hop) {
        add_member(output, inspection, comm, (uint32_t)(record->a >> 32),
                   hop_peer_of(&inspection->run, process, record));
        bool has_tree = record->region >= 1 && record->region <= process->tree_count;
        const char *tree = has_tree ? process->trees[record->region - 1].text : NULL;
        /* The role of the MPI library's own messages is unknown here: the analysis derives it from the whole
         * collective. */
        bool native = tree && strncmp(tree, ARCHIVE_NATIVE, strlen(ARCHIVE_NATIVE)) == 0;
        uint32_t role = native ? ROLE_COUNT : hop_role_of(tag);
        text_add(output, ",\"role\":\"%s\",\"round\":%" PRIu32 ",\"segment\":%" PRIu32 ",\"tree\":",
                 role < ROLE_COUNT ? role_words[role] : "unknown", hop_round_of(tag), hop_segment_of(tag));
        text_add_quoted(output, tree);
    } else {
        add_peer(output, inspection, comm, record->a, true);
    }
    add_time(output, inspection, "at_ns", ns);
    text_add(output, "}");
}

static void add_thread(struct text *output, const struct inspection *inspection, const struct process *process,
                       const struct thread_state *thread) {
    text_add(output, "{\"thread\":%" PRIu32 ",\"records\":%zu,\"call\":", thread->thread, thread->records);
    if (thread->call.kind) {
        text_add(output, "{");
        add_call(output, inspection, process, &thread->call);
        add_time(output, inspection, "at_ns", thread->call_ns);
        text_add(output, "}");
    } else {
        text_add(output, "null");
    }
    text_add(output, ",\"last\":");
    if (thread->last.kind) {
        text_add(output, "{");
        add_call(output, inspection, process, &thread->last);
        add_time(output, inspection, "at_ns", thread->last_enter_ns);
        add_time(output, inspection, "left_ns", thread->last_leave_ns);
        text_add(output, "}");
    } else {
        text_add(output, "null");
    }
    if (thread->waits)
        add_time(output, inspection, "waits_ns", thread->wait_ns);
    else
        text_add(output, ",\"waits_ns\":null");
    text_add(output, ",\"open\":[");
    for (size_t i = 0; i < thread->open_count; i++) {
        text_add(output, i ? "," : "");
        add_open(output, inspection, process, &thread->open[i], thread->open_ns[i]);
    }
    text_add(output, "],\"locks\":[");
    for (size_t i = 0; i < thread->lock_count; i++) {
        text_add(output, i ? ",{" : "{");
        text_add(output, "\"function\":\"%s\"", function_name(thread->locks[i].region));
        add_target(output, inspection, comm_of(process, thread->locks[i].comm), &thread->locks[i]);
        text_add(output, "}");
    }
    text_add(output, "]}");
}

static const char *state_of(const struct process *process, const struct rank_state *rank) {
    if (!process->present)
        return "unknown";
    if (process->end_how)
        return process->end_how[0] == 'f' ? "finished" : "aborted";
    return rank->alive ? "running" : rank->is_observable ? "died" : "unknown";
}

static void add_rank(struct text *output, const struct inspection *inspection, int number) {
    const struct process *process = &inspection->run.processes[number];
    const struct rank_state *rank = &inspection->ranks[number];
    text_add(output,
             "{\"rank\":%d,\"world\":%" PRIu32 ",\"world_rank\":%d,\"state\":\"%s\",\"pid\":%" PRId64 ",\"host\":",
             number, process->world, process->world_rank, state_of(process, rank), process->pid);
    text_add_quoted(output, process->host ? process->host : process->clock_host);
    const char *stopped = NULL;
    for (size_t i = 0; i < process->spool_count; i++)
        if (process->spools[i].state == SPOOL_STOPPED)
            stopped = process->spools[i].stop_reason;
    text_add(output, ",\"recording_stopped\":");
    text_add_quoted(output, stopped);
    text_add(output, ",\"threads\":[");
    for (size_t i = 0; i < rank->thread_count; i++) {
        text_add(output, i ? "," : "");
        add_thread(output, inspection, process, &rank->threads[i]);
    }
    text_add(output, "],\"collectives\":[");
    for (size_t i = 0; i < rank->collective_count; i++) {
        const struct last_collective *c = &rank->collectives[i];
        text_add(output, "%s{\"comm\":%" PRIu32 ",\"seq\":%" PRIu64 ",\"function\":\"%s\",\"root\":", i ? "," : "",
                 c->comm, c->seq, function_name(c->function));
        text_add(output, c->root >= SPOOL_ROOT_THIS_GROUP ? "null" : "%" PRIu64, c->root);
        text_add(output, ",\"inside\":%s", c->is_open ? "true" : "false");
        add_time(output, inspection, "at_ns", c->enter_ns);
        text_add(output, "}");
    }
    text_add(output, "]}");
}

void inspection_json(const struct inspection *inspection, struct text *output) {
    text_add(output, "{\"schema_version\":1,\"now_ns\":");
    if (inspection->has_clock)
        text_add(output, "%" PRIu64, inspection->now_ns - inspection->first_ns);
    else
        text_add(output, "null");
    add_time(output, inspection, "last_ns", inspection->last_ns);
    int64_t started = run_started_ns(&inspection->run);
    if (started > 0)
        text_add(output, ",\"started_ns\":%" PRId64, started);
    else
        text_add(output, ",\"started_ns\":null");
    text_add(output, ",\"modules\":");
    modules_write(&inspection->run, output);
    text_add(output, ",\"comms\":[");
    for (size_t i = 0; i < inspection->run.comm_count; i++) {
        const struct comm *comm = &inspection->run.comms[i];
        text_add(output, "%s{\"comm\":%zu,\"name\":", i ? "," : "", i);
        text_add_quoted(output, comm->name);
        text_add(output, ",\"members\":[");
        for (int m = 0; comm->members && m < comm->size; m++)
            text_add(output, m ? ",%d" : "%d", comm->members[m]);
        text_add(output, "]}");
    }
    text_add(output, "],\"ranks\":[");
    for (int rank = 0; rank < inspection->run.rank_count; rank++) {
        text_add(output, rank ? "," : "");
        add_rank(output, inspection, rank);
    }
    text_add(output, "],\"missing\":[");
    for (size_t i = 0; i < inspection->run.missing.count; i++) {
        text_add(output, i ? "," : "");
        text_add_quoted(output, inspection->run.missing.items[i]);
    }
    text_add(output, "]}\n");
}
