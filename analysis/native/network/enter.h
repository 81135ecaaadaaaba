/* Runs commands on the hosts of a network that `hopscope-net hold` keeps. */
#ifndef HOPSCOPE_NETWORK_ENTER_H
#define HOPSCOPE_NETWORK_ENTER_H

#include <string>
#include <vector>

/* Runs a command (words) on a host and returns its exit code. If this process is outside the network, it stays as the
 * command's parent: it passes signals on, and if it dies, the command dies, too. folder: the folder of the network. */
int enter(const std::string &folder, const std::string &host, const std::vector<std::string> &words);
/* Runs a command as ssh does for an MPI launcher. words: options, which are skipped; then a host; then words that are
 * joined to a command for a shell on that host. */
int enter_as_agent(const std::string &folder, const std::vector<std::string> &words);

#endif
