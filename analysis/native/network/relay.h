/* Carries packets between two clusters, with delay. */
#ifndef HOPSCOPE_NETWORK_RELAY_H
#define HOPSCOPE_NETWORK_RELAY_H

#include <string>

#include "delay_line.h"

/* Carries packets until SIGTERM. ends: the file descriptors of the TAP devices of two clusters. links: the link from
 * the first cluster to the second, and the link back. On SIGUSR1 the relay writes the file `counts`. It has a line for
 * each direction, with the numbers since the last report: packets, bytes, dropped packets, and lateness in ns (median,
 * 99 % quantile). */
void relay(const int (&ends)[2], const Link (&links)[2], const std::string &counts);

#endif
