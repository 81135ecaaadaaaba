/* Namespaces, each of which stands for a host or for the switch of a site. */
#ifndef HOPSCOPE_NETWORK_SPACES_H
#define HOPSCOPE_NETWORK_SPACES_H

#include <sys/types.h>

#include <string>

/* Gives this process its own namespaces for processes and for mounts, and for users if it is not root. The next child
 * is the first process of the process namespace: when it ends, the kernel kills all others in there. */
void leave_machine();
/* Makes mounts private and mounts a /proc that shows the namespace's processes. Call it in that first process. */
void settle();

/* Starts a process that keeps a host's namespaces: network, host name, shared memory of both kinds, and mounts, with
 * its own /dev/shm and `hosts` as /etc/hosts. Returns once they are there. */
pid_t make_space(const std::string &name, const std::string &hosts);

/* Moves this process into the namespaces of another one, and stays in the same folder. `proc` (/proc, or that of
 * another process namespace) shows the other process. `processes`: also into its user and process namespace, where the
 * next child will be. */
void go_into(const std::string &proc, pid_t process, bool processes);

/* Opens a TAP device in the network namespace of a process. Returns a descriptor to read its packets from and write
 * packets to. */
int open_tap(pid_t process, const std::string &device);

#endif
