#include "assembly/read_definitions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hopscope/hash.h"
#include "json/json.h"

static void take_text(const struct json *line, const char *key, char **output) {
    const struct json *value = json_get(line, key);
    if (!value || value->type != JSON_STRING)
        return;
    char *copy = strdup(value->string);
    if (!copy)
        return;
    free(*output);
    *output = copy;
}

static int64_t integer_of(const struct json *line, const char *key, int64_t default_number) {
    const struct json *value = json_get(line, key);
    return value && value->type == JSON_NUMBER && value->is_integer ? value->integer : default_number;
}

/* Reads a number. A number that does not fit in int64_t is only as exact as a double; ticks of known machines fit. */
static uint64_t unsigned_of(const struct json *line, const char *key) {
    const struct json *value = json_get(line, key);
    if (!value || value->type != JSON_NUMBER)
        return 0;
    if (value->is_integer)
        return value->integer < 0 ? 0 : (uint64_t)value->integer;
    return value->number > 0 && value->number < 18e18 ? (uint64_t)value->number : 0;
}

static bool boolean_of(const struct json *line, const char *key) {
    const struct json *value = json_get(line, key);
    return value && value->type == JSON_BOOL && value->boolean;
}

static uint64_t key_of(const struct json *line, const char *key) {
    const struct json *value = json_get(line, key);
    return value && value->type == JSON_STRING ? strtoull(value->string, NULL, 16) : 0;
}

/* Returns the element with this id (from 1) of an array of definitions. The array grows as needed; new elements are
 * zero. NULL if memory runs out, or if the id is out of range because the file is damaged. */
static void *element(void **array, size_t *count, size_t size, int64_t id) {
    if (id < 1 || id > 1 << 28)
        return NULL;
    if ((size_t)id > *count) {
        size_t new_count = (size_t)id;
        /* The array's capacity is the smallest power of two that is not below `count`. So it doubles as ids come in
         * order. */
        size_t capacity = 1;
        while (capacity < *count)
            capacity *= 2;
        if (*count == 0)
            capacity = 0;
        if (new_count > capacity) {
            size_t next = capacity ? capacity : 1;
            while (next < new_count)
                next *= 2;
            void *grown = realloc(*array, next * size);
            if (!grown)
                return NULL;
            *array = grown;
        }
        memset((char *)*array + *count * size, 0, (new_count - *count) * size);
        *count = new_count;
    }
    return (char *)*array + ((size_t)id - 1) * size;
}

#define ELEMENT(process, array, count, id)                                                                             \
    element((void **)&(process)->array, &(process)->count, sizeof *(process)->array, id)

static int *ranks_of(const struct json *line, const char *key, int *count) {
    const struct json *value = json_get(line, key);
    *count = 0;
    if (!value || value->type != JSON_ARRAY || value->length == 0 || value->length > INT32_MAX)
        return NULL;
    int *ranks = malloc(value->length * sizeof *ranks);
    if (!ranks)
        return NULL;
    for (size_t i = 0; i < value->length; i++)
        ranks[i] = value->items[i].is_integer ? (int)value->items[i].integer : -1;
    *count = (int)value->length;
    return ranks;
}

