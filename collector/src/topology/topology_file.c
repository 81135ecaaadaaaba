/* Reads hosts, clusters and the placement of ranks. topology_delays.c reads the delays to emulate. */
#include "topology/topology_file.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/topology_delays.h"

enum placement { PLACE_BY_HOSTNAME, PLACE_ROUND_ROBIN, PLACE_BLOCK, PLACE_LISTED, PLACEMENTS };

static const char *const placement_names[PLACEMENTS] = {"by-hostname", "round-robin", "block", "listed"};

static bool read_name(struct complaint *c, const struct json *object, const char *key, const char *object_label) {
    const struct json *value = json_get(object, key);
    char label[60];
    if (!value)
        return complain(c, object, "%s has no `%s`; add it", object_label, key);
    snprintf(label, sizeof label, "`%s` of %s", key, object_label);
    if (!expect_type(c, value, JSON_STRING, label))
        return false;
    if (value->length < 1 || value->length > 64)
        return complain(c, value, "%s has %zu bytes; it must have 1 to 64", label, value->length);
    return true;
}

static const char *text_of(const struct json *object, const char *key) {
    const struct json *value = json_get(object, key);
    return value ? value->string : NULL;
}

static bool check_hosts(struct complaint *c, const struct json *hosts, enum placement placement) {
    static const char *const keys[] = {"name", "cluster", "match", "ranks", NULL};
    if (!expect_type(c, hosts, JSON_ARRAY, "`hosts`"))
        return false;
    if (hosts->length == 0)
        return complain(c, hosts,
                        "`hosts` is empty; list at least one, such as {\"name\": \"a0\", \"cluster\": \"A\"}");
    for (size_t i = 0; i < hosts->length; i++) {
        const struct json *host = &hosts->items[i];
        if (!expect_type(c, host, JSON_OBJECT, "a host") || !expect_keys(c, host, "a host", keys) ||
            !read_name(c, host, "name", "a host") || !read_name(c, host, "cluster", "a host"))
            return false;
        const struct json *match = json_get(host, "match"), *ranks = json_get(host, "ranks");
        if (match && !expect_type(c, match, JSON_STRING, "`match`"))
            return false;
        if (ranks && placement != PLACE_LISTED)
            return complain(c, ranks, "`ranks` has no effect with the placement `%s`; set `placement` to \"listed\"",
                            placement_names[placement]);
        for (size_t previous = 0; previous < i; previous++)
            if (strcmp(text_of(&hosts->items[previous], "name"), text_of(host, "name")) == 0)
                return complain(c, host, "the host `%s` is listed twice; host names must differ",
                                text_of(host, "name"));
    }
    return true;
}

/* True if a host's entry in the file matches a machine's name. Also compares the short form of that name, because files
 * often have short host names while machines report full ones. */
static bool matches(const struct json *host, const char *machine) {
    const char *pattern = text_of(host, "match");
    if (!pattern)
        pattern = text_of(host, "name");
    if (fnmatch(pattern, machine, 0) == 0)
        return true;
    size_t length = strcspn(machine, ".");
    char short_name[256];
    if (machine[length] == '\0' || length >= sizeof short_name)
        return false;
    memcpy(short_name, machine, length);
    short_name[length] = '\0';
    return fnmatch(pattern, short_name, 0) == 0;
}

static int entry_of_machine(const struct json *hosts, const char *machine) {
    for (size_t i = 0; i < hosts->length; i++)
        if (matches(&hosts->items[i], machine))
            return (int)i;
    return -1;
}

/* Finds the first rank on each machine and the machine of each rank. Returns the number of machines. */
static int find_machines(const char *const *machine_names, int ranks, int *first_ranks, int *machine_of_rank) {
    int count = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int machine = 0;
        while (machine < count && strcmp(machine_names[first_ranks[machine]], machine_names[rank]) != 0)
            machine++;
        if (machine == count)
            first_ranks[count++] = rank;
        machine_of_rank[rank] = machine;
    }
    return count;
}

/* Adds the host for a machine. entry: the entry of the file that matches it. matched: number of machines that this
 * entry matches. If it is 1, the host gets the entry's name; otherwise it gets the machine's name. */
