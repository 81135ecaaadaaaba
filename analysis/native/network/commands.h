/* Turns errors of system calls into exceptions, reads and writes files, and starts processes. */
#ifndef HOPSCOPE_NETWORK_COMMANDS_H
#define HOPSCOPE_NETWORK_COMMANDS_H

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/* Returns a system call's result. If it is negative, throws std::system_error "message: reason". */
int expect(int result, const std::string &message);

/* Reads a whole file. Throws std::system_error. */
std::string text_of(const std::string &path);
/* Replaces a file in one step, so that no reader sees half of it. Throws std::system_error. */
void replace_file(const std::string &path, const std::string &text);

/* Starts a child process that runs the task and exits with the task's result. If the task throws, the child prints the
 * error and exits with 2. */
pid_t fork_to(const std::function<int()> &task);
/* The exit code of a process, as shells report it: 128 + n if signal n ended it. status: the result of waitpid(). */
int code_of(int status);

/* Makes this process and its children give up a core after 0.1 ms if another process wants it. The ranks of all hosts
 * share this machine's cores, and a rank that polls while it waits would otherwise keep a core for several ms. Has no
 * effect before Linux 6.12. */
void share_cores();

/* Replaces this process by a command. Returns only if that fails: prints the reason and returns 127 or 126. */
int become(const std::vector<std::string> &words);

#endif
