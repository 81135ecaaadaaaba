#include "commands.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <system_error>

int expect(int result, const std::string &what) {
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), what);
    return result;
}

std::string text_of(const std::string &path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw std::system_error(errno, std::generic_category(), "cannot read " + path);
    return text.str();
}

void replace_file(const std::string &path, const std::string &text) {
    const std::string made = path + ".new";
    std::ofstream file(made);
    if (!(file << text << std::flush))
        throw std::system_error(errno, std::generic_category(), "cannot write " + made);
    file.close();
    expect(rename(made.c_str(), path.c_str()), "cannot write " + path);
}

pid_t fork_to(const std::function<int()> &something) {
    pid_t child = expect(fork(), "cannot start a process");
    if (child != 0)
        return child;
    int code = 2;
    try {
        code = something();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "hopscope: %s\n", error.what());
    }
    _exit(code);
}

int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void share_cores() {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice_ns, deadline_ns, period_ns;
    } wanted{}; /* struct sched_attr, which C libraries before 2.41 lack */
    wanted.size = sizeof wanted;
    wanted.nice = getpriority(PRIO_PROCESS, 0);
    wanted.slice_ns = 100'000;
    syscall(SYS_sched_setattr, 0, &wanted, 0);
}

int become(const std::vector<std::string> &words) {
    std::vector<char *> pointers;
    for (const std::string &word : words)
        pointers.push_back(const_cast<char *>(word.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    const int why = errno;
    std::fprintf(stderr, "hopscope: cannot start %s: %s\n", pointers[0], std::strerror(why));
    return why == ENOENT ? 127 : 126;
}
