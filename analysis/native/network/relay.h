/* Carries packets between two clusters. */
#ifndef HOPSCOPE_NETWORK_RELAY_H
#define HOPSCOPE_NETWORK_RELAY_H

#include <string>

#include "delay_line.h"

/* ends: the file descriptors of the TAP devices of two clusters. links: from the first cluster to the second, and back.
 * Runs until SIGTERM. On SIGUSR1 the relay writes what it has carried since the last report to the file `counts`, a
 * line for each direction: packets, bytes, dropped packets, lateness in ns (median, 99 %). */
void relay(const int (&ends)[2], const Link (&links)[2], const std::string &counts);

#endif
