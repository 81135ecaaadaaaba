/* Errors of system calls, and child processes. */
#ifndef HOPSCOPE_NETWORK_COMMANDS_H
#define HOPSCOPE_NETWORK_COMMANDS_H

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/* Returns a system call's result. If the call failed, throws std::system_error "message: reason". */
int expect(int result, const std::string &message);

/* Reads a whole file. Throws std::system_error. */
std::string text_of(const std::string &path);
/* Replaces a file as a whole, so that nobody reads half of it. Throws std::system_error. */
void replace_file(const std::string &path, const std::string &text);

/* Starts a child that runs the task and exits with the task's result. After an error, which it prints, it exits with
 * 2. */
pid_t fork_to(const std::function<int()> &task);
/* The exit code as shells report it: 128 + n after signal n. */
int code_of(int status);

/* Makes this process and its children give up a core after 0.1 ms if another process wants it. The ranks of all hosts
 * share this machine's cores, and a rank that waits busily would otherwise keep a core for several ms. Has no effect if
 * the kernel cannot do it (before Linux 6.12). */
void share_cores();

/* Replaces this process by a command. Returns only if that fails: 127 or 126, after it printed why. */
int become(const std::vector<std::string> &words);

#endif
