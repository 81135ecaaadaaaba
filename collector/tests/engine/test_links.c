/* Compares the due times over emulated links with times computed by hand. All times are in ns; 1 byte takes 1 ns at 1e9
 * bytes per second. */
#include <stdlib.h>
#include <string.h>

#include "engine/links.h"
#include "expect.h"
#include "topology/topology_file.h"

enum { MOST_WORDS = 4096 };

static _Atomic uint64_t words[MOST_WORDS];

/* Opens links between the hosts a0 and a1 of cluster A, and b0 and b1 of cluster B. Ranks 0 to 3 run on these hosts.
 * All links are free from time 0 on. */
static struct links open_links(const char *emulate) {
    char text[2000], message[500] = "";
    const char *host_names[4] = {"here", "here", "here", "here"};
    int length = snprintf(text, sizeof text,
                          "{\"schema_version\":1,\"placement\":\"round-robin\",\"hosts\":["
                          "{\"name\":\"a0\",\"cluster\":\"A\"},{\"name\":\"a1\",\"cluster\":\"A\"},"
                          "{\"name\":\"b0\",\"cluster\":\"B\"},{\"name\":\"b1\",\"cluster\":\"B\"}],\"emulate\":{%s}}",
                          emulate);
    struct links links = {.topology = topology_make(text, (size_t)length, host_names, 4, message, sizeof message)};
    if (!links.topology || links_shared_bytes(links.topology) > sizeof words) {
        printf("%s\n", message);
        exit(1);
    }
    memset((void *)words, 0, sizeof words);
    links.shared = words;
    return links;
}

static void close_links(struct links *links) {
    topology_free((struct topology *)links->topology);
}

enum host { A0, A1, B0, B1 };

/* The time at which a message sent at send_ns becomes visible, if its receiver polls as soon as it can. */
static uint64_t visible_ns(struct links *links, enum host sender, enum host receiver, int64_t bytes, uint64_t send_ns) {
    return links_receive(links, sender, receiver, bytes, links_send(links, sender, receiver, bytes, send_ns));
}

#define EXPECT_TIME(time, due)                                                                                         \
    do {                                                                                                               \
        uint64_t actual_ns = (time);                                                                                   \
        EXPECT(actual_ns == (due), "%llu", (unsigned long long)actual_ns);                                             \
    } while (0)

static void an_old_file_means_what_it_meant(void) {
    struct links links = open_links("\"links\":{\"wan\":{\"latency_ns\":1000,\"bytes_per_second\":1e9},"
                                    "\"shm\":{\"latency_trace_ns\":[5,7]}},"
                                    "\"host_interface\":{\"per_message_ns\":10,\"bytes_per_second\":5e8}");
    /* Each interface takes 10 + 2 * 100, and the wire 100 and a latency of 1000. */
    EXPECT_TIME(visible_ns(&links, A0, B0, 100, 0), 210 + 100 + 1000 + 210);
    /* The host's next message waits until its interface is free, at 210. It has another wire, because each pair of
     * hosts has its own. */
    EXPECT_TIME(visible_ns(&links, A0, B1, 100, 0), 420 + 100 + 1000 + 210);
    EXPECT_TIME(visible_ns(&links, A1, B1, 100, 0), 420 + 100 + 1000 + 210 + 210);
    EXPECT_TIME(visible_ns(&links, A0, A0, 100, 3), 3 + 5);
    EXPECT_TIME(visible_ns(&links, A0, A0, 100, 3), 3 + 7);
    EXPECT_TIME(visible_ns(&links, A0, A0, 100, 3), 3 + 5);
    EXPECT(!links_occupy_ranks(&links), "ranks cost nothing");
    EXPECT_TIME(links_rank(&links, 1000, 50), 50);
    close_links(&links);
}

static void all_messages_between_two_clusters_share_one_link(void) {
    struct links links = open_links("\"links\":{\"wan\":{\"latency_ns\":20,\"bytes_per_second\":1e6}},"
                                    "\"cluster_pairs\":[{\"from\":\"A\",\"to\":\"B\",\"bytes_per_second\":1e6}]");
    /* Regression: two messages of 500 kB, sent at once at 1 MB/s, both arrived after 0.5 s; the second takes 1 s. */
    EXPECT_TIME(visible_ns(&links, A0, B0, 500000, 0), 500000000 + 20);
    EXPECT_TIME(visible_ns(&links, A1, B1, 500000, 0), 1000000000 + 20);
    /* The link in the other direction is not shared in this topology. */
    EXPECT_TIME(visible_ns(&links, B0, A0, 500000, 0), 500000000 + 20);
    EXPECT_TIME(visible_ns(&links, B1, A1, 500000, 0), 500000000 + 20);
    EXPECT_TIME(visible_ns(&links, A0, A1, 500000, 0), 0);
    close_links(&links);
}

