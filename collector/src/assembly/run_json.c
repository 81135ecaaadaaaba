#include "assembly/run_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "assembly/modules.h"
#include "json/json.h"

/* The value of a field, from the lowest rank that has one. */
#define FIRST_TEXT(run, field) first_text(run, offsetof(struct process, field))

static const char *first_text(const struct run *run, size_t offset) {
    for (int rank = 0; rank < run->rank_count; rank++) {
        char *const *field = (const void *)((const char *)&run->processes[rank] + offset);
        if (*field)
            return *field;
    }
    return NULL;
}

/* Adds a number with a decimal point, whatever the locale. */
static void add_real(struct text *output, const char *format, double value) {
    char digits[64];
    snprintf(digits, sizeof digits, format, value);
    for (char *c = digits; *c; c++)
        if (!strchr("0123456789+-e", *c))
            *c = '.';
    text_add(output, "%s", digits);
}

static void add_member(struct text *output, const char *key) {
    text_add(output, "%s\n  \"%s\": ", output->length > 1 ? "," : "", key);
}

static void add_text(struct text *output, const char *key, const char *value) {
    add_member(output, key);
    text_add_quoted(output, value);
}

static void add_number(struct text *output, const char *key, uint64_t value) {
    add_member(output, key);
    text_add(output, "%llu", (unsigned long long)value);
}

int64_t run_started_ns(const struct run *run) {
    int64_t started = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        int64_t rank_started_ns = run->processes[rank].started_ns;
        if (rank_started_ns > 0 && (started == 0 || rank_started_ns < started))
            started = rank_started_ns;
    }
    return started;
}

static void add_started(struct text *output, const struct run *run) {
    int64_t started = run_started_ns(run);
    time_t seconds = (time_t)(started / 1000000000);
    struct tm utc;
    if (started == 0 || !gmtime_r(&seconds, &utc)) {
        add_text(output, "started_at", NULL);
        return;
    }
    char started_at[80];
    snprintf(started_at, sizeof started_at, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", utc.tm_year + 1900, utc.tm_mon + 1,
             utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, (int)(started % 1000000000));
    add_text(output, "started_at", started_at);
}

/* Adds the distinct names of all ranks, in rank order, as a JSON array. */
static void add_names(struct text *output, const char *key, const struct run *run, size_t offset) {
    add_member(output, key);
    text_add(output, "[");
    bool has_names = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        char *const *name = (const void *)((const char *)&run->processes[rank] + offset);
        bool is_repeated = !*name;
        for (int earlier_rank = 0; earlier_rank < rank && !is_repeated; earlier_rank++) {
            char *const *earlier_name = (const void *)((const char *)&run->processes[earlier_rank] + offset);
            is_repeated = *earlier_name && strcmp(*name, *earlier_name) == 0;
        }
        if (is_repeated)
            continue;
        text_add(output, has_names ? ", " : "");
        text_add_quoted(output, *name);
        has_names = true;
    }
    text_add(output, "]");
}

