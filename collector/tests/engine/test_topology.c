/* Topologies: placements, link classes, delays, and for each mistake the sentence that names it. */
#include <string.h>

#include "expect.h"
#include "topology/topology.h"

static const char *const machines[] = {"n1.site", "n1.site", "n2.site", "m1"};

static struct topology *make(const char *text, int ranks) {
    static char message[500];
    static const char *one_machine[32];
    for (int rank = 0; rank < 32; rank++)
        one_machine[rank] = "here";
    struct topology *t = topology_make(text, text ? strlen(text) : 0, ranks == 4 ? machines : one_machine, ranks,
                                       message, sizeof message);
    EXPECT(t != NULL, "%s", message);
    return t;
}

static void without_a_file_every_machine_is_a_host(void) {
    struct topology *t = make(NULL, 4);
    EXPECT(t->hosts == 3 && t->clusters == 1 && !t->emulates, "%d hosts", t->hosts);
    EXPECT(topology_link(t, 0, 0) == LINK_SELF && topology_link(t, 0, 1) == LINK_SHM, "near");
    EXPECT(topology_link(t, 0, 3) == LINK_LAN, "far");
    topology_free(t);
}

static void machines_are_matched_by_their_names(void) {
    struct topology *t =
        make("{\"schema_version\":1,\"hosts\":[{\"name\":\"front\",\"cluster\":\"M\",\"match\":\"m*\"},"
             "{\"name\":\"n\",\"cluster\":\"N\",\"match\":\"n?\"}]}",
             4);
    EXPECT(t->hosts == 3 && t->clusters == 2, "%d hosts, %d clusters", t->hosts, t->clusters);
    EXPECT(strcmp(t->host_names[t->host_of_rank[3]], "front") == 0, "one machine takes the name in the file");
    EXPECT(strcmp(t->host_names[t->host_of_rank[2]], "n2.site") == 0, "several keep their own");
    EXPECT(topology_link(t, 0, 2) == LINK_LAN && topology_link(t, 0, 3) == LINK_WAN, "classes");
    topology_free(t);
}

#define THREE_HOSTS                                                                                                    \
    "\"hosts\":[{\"name\":\"a0\",\"cluster\":\"A\"},{\"name\":\"b0\",\"cluster\":\"B\"},{\"name\":\"b1\",\"cluster\":" \
    "\"B\"}]"

static void one_machine_plays_several_hosts(void) {
    struct topology *t = make("{\"schema_version\":1," THREE_HOSTS ",\"placement\":\"round-robin\"}", 8);
    for (int rank = 0; rank < 8; rank++)
        EXPECT(t->host_of_rank[rank] == rank % 3, "round robin: rank %d on %d", rank, t->host_of_rank[rank]);
    topology_free(t);
    static const int blocks[] = {0, 0, 0, 1, 1, 1, 2, 2};
    t = make("{\"schema_version\":1," THREE_HOSTS ",\"placement\":\"block\"}", 8);
    for (int rank = 0; rank < 8; rank++)
        EXPECT(t->host_of_rank[rank] == blocks[rank], "block: rank %d on %d", rank, t->host_of_rank[rank]);
    topology_free(t);
    t = make(
        "{\"schema_version\":1,\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[2,0]},"
        "{\"name\":\"b\",\"cluster\":\"A\",\"ranks\":[1]}]}",
        3);
    EXPECT(t->host_of_rank[0] == 0 && t->host_of_rank[1] == 1 && t->host_of_rank[2] == 0, "listed");
    topology_free(t);
}

