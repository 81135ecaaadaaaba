/* A synthetic trace of any size: synthetic_trace DIRECTORY EVENTS [collectives|messages|parts [RANKS [HOSTS]]]
 *
 * An iterative program as the collector records it. Ranks are placed in turn on eight hosts in two clusters or, with
 * HOSTS, in blocks on that many hosts. They compute, exchange messages, and do an Allreduce over a binomial tree, with
 * all its hops, waits and combining. Times are simulated so that causes come before effects: a message takes its link's
 * time, and a rank that needs it earlier waits. Prints `events=N`, the number of written events.
 *
 * collectives: every iteration does an Allreduce. Every fourth iteration also exchanges halos with both neighbours. Two
 * thirds of the events are hops.
 *
 * messages: every iteration does twelve shifts with MPI_Sendrecv, and starts eight persistent sends and eight
 * persistent receives. Every eighth iteration also does a blocking send, and an exchange of halos that waits for one
 * request after another. Every fourth iteration also does an Allreduce. There is a message for every 4.5 events.
 *
 * parts: like collectives, but the size of the Allreduce cycles through three values.
 */
#include <otf2/otf2.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schemas/otf2.h"

enum { MAX_RANKS = 1024, LOG2_MAX = 10, CHUNK_BYTES = 1 << 18 };
enum { COMPUTE_NS = 200000, JITTER_NS = 60000, SPENT_NS = 300, HALO_EVERY = 4, HALO_BYTES = 8192 };
static const uint64_t PARTS[] = {8, 1 << 16, 1 << 20}; /* bytes of each Allreduce of `parts`; a byte takes 1 ns */
enum { NEIGHBOURS = 8, SHIFTS = 12, ALLREDUCE_EVERY = 4, RARELY_EVERY = 8 }; /* for `messages` */
enum region {
    INIT,
    ALLREDUCE,
    DOT,
    IRECV,
    ISEND,
    WAITALL,
    FINALIZE,
    HOP_WAIT,
    COMBINE,
    SENDRECV,
    STARTALL,
    WAIT,
    SEND,
    RECV,
    REGIONS
};

struct rank {
    OTF2_EvtWriter *writer;
    uint64_t time, request, events;
    uint64_t arrival; /* of the message that its parent sends down */
};

static struct rank ranks[MAX_RANKS];
static int rank_count = 64, host_count = 8;
static bool in_blocks; /* neighbours share a host */
static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t random_below(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static void check(OTF2_ErrorCode code, const char *action) {
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "synthetic_trace: %s: %s\n", action, OTF2_Error_GetDescription(code));
        exit(1);
    }
}

static int host_of(int r) {
    return in_blocks ? (int)((int64_t)r * host_count / rank_count) : r % host_count;
}

static int cluster_of(int host) {
    return host * 2 / host_count;
}

static uint64_t latency(int a, int b) {
    int host_a = host_of(a), host_b = host_of(b);
    uint64_t base = host_a == host_b ? 800 : cluster_of(host_a) == cluster_of(host_b) ? 25000 : 2000000;
    return base + random_below(base / 8);
}

/* Counts an event of rank r and adds its time. Every event comes through here. */
static uint64_t stamp(int r, uint64_t spent) {
    ranks[r].events++;
    return ranks[r].time += spent;
}

static void enter(int r, enum region region, uint64_t spent) {
    uint64_t time = stamp(r, spent);
    check(OTF2_EvtWriter_Enter(ranks[r].writer, NULL, time, region), "enter");
}

static void leave(int r, enum region region, uint64_t spent) {
    uint64_t time = stamp(r, spent);
    check(OTF2_EvtWriter_Leave(ranks[r].writer, NULL, time, region), "leave");
}

static uint64_t send(int r, int receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t spent) {
    uint64_t time = stamp(r, spent), request = ++ranks[r].request;
    check(OTF2_EvtWriter_MpiIsend(ranks[r].writer, NULL, time, (uint32_t)receiver, comm, tag, bytes, request), "send");
    return request;
}

static void sent(int r, uint64_t request, uint64_t spent) {
    uint64_t time = stamp(r, spent);
    check(OTF2_EvtWriter_MpiIsendComplete(ranks[r].writer, NULL, time, request), "sent");
}

static uint64_t post(int r, uint64_t spent) {
    uint64_t time = stamp(r, spent), request = ++ranks[r].request;
    check(OTF2_EvtWriter_MpiIrecvRequest(ranks[r].writer, NULL, time, request), "post");
    return request;
}