static void add_json(struct text *output, const struct json *value) {
    switch (value->type) {
    case JSON_NULL:
        text_add(output, "null");
        break;
    case JSON_BOOL:
        text_add(output, value->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        if (value->is_integer)
            text_add(output, "%lld", (long long)value->integer);
        else
            add_real(output, "%.17g", value->number);
        break;
    case JSON_STRING:
        text_add_quoted(output, value->string);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        text_add(output, value->type == JSON_ARRAY ? "[" : "{");
        for (size_t i = 0; i < value->length; i++) {
            text_add(output, i ? ", " : "");
            if (value->keys) {
                text_add_quoted(output, value->keys[i]);
                text_add(output, ": ");
            }
            add_json(output, &value->items[i]);
        }
        text_add(output, value->type == JSON_ARRAY ? "]" : "}");
        break;
    }
}

/* Adds the `emulated` part of the topology file if the run had an engine, which alone emulates. Otherwise adds null. */
static void add_emulated(struct text *output, const char *topology, const char *mode) {
    struct json *value = topology ? json_parse(topology, strlen(topology), NULL) : NULL;
    const struct json *emulate = json_get(value, "emulate");
    add_member(output, "emulated");
    if (emulate && emulate->type == JSON_OBJECT && emulate->length && mode && strcmp(mode, "tree") == 0)
        add_json(output, emulate);
    else
        text_add(output, "null");
    json_free(value);
}

/* Adds the tree file as {"name", "text"}. */
static void add_tree(struct text *output, const char *tree) {
    struct json *value = tree ? json_parse(tree, strlen(tree), NULL) : NULL;
    const struct json *name = json_get(value, "name");
    add_text(output, "tree_name", name && name->type == JSON_STRING ? name->string : NULL);
    add_text(output, "tree_file", tree);
    json_free(value);
}

const char *const native_count_names[] = {
#define NATIVE_COUNT(name) #name,
    NATIVE_COUNTS_LIST(NATIVE_COUNT)
#undef NATIVE_COUNT
};

uint64_t run_native_count(const struct run *run, int kind) {
    uint64_t total = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        total += run->processes[rank].native.counts[kind];
    return total;
}

/* Adds the reports about messages inside the MPI library, summed over the ranks; null if no rank has one. */
static void add_native(struct text *output, const struct run *run) {
    uint64_t report_count = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        report_count += run->processes[rank].native.is_reported;
    add_member(output, "native_messages");
    if (!report_count) {
        text_add(output, "null");
        return;
    }
    text_add(output, "{\"off\": ");
    text_add_quoted(output, FIRST_TEXT(run, native.failure));
    for (int i = 0; i < NATIVE_COUNTS; i++)
        text_add(output, ", \"%s\": %llu", native_count_names[i], (unsigned long long)run_native_count(run, i));
    text_add(output, "}");
}

/* Adds the report about Python lines of the lowest rank that has one; null if no rank has one. If any rank could not
 * read lines, adds its reason. */
static void add_python(struct text *output, const struct run *run) {
    bool is_reported = false;
    for (int rank = 0; rank < run->rank_count; rank++)
        is_reported = is_reported || run->processes[rank].python.is_reported;
    add_member(output, "python");
    if (!is_reported) {
        text_add(output, "null");
        return;
    }
    text_add(output, "{\"version\": ");
    text_add_quoted(output, FIRST_TEXT(run, python.version));
    text_add(output, ", \"off\": ");
    text_add_quoted(output, FIRST_TEXT(run, python.failure));
    text_add(output, "}");
}

/* Adds the settings of the lowest rank that has any. */
static void add_settings(struct text *output, const struct run *run) {
    const struct process *process = NULL;
    for (int rank = 0; rank < run->rank_count && !process; rank++)
        if (run->processes[rank].setting_count)
            process = &run->processes[rank];
    add_member(output, "settings");
    text_add(output, "[");
    for (size_t i = 0; process && i < process->setting_count; i++) {
        const struct setting_definition *setting = &process->settings[i];
        text_add(output, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        text_add_quoted(output, setting->name);
        text_add(output, ", \"asked\": ");
        text_add_quoted(output, setting->request);
        text_add(output, ", \"value\": ");
        text_add_quoted(output, setting->value);
        text_add(output, ", \"source\": ");
        text_add_quoted(output, setting->source);
        text_add(output, ", \"text\": ");
        text_add_quoted(output, setting->text);
        text_add(output, "}");
    }
    text_add(output, process ? "\n  ]" : "]");
}

static void add_worlds(struct text *output, const struct run *run) {
    add_member(output, "worlds");
    text_add(output, "[");
    for (size_t i = 0; i < run->world_count; i++) {
        const struct world *world = &run->worlds[i];
        const struct process *first = NULL;
        for (int rank = 0; rank < world->size && !first; rank++)
            if (run->processes[world->first + rank].present)
                first = &run->processes[world->first + rank];
        text_add(output, "%s\n    {\"first_rank\": %d, \"size\": %d, \"spawned\": %s, \"command\": ", i ? "," : "",
                 world->first, world->size, first && first->spawned ? "true" : "false");
        text_add_quoted(output, first ? first->command : NULL);
        text_add(output, "}");
    }
    text_add(output, "\n  ]");
}

static void add_event_cost(struct text *output, const struct run *run) {
    double sum = 0;
    int count = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        if (!run->processes[rank].has_event_cost)
            continue;
        sum += run->processes[rank].event_cost_ns;
        count++;
    }
    add_member(output, "event_cost_ns");
    if (count)
        add_real(output, "%.3f", sum / count);
    else
        text_add(output, "null");
}

static void add_reasons(struct text *output, const struct run *run) {
    add_native(output, run);
    add_member(output, "native_reasons");
    text_add(output, "[");
    const char *reason_list[256];
    size_t count = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->reason_count && count < 256; i++) {
            const char *reason = process->reasons[i].text;
            bool is_repeated = !reason;
            for (size_t k = 0; k < count && !is_repeated; k++)
                is_repeated = strcmp(reason_list[k], reason) == 0;
            if (is_repeated)
                continue;
            text_add(output, count ? ", " : "");
            text_add_quoted(output, reason);
            reason_list[count++] = reason;
        }
    }
    text_add(output, "]");
}

