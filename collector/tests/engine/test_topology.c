/* Tests the reading of topology files: placements, delays, and the error message for each mistake. */
#include <string.h>

#include "expect.h"
#include "topology/topology_file.h"

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

static int cluster_of(const struct topology *t, int rank) {
    return t->cluster_of_host[t->host_of_rank[rank]];
}

static void without_a_file_every_machine_is_a_host(void) {
    struct topology *t = make(NULL, 4);
    EXPECT(t->hosts == 3 && t->clusters == 1 && !t->emulates, "%d hosts", t->hosts);
    EXPECT(t->host_of_rank[0] == t->host_of_rank[1] && t->host_of_rank[0] != t->host_of_rank[3], "hosts of ranks");
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
    EXPECT(cluster_of(t, 0) == cluster_of(t, 2) && cluster_of(t, 0) != cluster_of(t, 3), "clusters of ranks");
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

#define PAIR_OF_CLUSTERS "{\"from\":\"A\",\"to\":\"B\",\"bytes_per_second\":1e6,\"latency_ns\":9"

static void a_pair_of_clusters_goes_before_the_class_and_a_pair_of_hosts_before_both(void) {
    struct topology *t =
        make("{\"schema_version\":1," THREE_HOSTS ",\"placement\":\"round-robin\",\"emulate\":{"
             "\"links\":{\"wan\":{\"latency_ns\":20,\"bytes_per_second\":5e6}},"
             "\"pairs\":[{\"from\":\"a0\",\"to\":\"b1\",\"latency_ns\":7,\"bytes_per_second\":2e6}],"
             "\"cluster_pairs\":[" PAIR_OF_CLUSTERS ",\"gateways\":{\"to\":\"b1\"}},"
             "{\"from\":\"B\",\"to\":\"A\",\"bytes_per_second_trace\":[10,20.5]}],"
             "\"host_interface\":{\"cut_through\":true},\"rank\":{\"per_message_ns\":3,\"per_byte_ns\":0.5}}}",
             8);
    const struct link_delay *d = t->delay_of_pair;
    const struct cluster_link *forward_link = &t->cluster_link[0 * 2 + 1], *backward_link = &t->cluster_link[1 * 2 + 0];
    EXPECT(t->cut_through && t->rank_message_ns == 3 && t->rank_byte_ns == 0.5, "cut through and ranks");
    EXPECT(forward_link->delay.bytes_per_second == 1e6 && forward_link->delay.latency_ns == 9 &&
               forward_link->has_latency,
           "A to B");
    EXPECT(forward_link->gateway_from == -1 && forward_link->gateway_to == 2, "gateways %d and %d",
           forward_link->gateway_from, forward_link->gateway_to);
    EXPECT(backward_link->delay.rate_count == 2 && backward_link->delay.rates[1] == 20.5 && !backward_link->has_latency,
           "B to A");
    EXPECT(d[0 * 3 + 1].latency_of_clusters && d[0 * 3 + 1].bytes_per_second == 0,
           "the clusters' latency and bandwidth");
    EXPECT(!d[0 * 3 + 2].latency_of_clusters && d[0 * 3 + 2].latency_ns == 7, "the hosts' latency");
    EXPECT(d[0 * 3 + 2].bytes_per_second == 2e6, "the hosts' bandwidth comes on top of the clusters'");
    EXPECT(!d[1 * 3 + 0].latency_of_clusters && d[1 * 3 + 0].latency_ns == 20 && d[1 * 3 + 0].bytes_per_second == 0,
           "the class' latency where the clusters' link has none");
    topology_free(t);
}

static void a_gateway_needs_no_rank(void) {
    struct topology *t =
        make("{\"schema_version\":1,\"hosts\":[{\"name\":\"front\",\"cluster\":\"M\",\"match\":\"m*\"},"
             "{\"name\":\"n\",\"cluster\":\"N\",\"match\":\"n?\"},{\"name\":\"door\",\"cluster\":\"N\"},"
             "{\"name\":\"far\",\"cluster\":\"F\"}],"
             "\"emulate\":{\"host_interface\":{},\"cluster_pairs\":["
             "{\"from\":\"N\",\"to\":\"M\",\"gateways\":{\"from\":\"door\",\"to\":\"front\"}},"
             "{\"from\":\"F\",\"to\":\"N\",\"gateways\":{\"from\":\"far\",\"to\":\"door\"}}]}}",
             4);
    int n = cluster_of(t, 0), m = cluster_of(t, 3);
    const struct cluster_link *link = &t->cluster_link[n * t->clusters + m];
    EXPECT(t->hosts == 4 && t->clusters == 2, "%d hosts, %d clusters", t->hosts, t->clusters);
    EXPECT(strcmp(t->host_names[link->gateway_from], "door") == 0, "the gateway was added");
    EXPECT(link->gateway_to == t->host_of_rank[3], "the other one was there");
    topology_free(t);
}

#define FILE_WITH(rest) "{\"schema_version\":1," rest "}"
#define EMULATE(what) FILE_WITH(THREE_HOSTS ",\"placement\":\"round-robin\",\"emulate\":" what)

static const struct {
    const char *text, *message_part;
} mistakes[] = {
    {"{\"schema_version\":1,", "1:"},
    {"{}", "`schema_version` is missing"},
    {FILE_WITH("\"placement\":\"block\""), "`hosts` is missing"},
    {FILE_WITH("\"hosts\":[]"), "`hosts` is empty"},
    {FILE_WITH("\"host\":[]"), "unknown key `host`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"a\"}]"), "a host has no `cluster`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"\",\"cluster\":\"A\"}]"), "it must have 1 to 64"},
    {FILE_WITH("\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\"},{\"name\":\"a\",\"cluster\":\"B\"}]"),
     "`a` is listed twice"},
    {FILE_WITH(THREE_HOSTS), "no host matches the machine `n1.site`, where rank 0 runs"},
    {FILE_WITH(THREE_HOSTS ",\"placement\":\"random\""), "unknown placement `random`"},
    {FILE_WITH("\"hosts\":[{\"name\":\"n*\",\"cluster\":\"A\",\"ranks\":[0]}]"), "set `placement` to \"listed\""},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1,2,4]}]"),
     "rank 4 does not exist"},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1,1]}]"),
     "rank 1 is on `a` already"},
    {FILE_WITH("\"placement\":\"listed\",\"hosts\":[{\"name\":\"a\",\"cluster\":\"A\",\"ranks\":[0,1]}]"),
     "rank 2 is not on any host"},
    {EMULATE("{\"link\":{}}"), "unknown key `link`"},
    {EMULATE("{\"links\":{\"man\":{}}}"), "unknown key `man`"},
    {EMULATE("{\"links\":{\"wan\":{\"latency\":1}}}"), "unknown key `latency`"},
    {EMULATE("{\"links\":{\"wan\":{\"latency_ns\":-1}}}"), "`latency_ns` is -1"},
    {EMULATE("{\"links\":{\"wan\":{\"bytes_per_second\":0}}}"), "must be a number above 0"},
    {EMULATE("{\"links\":{\"wan\":{\"latency_trace_ns\":[]}}}"), "is empty"},
    {EMULATE("{\"pairs\":[{\"from\":\"a0\"}]}"), "this pair has no `to`"},
    {EMULATE("{\"pairs\":[{\"from\":\"a0\",\"to\":\"c0\"}]}"), "`to` names the host `c0`, which is not in `hosts`"},
    {EMULATE("{\"host_interface\":{\"per_message_ns\":\"x\"}}"), "must be a whole number"},
    {EMULATE("{\"host_interface\":{\"cut_through\":1}}"), "`cut_through`"},
    {EMULATE("{\"rank\":{\"per_message\":1}}"), "unknown key `per_message`"},
    {EMULATE("{\"rank\":{\"per_byte_ns\":-0.5}}"), "must be a number of at least 0"},
    {EMULATE("{\"links\":{\"wan\":{\"bytes_per_second_trace\":[1,0]}}}"), "must be a number above 0"},
    {EMULATE("{\"cluster_pairs\":[{\"from\":\"A\"}]}"), "this pair of clusters has no `to`"},
    {EMULATE("{\"cluster_pairs\":[{\"from\":\"A\",\"to\":\"b0\"}]}"),
     "`to` names the cluster `b0`, which no host is in; the clusters are `A`, `B`"},
    {EMULATE("{\"cluster_pairs\":[{\"from\":\"B\",\"to\":\"B\"}]}"), "`links.lan` is for the links inside a cluster"},
    {EMULATE("{\"cluster_pairs\":[" PAIR_OF_CLUSTERS "}," PAIR_OF_CLUSTERS "}]}"), "is listed twice"},
    {EMULATE("{\"cluster_pairs\":[" PAIR_OF_CLUSTERS ",\"gateways\":{\"from\":\"a0\"}}]}"),
     "no effect without `host_interface`"},
    {EMULATE("{\"host_interface\":{},\"cluster_pairs\":[" PAIR_OF_CLUSTERS ",\"gateways\":{\"from\":\"b1\"}}]}"),
     "the gateway `b1` is in the cluster `B`; name a host of `A`"},
    {EMULATE("{\"host_interface\":{},\"cluster_pairs\":[" PAIR_OF_CLUSTERS ",\"gateways\":{\"to\":\"b7\"}}]}"),
     "the gateway `b7` is not in `hosts`"},
};

static void every_mistake_is_named(void) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char message[500] = "";
        struct topology *topology =
            topology_make(mistakes[i].text, strlen(mistakes[i].text), machines, 4, message, sizeof message);
        EXPECT(topology == NULL, "accepted: %s", mistakes[i].text);
        EXPECT(strstr(message, mistakes[i].message_part) != NULL, "`%s` says: %s", mistakes[i].text, message);
        topology_free(topology);
    }
}

int main(void) {
    without_a_file_every_machine_is_a_host();
    machines_are_matched_by_their_names();
    one_machine_plays_several_hosts();
    delays_are_those_of_the_pair_before_those_of_the_class();
    a_pair_of_clusters_goes_before_the_class_and_a_pair_of_hosts_before_both();
    a_gateway_needs_no_rank();
    every_mistake_is_named();
    return expect_failures != 0;
}
