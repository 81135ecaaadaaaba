/* The emulated links: when a message that is sent now becomes visible to its receiver.
 *
 * Full duplex: a host's interface sends one message at a time and receives one at a time, only to and from other hosts;
 * a directed pair of hosts carries one message's bytes at a time; latencies overlap. Times are CLOCK_MONOTONIC in ns.
 * What the ranks of one machine share (which interface and link is busy until when) lies in memory that they share.
 */
#ifndef HOPSCOPE_LINKS_H
#define HOPSCOPE_LINKS_H

#include <stdint.h>

#include "topology/topology.h"

struct links;

/* Collective over MPI_COMM_WORLD. NULL without memory, on all ranks alike. */
struct links *links_open(const struct topology *topology);
void links_close(struct links *links);

/* When a message sent at now leaves the wire at its receiver's host, before that host's interface has dealt with it. */
uint64_t links_send(struct links *links, int from_host, int to_host, int64_t bytes, uint64_t now);
/* When a message that reached the interface of to_host at `at` is visible. */
uint64_t links_receive(struct links *links, int from_host, int to_host, int64_t bytes, uint64_t at);

/* Equal on the ranks of one machine, whose clocks are one. */
uint64_t links_machine(void);

#endif
