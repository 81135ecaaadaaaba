/* Makes a network from a plan and keeps it. */
#ifndef HOPSCOPE_NETWORK_HOLD_H
#define HOPSCOPE_NETWORK_HOLD_H

#include <string>

/* Reads a plan from standard input, makes the network, writes `up` to standard output, and keeps the network until
 * standard input ends (`stay`: until SIGTERM). When this process ends, for whatever reason, all processes on its hosts
 * end; at a regular end it removes FOLDER. Returns the exit code. FOLDER gets the files `spaces` and `holder`, by which
 * enter() finds the hosts. SIGUSR1 is passed on to the relays.
 *
 * A plan has these lines, and ends with the line `end`. Files are names in FOLDER.
 *   hosts FILE                    the file that every host gets as /etc/hosts
 *   space NAME                    makes a host or a switch
 *   relay SPACE DEVICE SPACE DEVICE COUNTS  LATENCIES RATES STEP  LATENCIES RATES STEP
 *                                 makes a TAP device in each of two spaces, and delays the packets between them
 *   do SPACE COMMAND...           runs a shell command in a space; {NAME} means the process that keeps the space NAME
 *
 * A relay has LATENCIES (ns), RATES (bytes per second; 0: unlimited) and STEP for each direction. The first two are
 * lists with commas, and each element holds for STEP ns (0: the first holds for ever). */
int hold(const std::string &folder, bool stay);

#endif
