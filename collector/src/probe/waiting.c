#include "probe/waiting.h"

#include <sched.h>
#include <time.h>

enum {
    POLLS_BEFORE_YIELDING = 2000,
    SHORTEST_NAP_NS = 20 * 1000,
    LONGEST_NAP_NS = 1000 * 1000,
    AWAKE_NS = 100 * 1000, /* how early a sleep ends, because the system may wake the process this much late */
};

int64_t probe_now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void nap(int64_t ns) {
    struct timespec pause = {ns / 1000000000, ns % 1000000000};
    nanosleep(&pause, NULL);
}

void probe_pause(int polls) {
    if (polls > POLLS_BEFORE_YIELDING)
        sched_yield();
}

static int wait_for(MPI_Request *request) {
    MPI_Status status;
    int done = 0;
    for (int polls = 0;; polls++) {
        pmpi.Test(request, &done, &status);
        if (done)
            return status.MPI_TAG;
        probe_pause(polls);
    }
}

void probe_wait(MPI_Request *request) {
    wait_for(request);
}

void probe_send(void *bytes, int count, int receiver, int tag) {
    MPI_Request request;
    pmpi.Isend(bytes, count, MPI_BYTE, receiver, tag, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

int probe_receive(void *bytes, int count, int sender, int tag) {
    MPI_Request request;
    pmpi.Irecv(bytes, count, MPI_BYTE, sender, tag, MPI_COMM_WORLD, &request);
    return wait_for(&request);
}

int probe_sleep_until_message(int sender, int tag) {
    int64_t pause = SHORTEST_NAP_NS;
    for (;;) {
        MPI_Status status;
        int has_arrived = 0, bytes = 0;
        pmpi.Iprobe(sender, tag, MPI_COMM_WORLD, &has_arrived, &status);
        if (has_arrived) {
            pmpi.Get_count(&status, MPI_BYTE, &bytes);
            return bytes;
        }
        nap(pause);
        pause = pause * 2 < LONGEST_NAP_NS ? pause * 2 : LONGEST_NAP_NS;
    }
}

void probe_stay_away(int64_t ns) {
    int64_t end_ns = probe_now_ns() + ns;
    if (ns > 2 * AWAKE_NS)
        nap(ns - AWAKE_NS);
    while (probe_now_ns() < end_ns)
        ;
}
