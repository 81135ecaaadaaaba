#include "spaces.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include "commands.h"

namespace {

void write_once(const char *path, const std::string &text) {
    int file = expect(open(path, O_WRONLY | O_CLOEXEC), path);
    ssize_t wrote = write(file, text.data(), text.size());
    close(file);
    expect(wrote == static_cast<ssize_t>(text.size()) ? 0 : -1, path);
}

/* Makes this process root inside a new user namespace. Outside of that namespace it keeps the user's rights. */
void become_root_of_own_users() {
    const uid_t user = getuid();
    const gid_t group = getgid();
    expect(unshare(CLONE_NEWUSER), "a network of hosts needs root, or a kernel that lets users make namespaces (see "
                                   "user_namespaces(7)); run as root");
    write_once("/proc/self/setgroups", "deny");
    write_once("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
    write_once("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

void join(const std::string &space, int kind) {
    int file = expect(open(space.c_str(), O_RDONLY | O_CLOEXEC), "cannot enter " + space);
    int result = setns(file, kind);
    close(file);
    expect(result, "cannot enter " + space);
}

} // namespace

void leave_machine() {
    if (geteuid() != 0)
        become_root_of_own_users();
    expect(unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET),
           "a network of hosts needs namespaces, which this machine refuses; run as root, outside a container");
}

void settle() {
    expect(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "cannot make mounts private");
    expect(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "cannot mount /proc");
}

pid_t make_space(const std::string &name, const std::string &hosts) {
    int ready[2];
    expect(pipe2(ready, O_CLOEXEC), "cannot make a pipe");
    pid_t keeper = fork_to([&] {
        expect(unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS), "cannot make the host " + name);
        expect(sethostname(name.data(), name.size()), "cannot name the host " + name);
        expect(mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "cannot mount /dev/shm");
        expect(mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr), "cannot mount /etc/hosts");
        expect(static_cast<int>(write(ready[1], "", 1)), "cannot report that the host is ready");
        close(STDIN_FILENO);
        while (true)
            pause();
        return 0;
    });
    close(ready[1]);
    char byte;
    bool good = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (!good)
        throw std::runtime_error("the host " + name + " could not be made; the line above says why");
    return keeper;
}

void go_into(const std::string &proc, pid_t process, bool processes) {
    char folder[PATH_MAX] = "/";
    const bool has_folder = getcwd(folder, sizeof folder) != nullptr;
    const std::string spaces = proc + "/" + std::to_string(process) + "/ns/";
    if (processes) {
        if (geteuid() != 0)
            join(spaces + "user", CLONE_NEWUSER);
        join(spaces + "pid", CLONE_NEWPID);
    }
    join(spaces + "net", CLONE_NEWNET);
    join(spaces + "uts", CLONE_NEWUTS);
    join(spaces + "ipc", CLONE_NEWIPC);
    join(spaces + "mnt", CLONE_NEWNS);
    if (has_folder && chdir(folder) != 0)
        expect(chdir("/"), "cannot enter /");
}

int open_tap(pid_t process, const std::string &device) {
    join("/proc/" + std::to_string(process) + "/ns/net", CLONE_NEWNET);
    int end = expect(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC),
                     "links between clusters need /dev/net/tun, which cannot be opened");
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    std::strncpy(request.ifr_name, device.c_str(), sizeof request.ifr_name - 1);
    expect(ioctl(end, TUNSETIFF, &request), "cannot make the link " + device);
    return end;
}
