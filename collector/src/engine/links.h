/* The emulated links: the time at which a message that is sent now becomes visible to its receiver.
 *
 * Links are full duplex. A host's interface sends one message at a time and receives one at a time; messages inside a
 * host do not use it. A directed pair of hosts carries one message's bytes at a time. So does the link from one cluster
 * to another, which all hosts of the two clusters share. Latencies overlap. A message through a gateway occupies the
 * gateway's receiving and its sending interface. A rank handles one message at a time, sent or received. Times are
 * CLOCK_MONOTONIC in ns.
 *
 * These functions do not wait: each interface, link and rank has a time until which it is busy. The times of interfaces
 * and links are in shared memory, because they belong to all ranks of a machine.
 */
#ifndef HOPSCOPE_LINKS_H
#define HOPSCOPE_LINKS_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/shared_file.h"
#include "topology/topology.h"

struct links {
    const struct topology *topology;
    _Atomic uint64_t *shared;    /* the numbers that link_times.c describes; NULL if nothing is shared */
    _Atomic uint64_t rank_until; /* this rank is busy until then */
    struct shared_file file;     /* holds `shared`; if not mapped, this rank has its own `shared` */
};

/* The times at which a message's first and last byte arrive at a point. They differ only with cut-through, where bytes
 * are forwarded as they arrive. */
struct passage {
    uint64_t first_byte_ns, last_byte_ns;
};

/* Opens the emulation. Collective over MPI_COMM_WORLD. If memory runs out, returns NULL on all ranks. links_close frees
 * the result. */
struct links *links_open(const struct topology *topology);
void links_close(struct links *links);

/* Bytes of memory that the machine's ranks share; 0 if none. */
size_t links_shared_bytes(const struct topology *topology);
/* The times at which a message's first and last byte reach the receiver's host (or the gateway before it), before any
 * interface there handles them. send_ns: the time at which the sending host's interface gets the message. */
struct passage links_send(struct links *links, int from_host, int to_host, int64_t bytes, uint64_t send_ns);
/* The time at which the receiving interfaces have handled the message: the gateway's, if there is one, and the
 * receiver's host's. Interfaces serve messages in the order of the calls, so call it when the first byte arrives. */
uint64_t links_receive(struct links *links, int from_host, int to_host, int64_t bytes, struct passage arrival);

/* True if the topology gives a rank a time to handle a message. */
bool links_occupy_ranks(const struct links *links);
bool links_rank_is_free(const struct links *links, uint64_t now_ns);
/* Occupies this rank with a message, from begin_ns or from when it is free. Returns the end. */
uint64_t links_rank(struct links *links, int64_t bytes, uint64_t begin_ns);

#endif
