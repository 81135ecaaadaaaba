/* hopscope-net: hosts that are network namespaces of this machine, joined by links that delay packets.
 *
 *   hopscope-net hold FOLDER [stay] < PLAN   makes a network from a plan and keeps it; `stay`: until SIGTERM
 *   hopscope-net enter FOLDER HOST WORDS...  runs a command on a host, from outside or from another host
 *   hopscope-net agent FOLDER HOST WORDS...  runs a command in place of ssh, for an MPI launcher: skips options before
 *                                            HOST and joins WORDS to a shell command
 *
 * hopscope.launch.network writes the plan, which hold.h describes, and reads the packets that the relays count.
 */
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "enter.h"
#include "hold.h"

int main(int count, char **words) {
    std::vector<std::string> arguments(words + 1, words + count);
    try {
        if (arguments.size() >= 2 && arguments[0] == "hold")
            return hold(arguments[1], arguments.size() > 2 && arguments[2] == "stay");
        if (arguments.size() >= 4 && arguments[0] == "enter")
            return enter(arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()});
        if (arguments.size() >= 4 && arguments[0] == "agent")
            return enter_as_agent(arguments[1], {arguments.begin() + 2, arguments.end()});
        std::fprintf(stderr, "hopscope-net: expected hold, enter or agent; people use `hopscope net --help`\n");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "hopscope: %s\n", error.what());
    }
    return 2;
}