static void delays_are_those_of_the_pair_before_those_of_the_class(void) {
    struct topology *t =
        make("{\"schema_version\":1," THREE_HOSTS ",\"placement\":\"round-robin\",\"emulate\":{"
             "\"links\":{\"wan\":{\"latency_ns\":20000000,\"bytes_per_second\":1e6},\"shm\":{\"latency_ns\":7}},"
             "\"pairs\":[{\"from\":\"b1\",\"to\":\"a0\",\"latency_trace_ns\":[5,6]}],"
             "\"host_interface\":{\"per_message_ns\":50}}}",
             8);
    const struct link_delay *d = t->delay_of_pair;
    EXPECT(t->emulates && t->interface_message_ns == 50 && t->interface_bytes_per_second == 0, "interface");
    EXPECT(d[0 * 3 + 1].latency_ns == 20000000 && d[0 * 3 + 1].bytes_per_second == 1e6, "wan");
    EXPECT(d[1 * 3 + 2].latency_ns == 0 && d[0].latency_ns == 7, "lan and shm");
    EXPECT(d[2 * 3 + 0].trace_length == 2 && d[2 * 3 + 0].trace_ns[1] == 6 && d[2 * 3 + 0].bytes_per_second == 1e6,
           "pair");
    EXPECT(d[0 * 3 + 2].trace_ns == NULL, "the other direction");
    topology_free(t);
}

#define FILE_WITH(rest) "{\"schema_version\":1," rest "}"
#define EMULATE(what) FILE_WITH(THREE_HOSTS ",\"placement\":\"round-robin\",\"emulate\":" what)

static const struct {
    const char *text, *says;
} mistakes[] = {
    {"{\"schema_version\":1,", "1:"},
    {"{}", "`schema_version` is missing"},
    {FILE_WITH("\"placement\":\"block\""), "`hosts` is missing"},
    {FILE_WITH("\"hosts\":[]"), "`hosts` is empty"},
    {FILE_WITH("\"host\":[]"), "unknown key `host`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"a\"}]"), "a host has no `cluster`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"\",\"cluster\":\"A\"}]"), "it must have 1 to 64"},
    {FILE_WITH("\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\"},{\"name\":\"a\",\"cluster\":\"B\"}]"),
     "`a` is there twice"},
    {FILE_WITH(THREE_HOSTS), "no host here matches the machine `n1.site`, on which rank 0 runs"},
    {FILE_WITH(THREE_HOSTS ",\"placement\":\"random\""), "unknown placement `random`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"n*\",\"cluster\":\"A\",\"ranks\":[0]}]"), "set `placement` to \"listed\""},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1,2,4]}]"),
     "rank 4 does not exist"},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1,1]}]"),
     "rank 1 is on `a` already"},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1]}]"),
     "rank 2 is on no host"},
    {EMULATE("{\"link\":{}}"), "unknown key `link`"},
    {EMULATE("{\"links\":{\"man\":{}}}"), "unknown key `man`"},
    {EMULATE("{\"links\":{\"wan\":{\"latency\":1}}}"), "unknown key `latency`"},
    {EMULATE("{\"links\":{\"wan\":{\"latency_ns\":-1}}}"), "`latency_ns` is -1"},
    {EMULATE("{\"links\":{\"wan\":{\"bytes_per_second\":0}}}"), "must be a number above 0"},
    {EMULATE("{\"links\":{\"wan\":{\"latency_trace_ns\":[]}}}"), "is empty"},
    {EMULATE("{\"pairs\":[{\"from\":\"a0\"}]}"), "a pair has no `to`"},
    {EMULATE("{\"pairs\":[{\"from\":\"a0\",\"to\":\"c0\"}]}"), "`to` names the host `c0`, which is not in `hosts`"},
    {EMULATE("{\"host_interface\":{\"per_message_ns\":\"x\"}}"), "must be a whole number"},
};

static void every_mistake_is_named(void) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char message[500] = "";
        struct topology *t =
            topology_make(mistakes[i].text, strlen(mistakes[i].text), machines, 4, message, sizeof message);
        EXPECT(t == NULL, "accepted: %s", mistakes[i].text);
        EXPECT(strstr(message, mistakes[i].says) != NULL, "`%s` says: %s", mistakes[i].text, message);
        topology_free(t);
    }
}

int main(void) {
    without_a_file_every_machine_is_a_host();
    machines_are_matched_by_their_names();
    one_machine_plays_several_hosts();
    delays_are_those_of_the_pair_before_those_of_the_class();
    every_mistake_is_named();
    return expect_failures != 0;
}
