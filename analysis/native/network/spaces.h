/* Namespaces that stand for a host or for the switch of a site. */
#ifndef HOPSCOPE_NETWORK_SPACES_H
#define HOPSCOPE_NETWORK_SPACES_H

#include <sys/types.h>

#include <string>

/* In this process: namespaces of its own for users if it is not root, for processes and for mounts. The next child is
 * the first process of the process namespace: when it ends, the kernel kills all others in there. */
void leave_machine();
/* In that first process: mounts are its own, and /proc shows its processes. */
void settle();

/* A process that keeps a host's namespaces: network, host name, shared memory of both kinds, and mounts, with a
 * /dev/shm of its own and `hosts` as /etc/hosts. Returns once they are there. */
pid_t make_space(const std::string &name, const std::string &hosts);

/* In this process: goes into the namespaces of a process, which `proc` (/proc, or another process namespace's) shows,
 * and stays in the same folder. `processes`: also into its user and process namespace, where the next child will be. */
void go_into(const std::string &proc, pid_t process, bool processes);

/* A TAP device in the network namespace of a process; its end that packets are read from and written to. */
int open_tap(pid_t process, const std::string &device);

#endif
