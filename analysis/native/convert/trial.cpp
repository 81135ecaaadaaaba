/* A child process reads the definitions and reports success, or does not. */
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
constexpr rlim_t kLeastSeconds = 5, kSecondsPerMiB = 1; /* of CPU time; reading takes a hundredth of that */
constexpr rlim_t kLeastBytes = 512 * kMiB, kBytesPerByte = 64;
constexpr char kAnchorRead = '\1'; /* the child writes it after reading the anchor; then, in words, why it failed */
constexpr unsigned kLongestSeconds = 600; /* of wall-clock time, in case it hangs without computing */

rlim_t size_of(const std::string &file) {
    struct stat about;
    return stat(file.c_str(), &about) == 0 ? static_cast<rlim_t>(about.st_size) : 0;
}

void limit(int resource, rlim_t most) {
    const struct rlimit both = {most, most};
    setrlimit(resource, &both);
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
    if (const rlim_t now = addresses())
        limit(RLIMIT_AS, now + kLeastBytes + kBytesPerByte * bytes);
    std::string said;
    try {
        const Archive archive(anchor);
        if (write(note, &kAnchorRead, 1) == 1)
            read_definitions(archive);
    } catch (const ArchiveError &problem) {
        said = problem.what();
    } catch (const std::exception &problem) { /* out of memory */
        said = anchor + ": damaged: " + problem.what();
    }
    _exit(write(note, said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
}

/* Everything that the child wrote. */
std::string read_note(int note) {
    std::string said;
    char some[512];
    for (ssize_t count; (count = read(note, some, sizeof some)) > 0 || (count < 0 && errno == EINTR);)
        said.append(some, static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return said;
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
        const auto lock = hold_opening(); /* otherwise another thread might hold it for ever in the child */
        child = fork();
    }
    if (child == 0)
        read_and_exit(anchor, bytes, note[1]);
    close(note[1]);
    std::string said = read_note(note[0]);
    close(note[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    const bool anchor_was_read = !said.empty() && said[0] == kAnchorRead;
    if (anchor_was_read)
        said.erase(0, 1);
    if (!said.empty())
        throw ArchiveError(said);
    if (child < 0 || !WIFSIGNALED(status) || WTERMSIG(status) == SIGALRM)
        return;
    const int number = WTERMSIG(status);
    const bool endless = number == SIGXCPU || number == SIGKILL;
    throw ArchiveError((anchor_was_read ? definitions : anchor) + ": damaged: libotf2 " +
                       (endless ? "never finishes" : "crashes (signal " + std::to_string(number) + ")") +
                       " reading it");
}

} // namespace hopscope
