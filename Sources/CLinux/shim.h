#pragma once

#include <malloc.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

/* unix(7): glibc declares `struct ucred` only under _GNU_SOURCE, which Swift's Glibc module does not define.
 * The kernel's layout is fixed. */
struct linux_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/* The option numbers differ between architectures: they come from the headers of the target. */
static const int linux_so_peercred = SO_PEERCRED;
static const int linux_so_peergroups = SO_PEERGROUPS;
static const int linux_so_domain = SO_DOMAIN;
static const int linux_so_acceptconn = SO_ACCEPTCONN;

/* renameat2(2): glibc declares it, and its flags, only under _GNU_SOURCE. */
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
static const unsigned int linux_rename_exchange = RENAME_EXCHANGE;

/* statx(2): as above; the structure comes from the kernel's header. Swift sees the structure alone under
 * this name. <fcntl.h>, for AT_FDCWD, would make `struct stat` this module's; the kernel's number is fixed. */
int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *status);
static inline int linux_statx(const char *path, int flags, unsigned int mask, struct statx *status) {
    return statx(-100, path, flags, mask, status);
}
static inline int linux_statx_at(
    int folder, const char *path, int flags, unsigned int mask, struct statx *status) {
    return statx(folder, path, flags, mask, status);
}
static const int linux_at_empty_path = 0x1000;
static inline dev_t linux_device(const struct statx *status) {
    return makedev(status->stx_dev_major, status->stx_dev_minor);
}

/* environ(7): the environment just as it is. Swift refuses a global variable that anybody may change. */
extern char **environ;
static inline char **linux_environment(void) {
    return environ;
}

/* prctl(2): Swift calls no function with a variable number of arguments. */
static inline int linux_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}
