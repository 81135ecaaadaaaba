/* A child process reads the definitions and tells the parent through a pipe if it succeeded. */
#include "trial.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive.h"
#include "definitions.h"

namespace hopscope {
namespace {

constexpr rlim_t kMiB = 1 << 20;
constexpr rlim_t kLeastSeconds = 5, kSecondsPerMiB = 1; /* limit of CPU time; normal reading takes a hundredth of it */
constexpr rlim_t kLeastBytes = 512 * kMiB, kBytesPerByte = 64;
constexpr char kAnchorRead =
    '\1'; /* the child writes this when it has read the anchor; the reason of a later failure follows */
constexpr unsigned kLongestSeconds = 600; /* limit of wall-clock time, in case the child hangs without computing */

rlim_t size_of(const std::string &file) {
    struct stat status;
    return stat(file.c_str(), &status) == 0 ? static_cast<rlim_t>(status.st_size) : 0;
}

void limit(int resource, rlim_t maximum) {
    const struct rlimit limits = {maximum, maximum};
    setrlimit(resource, &limits);
}

/* The size of this process's address space; 0 if unknown. */
rlim_t addresses() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void read_and_exit(const std::string &anchor, rlim_t bytes, int note) {
    signal(SIGALRM, SIG_DFL);
    alarm(kLongestSeconds);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, kLeastSeconds + bytes / kMiB * kSecondsPerMiB);
    if (const rlim_t used = addresses())
        limit(RLIMIT_AS, used + kLeastBytes + kBytesPerByte * bytes);
    std::string message;
    try {
        const Archive archive(anchor);
        if (write(note, &kAnchorRead, 1) == 1)
            read_definitions(archive);
    } catch (const ArchiveError &problem) {
        message = problem.what();
    } catch (const std::exception &problem) { /* out of memory */
        message = anchor + ": damaged: " + problem.what();
    }
    _exit(write(note, message.data(), message.size()) == static_cast<ssize_t>(message.size()) ? 0 : 1);
}

/* Reads everything that the child writes into the pipe. */
std::string read_note(int note) {
    std::string message;
    char buffer[512];
    for (ssize_t count; (count = read(note, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR);)
        message.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return message;
}

} // namespace

void try_definitions(const std::string &anchor) {
    int note[2];
    if (pipe(note) != 0)
        return;
    const std::string definitions = definitions_file_of(anchor);
    const rlim_t bytes = size_of(anchor) + size_of(definitions);
    pid_t child;
    {
        const auto lock = hold_opening(); /* if another thread held the lock now, the child would wait for it forever */
        child = fork();
    }
    if (child == 0)
        read_and_exit(anchor, bytes, note[1]);
    close(note[1]);
    std::string message = read_note(note[0]);
    close(note[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    const bool anchor_was_read = !message.empty() && message[0] == kAnchorRead;
    if (anchor_was_read)
        message.erase(0, 1);
    if (!message.empty())
        throw ArchiveError(message);
    if (child < 0 || !WIFSIGNALED(status) || WTERMSIG(status) == SIGALRM)
        return;
    const int number = WTERMSIG(status);
    const bool endless = number == SIGXCPU || number == SIGKILL;
    throw ArchiveError((anchor_was_read ? definitions : anchor) + ": damaged: libotf2 " +
                       (endless ? "never finishes" : "crashes (signal " + std::to_string(number) + ")") +
                       " reading it");
}

} // namespace hopscope