static void a_shared_link_takes_turns_in_its_traces(void) {
    struct links links =
        open_links("\"cluster_pairs\":[{\"from\":\"A\",\"to\":\"B\",\"latency_trace_ns\":[100,200,300],"
                   "\"bytes_per_second_trace\":[1e9,5e8]}],"
                   "\"pairs\":[{\"from\":\"a1\",\"to\":\"b1\",\"latency_ns\":7}]");
    EXPECT_TIME(visible_ns(&links, A0, B0, 10, 0), 10 + 100);
    EXPECT_TIME(visible_ns(&links, A1, B0, 10, 1000), 1020 + 200);
    EXPECT_TIME(visible_ns(&links, A1, B1, 10, 2000), 2010 + 7);
    EXPECT_TIME(visible_ns(&links, A0, B1, 10, 3000), 3020 + 100);
    close_links(&links);
}

static void gateways_interfaces_serve_all_that_passes(void) {
    struct links links = open_links("\"cluster_pairs\":[{\"from\":\"A\",\"to\":\"B\",\"latency_ns\":1000,"
                                    "\"gateways\":{\"from\":\"a0\",\"to\":\"b0\"}}],"
                                    "\"host_interface\":{\"per_message_ns\":10}");
    /* The message leaves a1, enters and leaves a0, enters and leaves b0, and enters b1. */
    EXPECT_TIME(visible_ns(&links, A1, B1, 0, 0), 30 + 1000 + 30);
    /* a0 sends its own message, but its interface is busy until 30. b0 receives its own message. */
    EXPECT_TIME(visible_ns(&links, A0, B0, 0, 25), 40 + 1000 + 10);
    /* Inside a cluster there is no gateway, only interfaces: a0's, busy until 40, and a1's. */
    EXPECT_TIME(visible_ns(&links, A0, A1, 0, 26), 50 + 10);
    close_links(&links);
}

static void cut_through_counts_bytes_once_at_the_slowest(void) {
    /* Each byte takes 0.084 us (G of the LogGP model). With cut-through, one MiB takes 88 ms in all, not 88 ms on each
     * of the two interfaces. */
    struct links links = open_links("\"host_interface\":{\"bytes_per_second\":11904762,\"cut_through\":true}");
    uint64_t single_ns = visible_ns(&links, A0, B0, 1 << 20, 0);
    EXPECT(single_ns > 88000000 && single_ns < 88100000, "%llu", (unsigned long long)single_ns);
    /* Both interfaces were occupied during the whole time, so the next message arrives after twice that time. */
    EXPECT_TIME(visible_ns(&links, A0, B1, 1 << 20, 0), 2 * single_ns);
    close_links(&links);
    /* The wire has half of the interfaces' speed. The last byte leaves the second interface 10 ns after it came from
     * the wire. */
    links = open_links("\"links\":{\"wan\":{\"latency_ns\":1000,\"bytes_per_second\":5e8}},"
                       "\"host_interface\":{\"per_message_ns\":10,\"bytes_per_second\":1e9,\"cut_through\":true}");
    EXPECT_TIME(visible_ns(&links, A0, B0, 100, 0), 10 + 200 + 1000 + 10);
    /* The message from a1 to the same host has another wire. It does not wait at b0's interface, which was busy from
     * 1010 to 1120. */
    EXPECT_TIME(visible_ns(&links, A1, B0, 100, 0), 10 + 200 + 1000 + 20);
    close_links(&links);
}

static void a_rank_handles_one_message_at_a_time(void) {
    struct links links = open_links("\"rank\":{\"per_message_ns\":10,\"per_byte_ns\":0.5}");
    EXPECT(links_occupy_ranks(&links) && links_rank_is_free(&links, 100), "it is free");
    EXPECT_TIME(links_rank(&links, 20, 100), 120);
    EXPECT(!links_rank_is_free(&links, 119) && links_rank_is_free(&links, 120), "it is busy until 120");
    EXPECT_TIME(links_rank(&links, 0, 105), 130);
    EXPECT_TIME(visible_ns(&links, A0, B0, 20, 0), 0);
    close_links(&links);
}

