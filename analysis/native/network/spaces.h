/* Makes and enters Linux namespaces, which stand for the hosts of a network and for the switches of its sites. */
#ifndef HOPSCOPE_NETWORK_SPACES_H
#define HOPSCOPE_NETWORK_SPACES_H

#include <sys/types.h>

#include <string>

/* Gives this process new namespaces for processes, mounts and networks, and for users if it is not root. Its next child
 * becomes the first process of the process namespace: when that process ends, the kernel kills all others in there. */
void leave_machine();
/* Hides new mounts from the rest of the machine, and mounts a /proc that shows the namespace's processes. Call it in
 * the first process after leave_machine(). */
void settle();

/* Starts a process that keeps a new host's namespaces: network, host name, System V shared memory, and mounts. The host
 * has its own /dev/shm, and the file `hosts` as /etc/hosts. Returns the process once the host is ready. */
pid_t make_space(const std::string &name, const std::string &hosts);

/* Moves this process into the namespaces of another process, and stays in the same folder. proc: the /proc that shows
 * the other process, which may be that of another process namespace. processes: moves it into the user and the process
 * namespace, too; only the next child is then in the process namespace. */
void go_into(const std::string &proc, pid_t process, bool processes);

/* Makes a TAP device in the network namespace of a process, and moves this process into that namespace. Returns a
 * descriptor for reading and writing packets. */
int open_tap(pid_t process, const std::string &device);

#endif
