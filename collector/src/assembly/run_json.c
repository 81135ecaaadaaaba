#include "assembly/run_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "assembly/modules.h"
#include "json/json.h"

/* A field of the lowest rank that has a value. */
#define FIRST_TEXT(run, field) first_text(run, offsetof(struct process, field))

static const char *first_text(const struct run *run, size_t offset) {
    for (int rank = 0; rank < run->rank_count; rank++) {
        char *const *field = (const void *)((const char *)&run->processes[rank] + offset);
        if (*field)
            return *field;
    }
    return NULL;
}

/* Uses a decimal point in every locale. */
static void add_real(struct text *out, const char *format, double value) {
    char digits[64];
    snprintf(digits, sizeof digits, format, value);
    for (char *c = digits; *c; c++)
        if (!strchr("0123456789+-e", *c))
            *c = '.';
    text_add(out, "%s", digits);
}

static void add_member(struct text *out, const char *key) {
    text_add(out, "%s\n  \"%s\": ", out->length > 1 ? "," : "", key);
}

static void add_text(struct text *out, const char *key, const char *value) {
    add_member(out, key);
    text_add_quoted(out, value);
}

static void add_number(struct text *out, const char *key, uint64_t value) {
    add_member(out, key);
    text_add(out, "%llu", (unsigned long long)value);
}

int64_t run_started_ns(const struct run *run) {
    int64_t started = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        int64_t at = run->processes[rank].started_ns;
        if (at > 0 && (started == 0 || at < started))
            started = at;
    }
    return started;
}

static void add_started(struct text *out, const struct run *run) {
    int64_t started = run_started_ns(run);
    time_t seconds = (time_t)(started / 1000000000);
    struct tm utc;
    if (started == 0 || !gmtime_r(&seconds, &utc)) {
        add_text(out, "started_at", NULL);
        return;
    }
    char at[80];
    snprintf(at, sizeof at, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
             utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(started % 1000000000));
    add_text(out, "started_at", at);
}

/* Distinct names in rank order, as a JSON array. */
static void add_names(struct text *out, const char *key, const struct run *run, size_t offset) {
    add_member(out, key);
    text_add(out, "[");
    bool any = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        char *const *name = (const void *)((const char *)&run->processes[rank] + offset);
        bool seen = !*name;
        for (int before = 0; before < rank && !seen; before++) {
            char *const *other = (const void *)((const char *)&run->processes[before] + offset);
            seen = *other && strcmp(*name, *other) == 0;
        }
        if (seen)
            continue;
        text_add(out, any ? ", " : "");
        text_add_quoted(out, *name);
        any = true;
    }
    text_add(out, "]");
}

static void add_json(struct text *out, const struct json *value) {
    switch (value->type) {
    case JSON_NULL:
        text_add(out, "null");
        break;
    case JSON_BOOL:
        text_add(out, value->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        if (value->is_integer)
            text_add(out, "%lld", (long long)value->integer);
        else
            add_real(out, "%.17g", value->number);
        break;
    case JSON_STRING:
        text_add_quoted(out, value->string);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        text_add(out, value->type == JSON_ARRAY ? "[" : "{");
        for (size_t i = 0; i < value->length; i++) {
            text_add(out, i ? ", " : "");
            if (value->keys) {
                text_add_quoted(out, value->keys[i]);
                text_add(out, ": ");
            }
            add_json(out, &value->items[i]);
        }
        text_add(out, value->type == JSON_ARRAY ? "]" : "}");
        break;
    }
}

/* What the topology file emulates, if the run's engine could emulate; otherwise hops were not delayed. */
static void add_emulated(struct text *out, const char *topology, const char *mode) {
    struct json *value = topology ? json_parse(topology, strlen(topology), NULL) : NULL;
    const struct json *emulate = json_get(value, "emulate");
    add_member(out, "emulated");
    if (emulate && emulate->type == JSON_OBJECT && emulate->length && mode && strcmp(mode, "tree") == 0)
        add_json(out, emulate);
    else
        text_add(out, "null");
    json_free(value);
}

/* {"name", "text"} of the tree file. */
static void add_tree(struct text *out, const char *tree) {
    struct json *value = tree ? json_parse(tree, strlen(tree), NULL) : NULL;
    const struct json *name = json_get(value, "name");
    add_text(out, "tree_name", name && name->type == JSON_STRING ? name->string : NULL);
    add_text(out, "tree_file", tree);
    json_free(value);
}

const char *const native_count_names[] = {
#define NATIVE_COUNT(name) #name,
    NATIVE_COUNTS_LIST(NATIVE_COUNT)
#undef NATIVE_COUNT
};

/* What is known of the messages inside the MPI library, summed over the ranks; null if nobody looked. */
static void add_native(struct text *out, const struct run *run) {
    uint64_t counts[NATIVE_COUNTS] = {0}, tried = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        tried += run->processes[rank].native.tried;
        for (int i = 0; i < NATIVE_COUNTS; i++)
            counts[i] += run->processes[rank].native.counts[i];
    }
    add_member(out, "native_messages");
    if (!tried) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{\"off\": ");
    text_add_quoted(out, FIRST_TEXT(run, native.off));
    for (int i = 0; i < NATIVE_COUNTS; i++)
        text_add(out, ", \"%s\": %llu", native_count_names[i], (unsigned long long)counts[i]);
    text_add(out, "}");
}

/* The lowest rank's word on lines of Python: why they were not read, if any rank's were not; null if nobody tried. */
static void add_python(struct text *out, const struct run *run) {
    bool tried = false;
    for (int rank = 0; rank < run->rank_count; rank++)
        tried = tried || run->processes[rank].python.tried;
    add_member(out, "python");
    if (!tried) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{\"version\": ");
    text_add_quoted(out, FIRST_TEXT(run, python.version));
    text_add(out, ", \"off\": ");
    text_add_quoted(out, FIRST_TEXT(run, python.off));
    text_add(out, "}");
}

