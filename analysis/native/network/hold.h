/* Makes a network of hosts (namespaces of this machine) from a plan, and keeps it. */
#ifndef HOPSCOPE_NETWORK_HOLD_H
#define HOPSCOPE_NETWORK_HOLD_H

#include <string>

/* Reads a plan from standard input, makes the network, writes `up` to standard output, and keeps the network until
 * standard input ends (`stay`: until SIGTERM). When this process ends, for whatever reason, all processes on its hosts
 * end, too. Returns the exit code. Writes the files `spaces` and `holder` in `folder`, by which enter() finds the
 * hosts; at a regular end removes the folder. Passes SIGUSR1 on to the relays.
 *
 * A plan has these lines, and ends with the line `end`. FILE and COUNTS are names of files in `folder`.
 *   hosts FILE                    the file that every host gets as /etc/hosts
 *   space NAME                    makes a host or a switch
 *   relay SPACE DEVICE SPACE DEVICE COUNTS  LATENCIES RATES STEP  LATENCIES RATES STEP
 *                                 makes a TAP device in each of two spaces, and passes packets between them with delay
 *   do SPACE COMMAND...           runs a shell command in a space; {NAME} means the process that keeps the space NAME
 *
 * A relay has LATENCIES (ns), RATES (bytes per second; 0: unlimited) and STEP for each direction. LATENCIES and RATES
 * are lists with commas, and each element is valid for STEP ns (0: the first element is always valid). */
int hold(const std::string &folder, bool stay);

#endif