static void take_process(struct process *process, const struct json *line) {
    process->world_size = integer_of(line, "world_size", process->world_size);
    process->pid = integer_of(line, "pid", process->pid);
    process->core = integer_of(line, "core", process->core);
    process->busy_threads = integer_of(line, "busy_threads", process->busy_threads);
    process->cpu_ns = integer_of(line, "cpu_ns", process->cpu_ns);
    process->queued_ns = integer_of(line, "queued_ns", process->queued_ns);
    process->computing_ns = integer_of(line, "computing_ns", process->computing_ns);
    process->computing_on_core_ns = integer_of(line, "computing_on_core_ns", process->computing_on_core_ns);
    process->computing_queued_ns = integer_of(line, "computing_queued_ns", process->computing_queued_ns);
    process->computing_cpu_ns = integer_of(line, "computing_cpu_ns", process->computing_cpu_ns);
    take_text(line, "cores", &process->cores);
    process->memory = integer_of(line, "memory", process->memory);
    process->started_ns = integer_of(line, "started_ns", process->started_ns);
    process->thread_level = integer_of(line, "thread_level", process->thread_level);
    process->parent_rank = integer_of(line, "parent_rank", process->parent_rank);
    process->thread_multiple = process->thread_multiple || boolean_of(line, "thread_multiple");
    process->has_later_session = process->has_later_session || boolean_of(line, "began_again");
    process->spawned = process->spawned || boolean_of(line, "spawned");
    take_text(line, "job", &process->job);
    take_text(line, "boot", &process->boot);
    take_text(line, "clock_host", &process->clock_host);
    take_text(line, "host", &process->host);
    take_text(line, "cluster", &process->cluster);
    take_text(line, "command", &process->command);
    take_text(line, "mpi_library", &process->mpi_library);
    take_text(line, "mode", &process->mode);
    take_text(line, "record", &process->record);
    take_text(line, "tick_source", &process->tick_source);
    take_text(line, "presence", &process->presence);
    take_text(line, "tree_file", &process->tree_file);
    take_text(line, "topology_file", &process->topology_file);
    take_text(line, "finalize_goes_to", &process->finalize_goes_to);
    const struct json *cost = json_get(line, "event_cost_ns");
    if (cost && cost->type == JSON_NUMBER) {
        process->has_event_cost = true;
        process->event_cost_ns = cost->number;
    }
    process->present = true;
}

static enum meeting meeting_of(const struct json *origin) {
    static const char *const words[] = {[MEETS_SPAWN] = "spawn",   [MEETS_PARENT] = "parent",
                                        [MEETS_ACCEPT] = "accept", [MEETS_CONNECT] = "connect",
                                        [MEETS_JOIN] = "join",     [MEETS_INTERCOMM] = "intercomm"};
    for (size_t i = MEETS_SPAWN; i < sizeof words / sizeof *words; i++)
        if (origin->type == JSON_STRING && strcmp(origin->string, words[i]) == 0)
            return (enum meeting)i;
    return MEETS_NOT;
}

static void take_foreign(struct comm_definition *comm, const struct json *line) {
    const struct json *origin = json_get(line, "origin");
    comm->origin = origin && origin->type == JSON_STRING ? hash_text(HASH_START, origin->string) : 0;
    comm->meets = meeting_of(origin);
    comm->salt = key_of(line, "salt");
    comm->nth = unsigned_of(line, "nth");
    comm->leads = boolean_of(line, "leads");
    comm->begin_ticks = unsigned_of(line, "began");
    comm->end_ticks = unsigned_of(line, "ended");
    comm->place_hash = key_of(line, "place");
    comm->peer = (uint32_t)unsigned_of(line, "peer");
    comm->peer_rank = (int)integer_of(line, "peer_rank", -1);
}

static bool take_comm(struct process *process, const struct json *line) {
    struct comm_definition *comm = ELEMENT(process, comms, comm_count, integer_of(line, "id", 0));
    if (!comm)
        return false;
    comm->key = key_of(line, "key");
    comm->parent_key = key_of(line, "parent");
    comm->size = (int)integer_of(line, "size", 0);
    comm->rank = (int)integer_of(line, "rank", -1);
    comm->inter = boolean_of(line, "inter");
    comm->merged = comm->side = NO_ID;
    take_text(line, "name", &comm->name);
    comm->self = comm->size == 1 && comm->name && strcmp(comm->name, "MPI_COMM_SELF") == 0;
    comm->world = comm->name && strcmp(comm->name, "MPI_COMM_WORLD") == 0;
    free(comm->members);
    free(comm->remote);
    comm->members = ranks_of(line, "members", &comm->member_count);
    comm->remote = ranks_of(line, "remote", &comm->remote_count);
    comm->foreign = json_get(line, "origin") != NULL;
    if (comm->foreign)
        take_foreign(comm, line);
    return true;
}

static bool take_clock(struct process *process, const struct json *line) {
    struct clock_pair_definition *pair = ELEMENT(process, pairs, pair_count, (int64_t)process->pair_count + 1);
    if (!pair)
        return false;
    pair->ticks = unsigned_of(line, "ticks");
    pair->monotonic_ns = unsigned_of(line, "monotonic_ns");
    return true;
}

