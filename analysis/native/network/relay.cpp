#include "relay.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "commands.h"

namespace {

volatile sig_atomic_t report_signal, end_signal;

uint64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/* Lets packets leave within a microsecond of their due time, even if ranks keep every core busy. */
void hurry() {
    prctl(PR_SET_TIMERSLACK, 1UL);
    sched_param first{};
    first.sched_priority = 1;
    sched_setscheduler(0, SCHED_FIFO,
                       &first); /* fails without privileges; packets are then later, which the counts show */
}

void listen(sigset_t &while_waiting) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &while_waiting);
    sigdelset(&while_waiting, SIGUSR1);
    sigdelset(&while_waiting, SIGTERM);
    struct sigaction action{};
    action.sa_handler = [](int number) { (number == SIGTERM ? end_signal : report_signal) = 1; };
    sigaction(SIGUSR1, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

std::string line_of(const DelayLine::Counts &counts) {
    std::string line;
    for (uint64_t number :
         {counts.packets, counts.bytes, counts.dropped, counts.lateness.quantile(0.5), counts.lateness.quantile(0.99)})
        line += std::to_string(number) + " ";
    return line + "\n";
}

/* The number of packets that are read at once. With more, the other direction would wait too long. */
enum { BATCH_PACKETS = 64 };

void take_in(int end, DelayLine &line) {
    static uint8_t packet[65536];
    for (int i = 0; i < BATCH_PACKETS; i++) {
        ssize_t bytes = read(end, packet, sizeof packet);
        if (bytes <= 0)
            return;
        line.put_in(packet, static_cast<size_t>(bytes), now_ns());
    }
}

void hand_on(DelayLine &line, int end) {
    while (const std::vector<uint8_t> *packet = line.take_out(now_ns()))
        if (write(end, packet->data(), packet->size()) < 0)
            line.count_loss();
}

} // namespace

void relay(const int (&ends)[2], const Link (&links)[2], const std::string &counts) {
    sigset_t while_waiting;
    listen(while_waiting);
    hurry();
    DelayLine lines[2] = {DelayLine(links[0]), DelayLine(links[1])};
    while (!end_signal) {
        std::optional<uint64_t> due;
        for (const DelayLine &line : lines)
            if (auto next = line.next_due())
                due = due ? std::min(*due, *next) : *next;
        const uint64_t time_ns = now_ns(), wait = due && *due > time_ns ? *due - time_ns : 0;
        const timespec rest{static_cast<time_t>(wait / 1'000'000'000), static_cast<long>(wait % 1'000'000'000)};
        pollfd watched[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
        if (ppoll(watched, 2, due ? &rest : nullptr, &while_waiting) < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "a relay cannot wait");
        for (int i = 0; i < 2; i++) {
            take_in(ends[i], lines[i]);
            hand_on(lines[i], ends[1 - i]);
            hand_on(lines[1 - i], ends[i]);
        }
        if (report_signal) {
            report_signal = 0;
            replace_file(counts, line_of(lines[0].counts()) + line_of(lines[1].counts()));
        }
    }
}
