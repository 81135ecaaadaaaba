#include "hold.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "commands.h"
#include "relay.h"
#include "spaces.h"

namespace {

class Network {
  public:
    explicit Network(std::string folder) : folder_(std::move(folder)) {}
    /* Carries out a line of the plan. Returns false for the line `end`. */
    bool obey(const std::string &line);
    void write_spaces() const;
    void tell_relays(int number) const {
        for (pid_t process : relays_)
            kill(process, number);
    }
    /* Collects the exit codes of ended processes. Throws if a relay or the process that keeps a host was among them. */
    void reap() const;

  private:
    void start_relay(std::istringstream &words);
    void run_in(const std::string &space, std::string command) const;
    std::string folder_, hosts_;
    std::map<std::string, pid_t> spaces_;
    std::vector<pid_t> relays_;
};

Trace trace_of(const std::string &list, uint64_t step_ns) {
    Trace trace{{}, step_ns};
    std::istringstream values(list);
    for (std::string value; std::getline(values, value, ',');)
        trace.values.push_back(std::stod(value));
    if (trace.values.empty())
        throw std::runtime_error("the plan has a link without a latency or a rate");
    return trace;
}

bool Network::obey(const std::string &line) {
    std::istringstream words(line);
    std::string verb, name, rest;
    words >> verb;
    if (verb == "end")
        return false;
    if (verb == "relay") {
        start_relay(words);
        return true;
    }
    words >> name >> std::ws;
    std::getline(words, rest);
    if (verb == "hosts")
        hosts_ = folder_ + "/" + name;
    else if (verb == "space")
        spaces_[name] = make_space(name, hosts_);
    else if (verb == "do")
        run_in(name, rest);
    else
        throw std::runtime_error("the plan has an unknown line: " + line);
    return true;
}

void Network::start_relay(std::istringstream &words) {
    std::string spaces[2], devices[2], counts;
    Link links[2];
    words >> spaces[0] >> devices[0] >> spaces[1] >> devices[1] >> counts;
    for (Link &link : links) {
        std::string latencies, rates;
        uint64_t step_ns = 0;
        words >> latencies >> rates >> step_ns;
        link = {trace_of(latencies, step_ns), trace_of(rates, step_ns)};
    }
    int ready[2];
    expect(pipe(ready), "cannot make a pipe");
    relays_.push_back(fork_to([&] {
        const int ends[2] = {open_tap(spaces_.at(spaces[0]), devices[0]), open_tap(spaces_.at(spaces[1]), devices[1])};
        expect(static_cast<int>(write(ready[1], "", 1)), "cannot report that the relay is ready");
        close(ready[0]);
        close(ready[1]);
        close(STDIN_FILENO);
        relay(ends, links, folder_ + "/" + counts);
        return 0;
    }));
    close(ready[1]);
    char byte;
    const bool good = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (!good)
        throw std::runtime_error("a link could not be made; the line above says why");
}

void Network::run_in(const std::string &space, std::string command) const {
    for (const auto &[name, process] : spaces_)
        for (size_t position; (position = command.find("{" + name + "}")) != std::string::npos;)
            command.replace(position, name.size() + 2, std::to_string(process));
    const pid_t keeper = spaces_.at(space);
    pid_t child = fork_to([&] {
        go_into("/proc", keeper, false);
        return become({"sh", "-c", command});
    });
    int status = 0;
    expect(waitpid(child, &status, 0), "cannot wait for a command");
    if (code_of(status) != 0)
        throw std::runtime_error("the network could not be made: `" + command + "` ended with code " +
                                 std::to_string(code_of(status)) + " on " + space);
}

void Network::write_spaces() const {
    struct stat pid_space{};
    expect(stat("/proc/self/ns/pid", &pid_space), "cannot see this process's namespaces");
    std::string text = std::to_string(pid_space.st_ino) + "\n";
    for (const auto &[name, process] : spaces_)
        text += name + " " + std::to_string(process) + "\n";
    replace_file(folder_ + "/spaces", text);
}

void Network::reap() const {
    for (pid_t child; (child = waitpid(-1, nullptr, WNOHANG)) > 0;) {
        for (pid_t process : relays_)
            if (child == process)
                throw std::runtime_error("a relay of the network was killed");
        for (const auto &[name, process] : spaces_)
            if (child == process)
                throw std::runtime_error("the process that keeps " + name + " was killed");
    }
}

volatile sig_atomic_t report_signal, end_signal;

void hear(int number) {
    if (number == SIGUSR1)
        report_signal = 1;
    if (number == SIGTERM)
        end_signal = 1;
}

void listen_with(sigset_t &while_waiting) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int number : {SIGUSR1, SIGTERM, SIGCHLD}) {
        struct sigaction action{};
        action.sa_handler = hear;
        sigaction(number, &action, nullptr);
        sigaddset(&signals, number);
    }
    sigprocmask(SIG_BLOCK, &signals, &while_waiting);
    for (int number : {SIGUSR1, SIGTERM, SIGCHLD})
        sigdelset(&while_waiting, number);
}

/* Makes and keeps the network, in the first process of its process namespace. When that process ends, the kernel ends
 * all others of the namespace. */
int keep(const std::string &folder, bool stay) {
    settle();
    Network network(folder);
    for (std::string line = "hosts hosts"; network.obey(line);)
        if (!std::getline(std::cin, line))
            throw std::runtime_error("the plan has no end, so the network was not made");
    network.write_spaces();
    sigset_t while_waiting;
    listen_with(while_waiting);
    if (std::puts("up") < 0 || std::fflush(stdout) != 0)
        return 2;
    while (!end_signal) {
        /* After the plan, nothing comes on standard input but its end. */
        pollfd input{stay ? -1 : STDIN_FILENO, POLLIN, 0};
        const int ready = ppoll(&input, 1, nullptr, &while_waiting);
        char byte;
        if (ready > 0 && read(STDIN_FILENO, &byte, 1) <= 0)
            break;
        network.reap();
        if (report_signal) {
            report_signal = 0;
            network.tell_relays(SIGUSR1);
        }
    }
    return 0;
}

pid_t first;

} // namespace

int hold(const std::string &folder, bool stay) {
    const pid_t holder = getpid(), parent = getppid();
    if (stay)
        expect(chdir("/"), "cannot leave the folder");
    leave_machine();
    first = fork_to([&] {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return keep(folder, stay);
    });
    replace_file(folder + "/holder", std::to_string(holder) + " " + std::to_string(first) + "\n");
    for (int number : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) {
        struct sigaction action{};
        action.sa_handler = [](int signal_number) { kill(first, signal_number == SIGUSR1 ? SIGUSR1 : SIGTERM); };
        sigaction(number, &action, nullptr);
    }
    int status = 0;
    while (waitpid(first, &status, 0) < 0)
        if (errno != EINTR)
            return 2;
    const int code = code_of(status);
    if (code == 0 || getppid() != parent) /* otherwise the parent still reads in the folder what went wrong */
        std::filesystem::remove_all(folder);
    return code;
}
