/* Runs commands on the hosts of a network that `hold` keeps. */
#ifndef HOPSCOPE_NETWORK_ENTER_H
#define HOPSCOPE_NETWORK_ENTER_H

#include <string>
#include <vector>

/* Runs a command (words) on a host and returns its exit code. Outside the network this process stays as the command's
 * parent: it passes signals on, and the command dies with it. */
int enter(const std::string &folder, const std::string &host, const std::vector<std::string> &words);
/* Runs a command as a launch agent does. words: options, which are skipped, a host, and words that are joined to a
 * command for a shell on that host. */
int enter_as_agent(const std::string &folder, const std::vector<std::string> &words);

#endif