static bool take_round_trip(struct process *process, const struct json *line) {
    struct round_trip *trip = ELEMENT(process, round_trips, round_trip_count, (int64_t)process->round_trip_count + 1);
    if (!trip)
        return false;
    trip->ref_send = unsigned_of(line, "ref_send");
    trip->here_recv = unsigned_of(line, "here_recv");
    trip->here_send = unsigned_of(line, "here_send");
    trip->ref_recv = unsigned_of(line, "ref_recv");
    take_text(line, "ref_host", &trip->ref_host);
    const struct json *variability = json_get(line, "spread_ns");
    trip->spread_ns = variability && variability->type == JSON_NUMBER ? variability->number : 0;
    return true;
}

static bool take_setting(struct process *process, const struct json *line) {
    struct setting_definition *setting = ELEMENT(process, settings, setting_count, (int64_t)process->setting_count + 1);
    if (!setting)
        return false;
    take_text(line, "name", &setting->name);
    take_text(line, "asked", &setting->request);
    take_text(line, "value", &setting->value);
    take_text(line, "source", &setting->source);
    take_text(line, "text", &setting->text);
    return true;
}

/* Fills in a call site or a caller. site NULL: out of memory; returns false. */
static bool take_site(const struct json *line, struct site_definition *site) {
    if (!site)
        return false;
    take_text(line, "module", &site->module);
    take_text(line, "symbol", &site->symbol);
    take_text(line, "file", &site->file);
    take_text(line, "function", &site->symbol);
    site->offset = unsigned_of(line, "offset");
    site->begin = json_get(line, "begin") ? unsigned_of(line, "begin") : UINT64_MAX;
    site->line = integer_of(line, "line", -1);
    const struct json *callers = json_get(line, "callers");
    site->caller_count = 0;
    for (size_t i = 0; callers && callers->type == JSON_ARRAY && i < callers->length && i < MOST_CALLERS; i++)
        if (callers->items[i].is_integer)
            site->callers[site->caller_count++] = (uint32_t)callers->items[i].integer;
    return true;
}

/* Fills in a name. name NULL: out of memory; returns false. */
static bool take_name(const struct json *line, const char *key, struct name_definition *name) {
    if (name)
        take_text(line, key, &name->text);
    return name != NULL;
}

static bool take_line(struct process *process, const struct json *line) {
    const struct json *def = json_get(line, "def");
    const char *kind = def && def->type == JSON_STRING ? def->string : "";
    int64_t id = integer_of(line, "id", 0);
    if (strcmp(kind, "process") == 0) {
        take_process(process, line);
    } else if (strcmp(kind, "comm") == 0) {
        return take_comm(process, line);
    } else if (strcmp(kind, "comm_name") == 0) {
        if (id < 1 || (size_t)id > process->comm_count)
            return false;
        take_text(line, "name", &process->comms[id - 1].name);
    } else if (strcmp(kind, "call_site") == 0) {
        return take_site(line, ELEMENT(process, sites, site_count, id));
    } else if (strcmp(kind, "frame") == 0) {
        return take_site(line, ELEMENT(process, frames, frame_count, id));
    } else if (strcmp(kind, "python") == 0) {
        process->python.is_reported = true;
        take_text(line, "version", &process->python.version);
        take_text(line, "off", &process->python.failure);
    } else if (strcmp(kind, "module") == 0) {
        struct module_definition *module = ELEMENT(process, modules, module_count, id);
        if (!module)
            return false;
        take_text(line, "name", &module->name);
        take_text(line, "path", &module->path);
        take_text(line, "build_id", &module->build_id);
    } else if (strcmp(kind, "tree") == 0) {
        return take_name(line, "name", ELEMENT(process, trees, tree_count, id));
    } else if (strcmp(kind, "reason") == 0) {
        return take_name(line, "text", ELEMENT(process, reasons, reason_count, id));
    } else if (strcmp(kind, "algorithm") == 0) {
        return take_name(line, "name", ELEMENT(process, algorithms, algorithm_count, id));
    } else if (strcmp(kind, "region") == 0) {
        return take_name(line, "name", ELEMENT(process, user_regions, user_region_count, id));
    } else if (strcmp(kind, "setting") == 0) {
        return take_setting(process, line);
    } else if (strcmp(kind, "clock") == 0) {
        return take_clock(process, line);
    } else if (strcmp(kind, "round_trip") == 0) {
        return take_round_trip(process, line);
    } else if (strcmp(kind, "native") == 0) {
        process->native.is_reported = true;
        take_text(line, "off", &process->native.failure);
        for (int i = 0; i < NATIVE_COUNTS; i++)
            process->native.counts[i] = unsigned_of(line, native_count_names[i]);
    } else if (strcmp(kind, "end") == 0) {
        process->has_ended = true;
        take_text(line, "how", &process->end_how);
    } else {
        return false;
    }
    return true;
}

