/* The yardstick for reading a trace, libotf2's local readers in two processes that only count events:
 *
 *     count_events ANCHOR
 *
 * Locations are divided so that both processes have about the same number of events. Prints `events=N seconds=S`.
 */
#include <otf2/otf2.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 2, MAX_LOCATIONS = 1 << 16 };

struct location {
    OTF2_LocationRef id;
    uint64_t events;
    int process;
};

static struct location locations[MAX_LOCATIONS];
static size_t location_count;

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group) {
    (void)user, (void)name, (void)type, (void)group;
    if (location_count < MAX_LOCATIONS)
        locations[location_count++] = (struct location){self, events, 0};
    return OTF2_CALLBACK_SUCCESS;
}

/* A callback for each signature of libotf2's events; all callbacks only count. */
#define COUNT(name, ...)                                                                                               \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,       \
                                  OTF2_AttributeList *attributes, ##__VA_ARGS__) {                                     \
        (void)location, (void)time, (void)position, (void)attributes;                                                  \
        ++*(uint64_t *)user;                                                                                           \
        return OTF2_CALLBACK_SUCCESS;                                                                                  \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
COUNT(count_time)
COUNT(count_region, OTF2_RegionRef region)
COUNT(count_request, uint64_t request)
COUNT(count_message, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
COUNT(count_nonblocking, uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
COUNT(count_collective, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)

static OTF2_Reader *open_archive(const char *anchor) {
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
        exit(1);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    location_count = 0;
    uint64_t read = 0;
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    return reader;
}

static uint64_t count(OTF2_Reader *reader, int process) {
    uint64_t event_count = 0;
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, count_region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, count_region);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, count_time);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, count_collective);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, count_message);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, count_message);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, count_nonblocking);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, count_nonblocking);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, count_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, count_request);
    for (size_t i = 0; i < location_count; i++) {
        if (locations[i].process != process)
            continue;
        uint64_t read = 0;
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, locations[i].id);
        if (local) {
            OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
            OTF2_Reader_CloseDefReader(reader, local);
        }
        OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, locations[i].id);
        if (!events)
            continue;
        OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &event_count);
        OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
        OTF2_Reader_CloseEvtReader(reader, events);
    }
    return event_count;
}

static int more_events(const void *a, const void *b) {
    uint64_t left = ((const struct location *)a)->events, right = ((const struct location *)b)->events;
    return (left < right) - (left > right);
}

static double clock_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: count_events ANCHOR\n");
        return 2;
    }
    const double begin = clock_seconds();
    uint64_t total = 0;
    int ends[PROCESSES];
    for (int process = 0; process < PROCESSES; process++) {
        int pipe_ends[2];
        if (pipe(pipe_ends) != 0)
            return 1;
        ends[process] = pipe_ends[0];
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child > 0) {
            close(pipe_ends[1]);
            continue;
        }
        OTF2_Reader *reader = open_archive(argv[1]);
        qsort(locations, location_count, sizeof locations[0], more_events);
        uint64_t dealt[PROCESSES] = {0};
        for (size_t i = 0; i < location_count; i++) {
            int owner = dealt[1] < dealt[0];
            locations[i].process = owner;
            dealt[owner] += locations[i].events;
            if (owner == process)
                OTF2_Reader_SelectLocation(reader, locations[i].id);
        }
        uint64_t event_count = count(reader, process);
        if (write(pipe_ends[1], &event_count, sizeof event_count) != sizeof event_count)
            _exit(1);
        _exit(0);
    }
    int failed = 0;
    for (int process = 0; process < PROCESSES; process++) {
        uint64_t event_count = 0;
        failed |= read(ends[process], &event_count, sizeof event_count) != sizeof event_count;
        total += event_count;
    }
    while (wait(NULL) > 0)
        ;
    printf("events=%" PRIu64 " seconds=%.3f\n", total, clock_seconds() - begin);
    return failed;
}
