/* Makes a network from a plan, and keeps it. */
#ifndef HOPSCOPE_NETWORK_HOLD_H
#define HOPSCOPE_NETWORK_HOLD_H

#include <string>

/* Reads a plan from standard input, makes what it says, writes `up` to standard output, and keeps it until standard
 * input ends (`stay`: until SIGTERM). Ends with all processes on its hosts, whatever ends it; at a regular
 * end it removes FOLDER.
 * Returns the exit code. FOLDER gets the files `spaces` and `holder`, by which enter finds the hosts. SIGUSR1 goes on
 * to the relays.
 *
 * A plan's lines, up to the line `end`; files are names in FOLDER:
 *   hosts FILE                    what every host shall have as /etc/hosts
 *   space NAME                    a host or a switch
 *   relay SPACE DEVICE SPACE DEVICE COUNTS  LATENCIES RATES STEP  LATENCIES RATES STEP
 *                                 a TAP device in each of two spaces, what passes between them delayed; per direction
 * the latency in ns and the bytes per second (0: unlimited), each a list with commas, and for how many ns an element of
 * a list holds (0: the first for ever) do SPACE COMMAND...           in a shell; {NAME} means the process that keeps
 * the space NAME */
int hold(const std::string &folder, bool stay);

#endif