static void add_clocks(struct text *output, const struct run *run) {
    bool has_measurements = false;
    add_member(output, "clocks");
    text_add(output, "[");
    for (size_t i = 0; i < run->machine_count; i++) {
        const struct machine *machine = &run->machines[i];
        for (size_t k = 0; k < machine->measurement_count; k++) {
            const struct clock_measurement *m = &machine->measurements[k];
            text_add(output, "%s\n    {\"host\": ", has_measurements ? "," : "");
            text_add_quoted(output, machine->name);
            text_add(output, ", \"at_ns\": %lld, \"offset_ns\": %lld, \"error_ns\": %lld, \"bound_ns\": %lld}",
                     (long long)m->at_ns, (long long)m->offset_ns, (long long)m->error_ns, (long long)m->bound_ns);
            has_measurements = true;
        }
    }
    text_add(output, has_measurements ? "\n  ]" : "]");
}

static void add_missing(struct text *output, const struct run *run) {
    add_member(output, "complete");
    text_add(output, run->missing.count ? "false" : "true");
    add_member(output, "missing");
    text_add(output, "[");
    for (size_t i = 0; i < run->missing.count; i++) {
        text_add(output, i ? ",\n    " : "\n    ");
        text_add_quoted(output, run->missing.items[i]);
    }
    text_add(output, run->missing.count ? "\n  ]" : "]");
}

/* True if both commands are equal. by_program: true if their first words are equal. */
static bool is_same(const char *command, const char *other, bool by_program) {
    size_t length = strcspn(command, " ");
    if (!by_program)
        return strcmp(command, other) == 0;
    return length == strcspn(other, " ") && strncmp(command, other, length) == 0;
}

static bool is_named_before(const struct run *run, int rank, bool by_program) {
    for (int before = 0; before < rank; before++) {
        const struct process *other = &run->processes[before];
        if (other->command && !other->spawned && is_same(run->processes[rank].command, other->command, by_program))
            return true;
    }
    return false;
}

/* Adds the distinct commands of the job's ranks, separated by " : " as on a launcher's command line. After
 * MOST_COMMANDS, adds only commands of further programs: ranks of one program may all have different arguments. */
static void add_commands(struct text *output, const struct run *run) {
    enum { MOST_COMMANDS = 8 };
    struct text commands = {0};
    for (int rank = 0, count = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        if (process->command && !process->spawned && !is_named_before(run, rank, count >= MOST_COMMANDS)) {
            text_add(&commands, count++ ? " : %s" : "%s", process->command);
        }
    }
    add_text(output, "command", commands.bytes ? commands.bytes : FIRST_TEXT(run, command));
    text_free(&commands);
}

void run_json_write(const struct run *run, struct text *output) {
    const char *topology = FIRST_TEXT(run, topology_file), *mode = FIRST_TEXT(run, mode);
    text_add(output, "{");
    add_number(output, "schema_version", 1);
    add_text(output, "hopscope_version", HOPSCOPE_VERSION);
    add_text(output, "mpi_library", FIRST_TEXT(run, mpi_library));
    add_commands(output, run);
    add_started(output, run);
    add_text(output, "mode", mode ? mode : "observe");
    add_text(output, "record", FIRST_TEXT(run, record));
    add_number(output, "world_size", (uint64_t)run->rank_count);
    add_worlds(output, run);
    add_names(output, "hosts", run, offsetof(struct process, host));
    add_names(output, "clusters", run, offsetof(struct process, cluster));
    add_tree(output, FIRST_TEXT(run, tree_file));
    add_text(output, "topology_file", topology);
    add_emulated(output, topology, mode);
    add_text(output, "presence", FIRST_TEXT(run, presence));
    add_missing(output, run);
    add_number(output, "threads", run->threads);
    add_number(output, "events", run->events);
    add_number(output, "overhead_ns", run->overhead_ns);
    add_event_cost(output, run);
    add_text(output, "tick_source", FIRST_TEXT(run, tick_source));
    add_reasons(output, run);
    add_python(output, run);
    add_settings(output, run);
    add_member(output, "modules");
    modules_write(run, output);
    add_clocks(output, run);
    text_add(output, "\n}\n");
}
