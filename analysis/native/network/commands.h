/* Errors of system calls, and child processes. */
#ifndef HOPSCOPE_NETWORK_COMMANDS_H
#define HOPSCOPE_NETWORK_COMMANDS_H

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/* Throws std::system_error "message: reason" if a system call failed. Returns its result otherwise. */
int expect(int result, const std::string &message);

/* A file's whole text. Throws std::system_error. */
std::string text_of(const std::string &path);
/* Replaces a file as a whole, so that nobody reads half of it. Throws std::system_error. */
void replace_file(const std::string &path, const std::string &text);

/* Starts a child that runs the task and exits with the result; with 2 after an error, which it prints. */
pid_t fork_to(const std::function<int()> &task);
/* The exit code as shells report it: 128 + n after signal n. */
int code_of(int status);

/* In this process and its children: they give up a core after 0.1 ms if somebody else wants it. The ranks of all hosts
 * share this machine's cores, and one that waits busily would otherwise keep them from others for several ms. Without
 * effect where the kernel cannot do it (before Linux 6.12). */
void share_cores();

/* Replaces this process by a command. Returns only if that fails: 127 or 126, after a line about it. */
int become(const std::vector<std::string> &words);

#endif