static void received(int r, int sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request,
                     uint64_t spent) {
    uint64_t time = stamp(r, spent);
    check(OTF2_EvtWriter_MpiIrecv(ranks[r].writer, NULL, time, (uint32_t)sender, comm, tag, bytes, request),
          "received");
}

/* Receives a hop that is needed now. Waits if the hop has not arrived yet. */
static void take_hop(int r, int sender, uint32_t tag, uint64_t bytes, uint64_t request, uint64_t arrival) {
    if (arrival > ranks[r].time) {
        enter(r, HOP_WAIT, 60);
        received(r, sender, 1, tag, bytes, request, arrival > ranks[r].time ? arrival - ranks[r].time : 0);
        leave(r, HOP_WAIT, 0);
    } else {
        received(r, sender, 1, tag, bytes, request, SPENT_NS);
    }
}

/* An Allreduce up and down the binomial tree in which a rank's parent is the rank without its lowest set bit. */
static void allreduce(uint64_t seq, uint64_t bytes) {
    const uint64_t on_wire = bytes > 8 ? bytes : 0; /* ns */
    enum region region = seq % 2 ? DOT : ALLREDUCE;
    uint64_t from_parent[MAX_RANKS], arrivals[MAX_RANKS];
    for (int r = rank_count - 1; r >= 0; r--) {
        struct rank *rank = &ranks[r];
        enter(r, region, 0);
        rank->events++;
        check(OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, rank->time), "collective begin");
        uint64_t posted[LOG2_MAX];
        int children = 0;
        for (int bit = 1; bit < rank_count && !(r & bit); bit <<= 1)
            if ((r | bit) < rank_count)
                posted[children++] = post(r, 80);
        if (r > 0)
            from_parent[r] = post(r, 80);
        children = 0;
        for (int bit = 1; bit < rank_count && !(r & bit); bit <<= 1)
            if ((r | bit) < rank_count) {
                take_hop(r, r | bit, hop_tag(ROLE_UP, 0, 0, seq), bytes, posted[children++], arrivals[r | bit]);
                enter(r, COMBINE, 40);
                leave(r, COMBINE, 90);
            }
        if (r > 0) {
            int parent = r & (r - 1);
            uint64_t request = send(r, parent, 1, hop_tag(ROLE_UP, 0, 0, seq), bytes, SPENT_NS);
            arrivals[r] = rank->time + latency(r, parent) + on_wire;
            sent(r, request, 100);
        }
    }
    for (int r = 0; r < rank_count; r++) {
        struct rank *rank = &ranks[r];
        if (r > 0)
            take_hop(r, r & (r - 1), hop_tag(ROLE_DOWN, 0, 0, seq), bytes, from_parent[r], rank->arrival);
        for (int bit = rank_count; bit > 0; bit >>= 1)
            if (!(r & bit) && bit < rank_count && (r == 0 || bit < (r & -r)) && (r | bit) < rank_count) {
                uint64_t request = send(r, r | bit, 1, hop_tag(ROLE_DOWN, 0, 0, seq), bytes, SPENT_NS);
                ranks[r | bit].arrival = rank->time + latency(r, r | bit) + on_wire;
                sent(r, request, 100);
            }
        rank->time += 200;
        rank->events++;
        check(OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, rank->time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                              OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes),
              "collective end");
        leave(r, region, 0);
    }
}

/* Receives an application message. Waits if the message has not arrived yet. */
static void take_message(int r, int sender, uint32_t tag, uint64_t request, uint64_t arrival) {
    uint64_t wait = arrival > ranks[r].time ? arrival - ranks[r].time : 0;
    received(r, sender, 0, tag, HALO_BYTES, request, wait + 20);
}

/* Exchanges halos with both neighbours by four requests. There is one wait for all requests, or one for each. */
static void halos(bool wait_for_each) {
    uint64_t arrival[MAX_RANKS][2], requests[MAX_RANKS][4];
    for (int r = 0; r < rank_count; r++) {
        int sides[2] = {(r + rank_count - 1) % rank_count, (r + 1) % rank_count};
        for (int side = 0; side < 2; side++) {
            enter(r, IRECV, 100);
            requests[r][side] = post(r, 50);
            leave(r, IRECV, 50);
        }
        for (int side = 0; side < 2; side++) {
            enter(r, ISEND, 100);
            requests[r][2 + side] = send(r, sides[side], 0, (uint32_t)side, HALO_BYTES, 200);
            leave(r, ISEND, 100);
            arrival[sides[side]][1 - side] = ranks[r].time + latency(r, sides[side]);
        }
    }
    for (int r = 0; r < rank_count; r++) {
        int sides[2] = {(r + rank_count - 1) % rank_count, (r + 1) % rank_count};
        for (int request = 0; request < 4; request++) {
            if (wait_for_each || request == 0)
                enter(r, wait_for_each ? WAIT : WAITALL, 100);
            if (request < 2)
                take_message(r, sides[request], (uint32_t)(1 - request), requests[r][request], arrival[r][request]);
            else
                sent(r, requests[r][request], 20);
            if (wait_for_each || request == 3)
                leave(r, wait_for_each ? WAIT : WAITALL, 100);
        }
    }
}

