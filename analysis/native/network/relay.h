/* Carries packets between two clusters. */
#ifndef HOPSCOPE_NETWORK_RELAY_H
#define HOPSCOPE_NETWORK_RELAY_H

#include <string>

#include "delay_line.h"

/* ends: what was opened of the TAP devices of two clusters; links: from the first to the second, and back. Runs until
 * SIGTERM. SIGUSR1 makes it write to the file `counts` what it carried since the last time, a line for each direction:
 * packets, bytes, dropped packets, lateness in ns (median, 99 %). */
void relay(const int (&ends)[2], const Link (&links)[2], const std::string &counts);

#endif
