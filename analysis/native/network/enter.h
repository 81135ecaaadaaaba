/* Running commands on the hosts of a network that hold keeps. */
#ifndef HOPSCOPE_NETWORK_ENTER_H
#define HOPSCOPE_NETWORK_ENTER_H

#include <string>
#include <vector>

/* Runs words on a host; returns their exit code. From outside the network it stays as their parent, hands signals on,
 * and they die with it. */
int enter(const std::string &folder, const std::string &host, const std::vector<std::string> &words);
/* words: options, which are skipped, a host, and words for a shell there. */
int enter_as_agent(const std::string &folder, const std::vector<std::string> &words);

#endif