/* The rank that is 1, 2, 4 or 8 places away on the ring, in either direction. Neighbour n ^ 1 lies opposite. */
static int neighbour(int r, int n) {
    int distance = (1 << n / 2) % rank_count;
    return (r + (n % 2 ? distance : rank_count - distance)) % rank_count;
}

static uint64_t send_blocking(int r, int receiver, uint32_t tag) {
    uint64_t time = stamp(r, 200);
    check(OTF2_EvtWriter_MpiSend(ranks[r].writer, NULL, time, (uint32_t)receiver, 0, tag, HALO_BYTES), "send");
    return time + latency(r, receiver);
}

static void receive_blocking(int r, int sender, uint32_t tag, uint64_t arrival) {
    uint64_t time = stamp(r, (arrival > ranks[r].time ? arrival - ranks[r].time : 0) + 20);
    check(OTF2_EvtWriter_MpiRecv(ranks[r].writer, NULL, time, (uint32_t)sender, 0, tag, HALO_BYTES), "receive");
}

/* Every rank sends to one neighbour and receives from the opposite one. */
static void shift(int n) {
    uint64_t arrival[MAX_RANKS];
    for (int r = 0; r < rank_count; r++) {
        enter(r, SENDRECV, 100);
        arrival[neighbour(r, n)] = send_blocking(r, neighbour(r, n), (uint32_t)n);
    }
    for (int r = 0; r < rank_count; r++) {
        receive_blocking(r, neighbour(r, n ^ 1), (uint32_t)n, arrival[r]);
        leave(r, SENDRECV, 50);
    }
}

/* Messages to and from all neighbours by persistent requests, with one start and one wait for all requests. */
static void start_all(void) {
    static uint64_t arrival[MAX_RANKS][NEIGHBOURS], posted[MAX_RANKS][NEIGHBOURS], send_requests[MAX_RANKS][NEIGHBOURS];
    for (int r = 0; r < rank_count; r++) {
        enter(r, STARTALL, 100);
        for (int n = 0; n < NEIGHBOURS; n++)
            posted[r][n] = post(r, 50);
        for (int n = 0; n < NEIGHBOURS; n++) {
            send_requests[r][n] = send(r, neighbour(r, n), 0, (uint32_t)n, HALO_BYTES, 200);
            arrival[neighbour(r, n)][n] = ranks[r].time + latency(r, neighbour(r, n));
        }
        leave(r, STARTALL, 50);
    }
    for (int r = 0; r < rank_count; r++) {
        enter(r, WAITALL, 100);
        for (int n = 0; n < NEIGHBOURS; n++)
            take_message(r, neighbour(r, n ^ 1), (uint32_t)n, posted[r][n], arrival[r][n]);
        for (int n = 0; n < NEIGHBOURS; n++)
            sent(r, send_requests[r][n], 20);
        leave(r, WAITALL, 100);
    }
}

/* Every even rank sends to the rank after it. */
static void send_to_odd(void) {
    for (int r = 0; r + 1 < rank_count; r += 2) {
        enter(r, SEND, 100);
        uint64_t arrival = send_blocking(r, r + 1, NEIGHBOURS);
        leave(r, SEND, 100);
        enter(r + 1, RECV, 100);
        receive_blocking(r + 1, r, NEIGHBOURS, arrival);
        leave(r + 1, RECV, 50);
    }
}

static void iterate_with_collectives(uint64_t iteration) {
    if (iteration % HALO_EVERY == 0)
        halos(false);
    allreduce(iteration, 8);
}

static void iterate_with_parts(uint64_t iteration) {
    if (iteration % HALO_EVERY == 0)
        halos(false);
    allreduce(iteration, PARTS[iteration % (sizeof PARTS / sizeof *PARTS)]);
}

