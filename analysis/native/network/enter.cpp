#include "enter.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <stdexcept>

#include "commands.h"
#include "spaces.h"

namespace {

struct Place {
    bool in_network;  /* true if this process is on a host of the network */
    std::string proc; /* the /proc that shows the network's processes */
    pid_t keeper;     /* the process that keeps the host's namespaces */
};

Place find(const std::string &folder, const std::string &host) {
    std::istringstream spaces(text_of(folder + "/spaces")), holder(text_of(folder + "/holder"));
    uint64_t space = 0;
    pid_t outer = 0, first = 0, process = 0;
    std::string name, host_names;
    spaces >> space;
    holder >> outer >> first;
    struct stat pid_space{};
    expect(stat("/proc/self/ns/pid", &pid_space), "cannot see this process's namespaces");
    const bool in_network = pid_space.st_ino == space;
    while (spaces >> name >> process) {
        if (name == host)
            return {in_network, in_network ? "/proc" : "/proc/" + std::to_string(first) + "/root/proc", process};
        if (name.find(':') == std::string::npos) /* leave out switches, whose names have a colon */
            host_names += " " + name;
    }
    throw std::runtime_error("the network has no host " + host + "; it has" + host_names);
}

pid_t child;

/* Passes a signal to the child, unless it comes from the terminal, which signals the child itself. */
void hand_on(int number, siginfo_t *info, void *) {
    if (info->si_code != SI_KERNEL)
        kill(child, number);
}

} // namespace

int enter(const std::string &folder, const std::string &host, const std::vector<std::string> &words) {
    const Place place = find(folder, host);
    go_into(place.proc, place.keeper, !place.in_network);
    share_cores();
    if (place.in_network)
        return become(words);
    child = fork_to([&] {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        return become(words);
    });
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT}) {
        struct sigaction action{};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = hand_on;
        sigaction(number, &action, nullptr);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 2;
    return code_of(status);
}

int enter_as_agent(const std::string &folder, const std::vector<std::string> &words) {
    auto host = words.begin();
    while (host != words.end() && host->rfind('-', 0) == 0)
        host++;
    if (host == words.end())
        throw std::runtime_error("a launch agent needs a host and a command");
    std::string command;
    for (auto word = host + 1; word != words.end(); word++)
        command += (command.empty() ? "" : " ") + *word;
    return enter(folder, *host, {"sh", "-c", command});
}
