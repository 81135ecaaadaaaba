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

int expect(int result, const std::string &message) {
    if (result < 0)
        throw std::system_error(errno, std::generic_category(), message);
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
    const std::string new_path = path + ".new";
    std::ofstream file(new_path);
    if (!(file << text << std::flush))
        throw std::system_error(errno, std::generic_category(), "cannot write " + new_path);
    file.close();
    expect(rename(new_path.c_str(), path.c_str()), "cannot write " + path);
}

pid_t fork_to(const std::function<int()> &task) {
    pid_t child = expect(fork(), "cannot start a process");
    if (child != 0)
        return child;
    int code = 2;
    try {
        code = task();
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
    } attributes{}; /* struct sched_attr, which C libraries before 2.41 lack */
    attributes.size = sizeof attributes;
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    attributes.slice_ns = 100'000;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int become(const std::vector<std::string> &words) {
    std::vector<char *> pointers;
    for (const std::string &word : words)
        pointers.push_back(const_cast<char *>(word.c_str()));
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    const int error_number = errno;
    std::fprintf(stderr, "hopscope: cannot start %s: %s\n", pointers[0], std::strerror(error_number));
    return error_number == ENOENT ? 127 : 126;
}