static bool place_machine(struct complaint *c, const struct json *hosts, const char *machine, int rank, int entry,
                          int matched, int *entry_of_host, struct topology *t, int *host) {
    if (entry < 0)
        return complain(c, hosts,
                        "no host matches the machine `%s`, where rank %d runs; add one, or a `match` such as \"%.8s*\"",
                        machine, rank, machine);
    const char *name = matched > 1 ? machine : text_of(&hosts->items[entry], "name");
    int cluster = topology_add_cluster(t, text_of(&hosts->items[entry], "cluster"));
    *host = cluster < 0 ? -1 : topology_add_host(t, name, cluster);
    if (*host < 0)
        return complain(c, hosts, "out of memory");
    entry_of_host[*host] = entry;
    return true;
}

static bool place_by_hostname(struct complaint *c, const struct json *hosts, const char *const *machine_names,
                              int *entry_of_host, struct topology *t) {
    size_t ranks = (size_t)t->ranks;
    int *first_ranks = malloc(ranks * sizeof(int)), *machine_of_rank = malloc(ranks * sizeof(int));
    int *entries = malloc(ranks * sizeof(int)), *hosts_of = malloc(ranks * sizeof(int));
    int *matched = calloc(hosts->length, sizeof(int));
    bool good = first_ranks && machine_of_rank && entries && hosts_of && matched;
    if (!good)
        complain(c, hosts, "out of memory for %d ranks", t->ranks);
    int machines = good ? find_machines(machine_names, t->ranks, first_ranks, machine_of_rank) : 0;
    for (int i = 0; i < machines; i++) {
        entries[i] = entry_of_machine(hosts, machine_names[first_ranks[i]]);
        if (entries[i] >= 0)
            matched[entries[i]]++;
    }
    for (int i = 0; good && i < machines; i++)
        good = place_machine(c, hosts, machine_names[first_ranks[i]], first_ranks[i], entries[i],
                             entries[i] < 0 ? 0 : matched[entries[i]], entry_of_host, t, &hosts_of[i]);
    for (int rank = 0; good && rank < t->ranks; rank++)
        t->host_of_rank[rank] = hosts_of[machine_of_rank[rank]];
    free(first_ranks);
    free(machine_of_rank);
    free(entries);
    free(hosts_of);
    free(matched);
    return good;
}

static bool place_listed(struct complaint *c, const struct json *hosts, struct topology *t) {
    for (int rank = 0; rank < t->ranks; rank++)
        t->host_of_rank[rank] = -1;
    for (size_t i = 0; i < hosts->length; i++) {
        const struct json *ranks = json_get(&hosts->items[i], "ranks");
        if (!ranks)
            continue;
        if (!expect_type(c, ranks, JSON_ARRAY, "`ranks`"))
            return false;
        for (size_t k = 0; k < ranks->length; k++) {
            int64_t rank = 0;
            if (!read_integer(c, &ranks->items[k], "a rank", 0, INT64_MAX, &rank))
                return false;
            if (rank >= t->ranks)
                return complain(c, &ranks->items[k], "rank %lld does not exist; the job has ranks 0 to %d",
                                (long long)rank, t->ranks - 1);
            if (t->host_of_rank[rank] >= 0)
                return complain(c, &ranks->items[k], "rank %lld is on `%s` already; list each rank once",
                                (long long)rank, t->host_names[t->host_of_rank[rank]]);
            t->host_of_rank[rank] = (int)i;
        }
    }
    for (int rank = 0; rank < t->ranks; rank++)
        if (t->host_of_rank[rank] < 0)
            return complain(
                c, hosts,
                "rank %d is not on any host; with the placement \"listed\", each rank must appear in one `ranks` list",
                rank);
    return true;
}

static bool place(struct complaint *c, const struct json *hosts, enum placement placement,
                  const char *const *machine_names, int *entry_of_host, struct topology *t) {
    if (placement == PLACE_BY_HOSTNAME)
        return place_by_hostname(c, hosts, machine_names, entry_of_host, t);
    int count = (int)hosts->length;
    for (int i = 0; i < count; i++) {
        int cluster = topology_add_cluster(t, text_of(&hosts->items[i], "cluster"));
        if (cluster < 0 || topology_add_host(t, text_of(&hosts->items[i], "name"), cluster) < 0)
            return complain(c, hosts, "out of memory");
        entry_of_host[i] = i;
    }
    if (placement == PLACE_LISTED)
        return place_listed(c, hosts, t);
    int rank = 0;
    if (placement == PLACE_ROUND_ROBIN)
        for (; rank < t->ranks; rank++)
            t->host_of_rank[rank] = rank % count;
    else
        for (int host = 0; host < count; host++)
            for (int n = t->ranks / count + (host < t->ranks % count); n > 0; n--)
                t->host_of_rank[rank++] = host;
    return true;
}