/* Four hosts of eight ranks each. Rank r is on host r / 8. */
enum { RANKS = 32, PER_HOST = 8, SHM = 5000, LAN = 20000, HANDLING = 2000 };

static int compare_times(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t latency_between(int a, int b) {
    return a / PER_HOST == b / PER_HOST ? SHM : LAN;
}

/* The time at which this rank has its subtree's sum, and can send it to its parent. A rank handles one message at a
 * time. */
static uint64_t reduce_end_ns(const int *parents, int rank) {
    struct links self = open_links("\"rank\":{\"per_message_ns\":2000}");
    uint64_t arrivals[RANKS], end_ns = 0;
    size_t count = 0;
    for (int child = 0; child < RANKS; child++)
        if (parents[child] == rank && child != rank)
            arrivals[count++] = reduce_end_ns(parents, child) + HANDLING + latency_between(child, rank);
    qsort(arrivals, count, sizeof *arrivals, compare_times);
    for (size_t i = 0; i < count; i++)
        end_ns = links_rank(&self, 4, arrivals[i]);
    close_links(&self);
    return end_ns;
}

/* The time at which the last rank of a subtree has the root's value. Ranks send to children on other hosts first. */
static uint64_t broadcast_end_ns(const int *parents, int rank, uint64_t begin_ns) {
    struct links self = open_links("\"rank\":{\"per_message_ns\":2000}");
    uint64_t last_ns = begin_ns, sent_ns = begin_ns;
    for (int is_near = 0; is_near < 2; is_near++)
        for (int child = 0; child < RANKS; child++) {
            if (parents[child] != rank || child == rank || (child / PER_HOST == rank / PER_HOST) != is_near)
                continue;
            sent_ns = links_rank(&self, 4, begin_ns);
            uint64_t end_ns = broadcast_end_ns(parents, child, sent_ns + latency_between(rank, child) + HANDLING);
            last_ns = end_ns > last_ns ? end_ns : last_ns;
        }
    close_links(&self);
    return last_ns > sent_ns ? last_ns : sent_ns;
}

/* The published times of an allreduce on four hosts of eight ranks: 1,444 us with one leader per host; 1,534 us with a
 * further layer inside the hosts; 1,322 us with two groups of four per host whose leaders both send to the root. */
static void two_groups_of_four_beat_one_root_and_that_beats_another_layer(void) {
    int one_root[RANKS], layer[RANKS], two_groups[RANKS];
    for (int rank = 0; rank < RANKS; rank++) {
        int host = rank - rank % PER_HOST, group = rank - rank % 4;
        one_root[rank] = rank == host ? 0 : host;
        two_groups[rank] = rank == group ? 0 : group;
        layer[rank] = rank == group && group != host ? host : two_groups[rank];
    }
    uint64_t one_root_ns = broadcast_end_ns(one_root, 0, reduce_end_ns(one_root, 0));
    uint64_t layer_ns = broadcast_end_ns(layer, 0, reduce_end_ns(layer, 0));
    uint64_t two_groups_ns = broadcast_end_ns(two_groups, 0, reduce_end_ns(two_groups, 0));
    /* In us. To the root: a leaf sends (2), latency inside the host (5), the leader receives seven messages (14) and
     * sends one (2), latency between hosts (20), the root receives three (6). Back: the root sends three (6), latency
     * (20), a leader receives one (2) and sends seven (14), latency (5), a leaf receives one (2). */
    EXPECT_TIME(one_root_ns, 49000 + 49000);
    EXPECT(two_groups_ns < one_root_ns && one_root_ns < layer_ns, "%llu, %llu, %llu", (unsigned long long)two_groups_ns,
           (unsigned long long)one_root_ns, (unsigned long long)layer_ns);
}

int main(void) {
    an_old_file_means_what_it_meant();
    all_messages_between_two_clusters_share_one_link();
    a_shared_link_takes_turns_in_its_traces();
    gateways_interfaces_serve_all_that_passes();
    cut_through_counts_bytes_once_at_the_slowest();
    a_rank_handles_one_message_at_a_time();
    two_groups_of_four_beat_one_root_and_that_beats_another_layer();
    return expect_failures != 0;
}