static char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    size_t capacity = 1 << 16, used = 0, read_bytes;
    char *bytes = malloc(capacity);
    while (bytes && (read_bytes = fread(bytes + used, 1, capacity - used, file)) > 0) {
        used += read_bytes;
        if (used == capacity) {
            char *grown = realloc(bytes, capacity *= 2);
            if (!grown) {
                free(bytes);
                bytes = NULL;
                errno = ENOMEM;
                break;
            }
            bytes = grown;
        }
    }
    if (bytes && ferror(file)) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *length = used;
    return bytes;
}

bool read_definitions(struct process *process, const char *path, struct sentences *missing) {
    size_t length;
    char *bytes = read_whole(path, &length);
    if (!bytes) {
        sentences_add(missing, "%s (it cannot be read: %s)", path, strerror(errno));
        return false;
    }
    size_t number = 0, unreadable = 0, first_unreadable = 0;
    for (const char *next = bytes, *end = bytes + length; next < end;) {
        const char *stop = memchr(next, '\n', (size_t)(end - next));
        number++;
        if (!stop) /* the process died while writing this line */
            break;
        if (stop > next) {
            struct json *line = json_parse(next, (size_t)(stop - next), NULL);
            if (!line || !take_line(process, line)) {
                if (unreadable++ == 0)
                    first_unreadable = number;
            }
            json_free(line);
        }
        next = stop + 1;
    }
    free(bytes);
    if (unreadable)
        sentences_add(missing, "%zu line(s) of %s (they cannot be read; the first is line %zu)", unreadable, path,
                      first_unreadable);
    return process->present;
}

static void free_names(struct name_definition *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i].text);
    free(names);
}

static void free_sites(struct site_definition *sites, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(sites[i].module);
        free(sites[i].symbol);
        free(sites[i].file);
    }
    free(sites);
}

void process_free(struct process *process) {
    char *texts[] = {process->clock_host,     process->host,
                     process->cluster,        process->command,
                     process->mpi_library,    process->cores,
                     process->mode,           process->tick_source,
                     process->presence,       process->tree_file,
                     process->topology_file,  process->end_how,
                     process->record,         process->job,
                     process->boot,           process->finalize_goes_to,
                     process->native.failure, process->python.version,
                     process->python.failure};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < process->comm_count; i++) {
        free(process->comms[i].name);
        free(process->comms[i].members);
        free(process->comms[i].remote);
    }
    free_sites(process->sites, process->site_count);
    free_sites(process->frames, process->frame_count);
    for (size_t i = 0; i < process->module_count; i++) {
        free(process->modules[i].name);
        free(process->modules[i].path);
        free(process->modules[i].build_id);
    }
    for (size_t i = 0; i < process->round_trip_count; i++)
        free(process->round_trips[i].ref_host);
    for (size_t i = 0; i < process->setting_count; i++) {
        struct setting_definition *setting = &process->settings[i];
        free(setting->name);
        free(setting->request);
        free(setting->value);
        free(setting->source);
        free(setting->text);
    }
    for (size_t i = 0; i < process->spool_count; i++)
        spool_file_close(&process->spools[i]);
    free_names(process->trees, process->tree_count);
    free_names(process->reasons, process->reason_count);
    free_names(process->algorithms, process->algorithm_count);
    free_names(process->user_regions, process->user_region_count);
    free(process->comms);
    free(process->modules);
    free(process->settings);
    free(process->pairs);
    free(process->round_trips);
    free(process->spools);
    *process = (struct process){0};
}