static bool read_file(struct complaint *c, const struct json *file, const char *const *machine_names, int ranks,
                      struct topology **topology) {
    static const char *const keys[] = {"schema_version", "name", "hosts", "placement", "emulate", "network", NULL};
    if (!expect_type(c, file, JSON_OBJECT, "a topology file") || !expect_version(c, file) ||
        !expect_keys(c, file, "a topology file", keys))
        return false;
    const struct json *name = json_get(file, "name"), *hosts = json_get(file, "hosts");
    const struct json *placement_element = json_get(file, "placement"), *emulate = json_get(file, "emulate");
    const struct json *network = json_get(file, "network");
    int placement = PLACE_BY_HOSTNAME;
    if (name && !expect_type(c, name, JSON_STRING, "`name`"))
        return false;
    if (name && name->length > 60)
        return complain(c, name, "`name` has %zu bytes; it must have at most 60", name->length);
    if (!hosts)
        return complain(c, file,
                        "`hosts` is missing; list at least one, such as {\"name\": \"a0\", \"cluster\": \"A\"}");
    if (placement_element) {
        if (!expect_type(c, placement_element, JSON_STRING, "`placement`"))
            return false;
        for (placement = 0; placement < PLACEMENTS; placement++)
            if (strcmp(placement_names[placement], placement_element->string) == 0)
                break;
        if (placement == PLACEMENTS)
            return complain(c, placement_element,
                            "unknown placement `%.40s`; it must be by-hostname, round-robin, block or listed",
                            placement_element->string);
    }
    if (!check_hosts(c, hosts, (enum placement)placement))
        return false;
    if (network && emulate)
        return complain(c, network, "`network` and `emulate` exclude one another; keep one of them");
    if (network) /* The launcher has assigned the ranks to real hosts. */
        placement = PLACE_BY_HOSTNAME;
    size_t most_hosts = hosts->length + (size_t)ranks; /* machines of ranks, and gateways without ranks */
    int *entry_of_host = calloc(most_hosts, sizeof *entry_of_host);
    *topology = topology_empty(ranks, most_hosts, hosts->length);
    bool good = *topology && entry_of_host
                    ? place(c, hosts, (enum placement)placement, machine_names, entry_of_host, *topology) &&
                          topology_read_delays(c, emulate, hosts, entry_of_host, *topology)
                    : complain(c, file, "out of memory for %d ranks", ranks);
    free(entry_of_host);
    return good;
}

static struct topology *read_text(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                                  char *message, size_t capacity) {
    struct complaint complaint = {message, capacity};
    struct json_error error;
    struct json *file = json_parse(text, length, &error);
    struct topology *topology = NULL;
    if (!file) {
        snprintf(message, capacity, "%d:%d: %s", error.line, error.column, error.message);
        return NULL;
    }
    if (!read_file(&complaint, file, host_names_of_ranks, ranks, &topology)) {
        topology_free(topology);
        topology = NULL;
    }
    json_free(file);
    return topology;
}

struct topology *topology_make(const char *text, size_t length, const char *const *host_names_of_ranks, int ranks,
                               char *message, size_t capacity) {
    if (text)
        return read_text(text, length, host_names_of_ranks, ranks, message, capacity);
    struct topology *t = topology_empty(ranks, (size_t)ranks, 1);
    bool is_complete = t && topology_add_cluster(t, "cluster") == 0;
    for (int rank = 0; is_complete && rank < ranks; rank++) {
        t->host_of_rank[rank] = topology_add_host(t, host_names_of_ranks[rank], 0);
        is_complete = t->host_of_rank[rank] >= 0;
    }
    if (is_complete)
        return t;
    topology_free(t);
    snprintf(message, capacity, "1:1: out of memory for a topology of %d ranks", ranks);
    return NULL;
}