/* Those of the lowest rank that has any. */
static void add_settings(struct text *out, const struct run *run) {
    const struct process *process = NULL;
    for (int rank = 0; rank < run->rank_count && !process; rank++)
        if (run->processes[rank].setting_count)
            process = &run->processes[rank];
    add_member(out, "settings");
    text_add(out, "[");
    for (size_t i = 0; process && i < process->setting_count; i++) {
        const struct setting_definition *setting = &process->settings[i];
        text_add(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        text_add_quoted(out, setting->name);
        text_add(out, ", \"asked\": ");
        text_add_quoted(out, setting->asked);
        text_add(out, ", \"value\": ");
        text_add_quoted(out, setting->value);
        text_add(out, ", \"source\": ");
        text_add_quoted(out, setting->source);
        text_add(out, ", \"text\": ");
        text_add_quoted(out, setting->text);
        text_add(out, "}");
    }
    text_add(out, process ? "\n  ]" : "]");
}

static void add_worlds(struct text *out, const struct run *run) {
    add_member(out, "worlds");
    text_add(out, "[");
    for (size_t i = 0; i < run->world_count; i++) {
        const struct world *world = &run->worlds[i];
        const struct process *first = NULL;
        for (int rank = 0; rank < world->size && !first; rank++)
            if (run->processes[world->first + rank].present)
                first = &run->processes[world->first + rank];
        text_add(out, "%s\n    {\"first_rank\": %d, \"size\": %d, \"spawned\": %s, \"command\": ", i ? "," : "",
                 world->first, world->size, first && first->spawned ? "true" : "false");
        text_add_quoted(out, first ? first->command : NULL);
        text_add(out, "}");
    }
    text_add(out, "\n  ]");
}

static void add_event_cost(struct text *out, const struct run *run) {
    double sum = 0;
    int count = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        if (!run->processes[rank].has_event_cost)
            continue;
        sum += run->processes[rank].event_cost_ns;
        count++;
    }
    add_member(out, "event_cost_ns");
    if (count)
        add_real(out, "%.3f", sum / count);
    else
        text_add(out, "null");
}

static void add_reasons(struct text *out, const struct run *run) {
    add_native(out, run);
    add_member(out, "native_reasons");
    text_add(out, "[");
    const char *listed[256];
    size_t count = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->reason_count && count < 256; i++) {
            const char *reason = process->reasons[i].text;
            bool known = !reason;
            for (size_t k = 0; k < count && !known; k++)
                known = strcmp(listed[k], reason) == 0;
            if (known)
                continue;
            text_add(out, count ? ", " : "");
            text_add_quoted(out, reason);
            listed[count++] = reason;
        }
    }
    text_add(out, "]");
}

static void add_clocks(struct text *out, const struct run *run) {
    bool any = false;
    add_member(out, "clocks");
    text_add(out, "[");
    for (size_t i = 0; i < run->machine_count; i++) {
        const struct machine *machine = &run->machines[i];
        for (size_t k = 0; k < machine->measurement_count; k++) {
            const struct clock_measurement *m = &machine->measurements[k];
            text_add(out, "%s\n    {\"host\": ", any ? "," : "");
            text_add_quoted(out, machine->name);
            text_add(out, ", \"at_ns\": %lld, \"offset_ns\": %lld, \"error_ns\": %lld, \"bound_ns\": %lld}",
                     (long long)m->at_ns, (long long)m->offset_ns, (long long)m->error_ns, (long long)m->bound_ns);
            any = true;
        }
    }
    text_add(out, any ? "\n  ]" : "]");
}

static void add_missing(struct text *out, const struct run *run) {
    add_member(out, "complete");
    text_add(out, run->missing.count ? "false" : "true");
    add_member(out, "missing");
    text_add(out, "[");
    for (size_t i = 0; i < run->missing.count; i++) {
        text_add(out, i ? ",\n    " : "\n    ");
        text_add_quoted(out, run->missing.items[i]);
    }
    text_add(out, run->missing.count ? "\n  ]" : "]");
}

void run_json_write(const struct run *run, struct text *out) {
    const char *topology = FIRST_TEXT(run, topology_file), *mode = FIRST_TEXT(run, mode);
    text_add(out, "{");
    add_number(out, "schema_version", 1);
    add_text(out, "hopscope_version", HOPSCOPE_VERSION);
    add_text(out, "mpi_library", FIRST_TEXT(run, mpi_library));
    add_text(out, "command", FIRST_TEXT(run, command));
    add_started(out, run);
    add_text(out, "mode", mode ? mode : "observe");
    add_text(out, "record", FIRST_TEXT(run, record));
    add_number(out, "world_size", (uint64_t)run->rank_count);
    add_worlds(out, run);
    add_names(out, "hosts", run, offsetof(struct process, host));
    add_names(out, "clusters", run, offsetof(struct process, cluster));
    add_tree(out, FIRST_TEXT(run, tree_file));
    add_text(out, "topology_file", topology);
    add_emulated(out, topology, mode);
    add_text(out, "presence", FIRST_TEXT(run, presence));
    add_missing(out, run);
    add_number(out, "threads", run->threads);
    add_number(out, "events", run->events);
    add_number(out, "overhead_ns", run->overhead_ns);
    add_event_cost(out, run);
    add_text(out, "tick_source", FIRST_TEXT(run, tick_source));
    add_reasons(out, run);
    add_python(out, run);
    add_settings(out, run);
    add_member(out, "modules");
    modules_write(run, out);
    add_clocks(out, run);
    text_add(out, "\n}\n");
}