static void iterate_with_messages(uint64_t iteration) {
    for (int n = 0; n < SHIFTS; n++)
        shift(n % NEIGHBOURS);
    start_all();
    if (iteration % RARELY_EVERY == 0) {
        halos(true);
        send_to_odd();
    }
    if (iteration % ALLREDUCE_EVERY == 0)
        allreduce(iteration / ALLREDUCE_EVERY, 8);
}

static OTF2_FlushType flush_when_full(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                      bool final) {
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_StringRef string(OTF2_GlobalDefWriter *definitions, const char *text) {
    static OTF2_StringRef next;
    check(OTF2_GlobalDefWriter_WriteString(definitions, next, text), "string");
    return next++;
}

static void define_regions(OTF2_GlobalDefWriter *definitions, OTF2_StringRef empty) {
    static const struct {
        const char *name, *site;
        OTF2_RegionRole role;
    } regions[REGIONS] = {
        [INIT] = {"MPI_Init", "solver+0x10", OTF2_REGION_ROLE_FUNCTION},
        [ALLREDUCE] = {"MPI_Allreduce", "solver+0x40", OTF2_REGION_ROLE_COLL_ALL2ALL},
        [DOT] = {"MPI_Allreduce", "solver+0x80", OTF2_REGION_ROLE_COLL_ALL2ALL},
        [IRECV] = {"MPI_Irecv", "solver+0x90", OTF2_REGION_ROLE_POINT2POINT},
        [ISEND] = {"MPI_Isend", "solver+0xa0", OTF2_REGION_ROLE_POINT2POINT},
        [WAITALL] = {"MPI_Waitall", "solver+0xb0", OTF2_REGION_ROLE_POINT2POINT},
        [FINALIZE] = {"MPI_Finalize", "solver+0xf0", OTF2_REGION_ROLE_FUNCTION},
        [HOP_WAIT] = {ARCHIVE_REGION_HOP_WAIT, NULL, OTF2_REGION_ROLE_DATA_TRANSFER},
        [COMBINE] = {ARCHIVE_REGION_COMBINE, NULL, OTF2_REGION_ROLE_FUNCTION},
        [SENDRECV] = {"MPI_Sendrecv", "solver+0xc0", OTF2_REGION_ROLE_POINT2POINT},
        [STARTALL] = {"MPI_Startall", "solver+0xc8", OTF2_REGION_ROLE_POINT2POINT},
        [WAIT] = {"MPI_Wait", "solver+0xd0", OTF2_REGION_ROLE_POINT2POINT},
        [SEND] = {"MPI_Send", "solver+0xd8", OTF2_REGION_ROLE_POINT2POINT},
        [RECV] = {"MPI_Recv", "solver+0xe0", OTF2_REGION_ROLE_POINT2POINT},
    };
    for (OTF2_RegionRef r = 0; r < REGIONS; r++) {
        OTF2_StringRef name = string(definitions, regions[r].name);
        check(OTF2_GlobalDefWriter_WriteRegion(definitions, r, name, name, empty, regions[r].role,
                                               regions[r].site ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                               OTF2_REGION_FLAG_NONE,
                                               regions[r].site ? string(definitions, regions[r].site) : empty, 0, 0),
              "region");
    }
}

static void define(OTF2_Archive *archive, uint64_t first, uint64_t last) {
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, first, last - first,
                                                    OTF2_UNDEFINED_TIMESTAMP),
          "clock");
    OTF2_StringRef empty = string(definitions, "");
    define_regions(definitions, empty);
    OTF2_StringRef node = string(definitions, ARCHIVE_CLASS_HOST), cluster = string(definitions, ARCHIVE_CLASS_CLUSTER);
    OTF2_StringRef machine = string(definitions, ARCHIVE_CLASS_MACHINE);
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
          "machine");
    char text[64];
    for (uint32_t c = 0; c < 2; c++) {
        snprintf(text, sizeof text, "site%" PRIu32, c);
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 1 + c, string(definitions, text), cluster, 0),
              "cluster");
    }
    for (int h = 0; h < host_count; h++) {
        snprintf(text, sizeof text, "host%d", h);
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, (uint32_t)(3 + h), string(definitions, text), node,
                                                       (uint32_t)(1 + cluster_of(h))),
              "host");
    }
    uint64_t members[MAX_RANKS];
    for (int r = 0; r < rank_count; r++) {
        members[r] = (uint64_t)r;
        snprintf(text, sizeof text, ARCHIVE_RANK "%d", r);
        OTF2_StringRef name = string(definitions, text);
        check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, (OTF2_LocationGroupRef)r, name,
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, (uint32_t)(3 + host_of(r)),
                                                      OTF2_UNDEFINED_LOCATION_GROUP),
              "rank");
        check(OTF2_GlobalDefWriter_WriteLocation(definitions, (OTF2_LocationRef)r, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                 ranks[r].events, (OTF2_LocationGroupRef)r),
              "location");
    }
    for (uint32_t group = 0; group < 2; group++)
        check(OTF2_GlobalDefWriter_WriteGroup(definitions, group, empty,
                                              group ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)rank_count, members),
              "group");
    check(OTF2_GlobalDefWriter_WriteComm(definitions, 0, string(definitions, "MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE),
          "world");
    check(OTF2_GlobalDefWriter_WriteComm(definitions, 1, string(definitions, ARCHIVE_HOPS "binomial-mpich"), 1, 0,
                                         OTF2_COMM_FLAG_NONE),
          "shadow");
    check(OTF2_Archive_SetProperty(archive, ARCHIVE_PROPERTY_VERSION, "synthetic", true), "property");
}

int main(int argc, char **argv) {
    const char *mix = argc > 3 ? argv[3] : "collectives";
    void (*iterate)(uint64_t) = strcmp(mix, "collectives") == 0 ? iterate_with_collectives
                                : strcmp(mix, "messages") == 0  ? iterate_with_messages
                                : strcmp(mix, "parts") == 0     ? iterate_with_parts
                                                                : NULL;
    if (argc < 3 || argc > 6 || !iterate) {
        fprintf(stderr, "usage: synthetic_trace DIRECTORY EVENTS [collectives|messages|parts [RANKS [HOSTS]]]\n");
        return 2;
    }
    uint64_t target_events = strtoull(argv[2], NULL, 10), written = 0;
    rank_count = argc > 4 ? atoi(argv[4]) : rank_count;
    if (rank_count < 2 || rank_count > MAX_RANKS) {
        fprintf(stderr, "synthetic_trace: 2 to %d ranks\n", MAX_RANKS);
        return 2;
    }
    in_blocks = argc > 5;
    host_count = in_blocks ? atoi(argv[5]) : host_count;
    if (host_count < 2 || (in_blocks && host_count > rank_count)) {
        fprintf(stderr, "synthetic_trace: 2 hosts to one for each rank\n");
        return 2;
    }
    mkdir(argv[1], 0777);
    OTF2_Archive *archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive) {
        fprintf(stderr, "synthetic_trace: %s: an archive cannot be written there\n", argv[1]);
        return 1;
    }
    OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_when_full};
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), "flush");
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "serial");
    check(OTF2_Archive_SetCreator(archive, "Hopscope synthetic trace"), "creator");
    check(OTF2_Archive_OpenEvtFiles(archive), "event files");
    check(OTF2_Archive_OpenDefFiles(archive), "definition files");
    const uint64_t first = 1000000000;
    for (int r = 0; r < rank_count; r++) {
        ranks[r].writer = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)r);
        ranks[r].time = first + 1000 * (uint64_t)r;
        enter(r, INIT, 0);
        leave(r, INIT, 5000000);
    }
    for (uint64_t iteration = 0; written < target_events; iteration++) {
        written = 0;
        for (int r = 0; r < rank_count; r++) {
            ranks[r].time += COMPUTE_NS + random_below(JITTER_NS) + (random_below(997) == 0 ? 3000000 : 0);
            written += ranks[r].events;
        }
        iterate(iteration);
    }
    uint64_t last = 0;
    written = 0;
    for (int r = 0; r < rank_count; r++) {
        enter(r, FINALIZE, 1000);
        leave(r, FINALIZE, 100000);
        last = ranks[r].time > last ? ranks[r].time : last;
        written += ranks[r].events;
        check(OTF2_Archive_CloseEvtWriter(archive, ranks[r].writer), "close");
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, (OTF2_LocationRef)r);
        for (int end = 0; end < 2; end++)
            check(OTF2_DefWriter_WriteClockOffset(local, end ? last : first, 0, 0.0), "offset");
        check(OTF2_Archive_CloseDefWriter(archive, local), "close");
    }
    check(OTF2_Archive_CloseEvtFiles(archive), "event files");
    check(OTF2_Archive_CloseDefFiles(archive), "definition files");
    define(archive, first, last);
    check(OTF2_Archive_Close(archive), "close");
    printf("events=%" PRIu64 "\n", written);
    return 0;
}
