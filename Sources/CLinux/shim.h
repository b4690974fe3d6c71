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

/* Structure of SO_PEERCRED, see unix(7). glibc declares `struct ucred` only with _GNU_SOURCE, which Swift's Glibc
 * module does not define. The kernel never changes the layout. */
struct linux_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/* Socket options, whose numbers differ between architectures. */
static const int linux_so_peercred = SO_PEERCRED;
static const int linux_so_peergroups = SO_PEERGROUPS;
static const int linux_so_domain = SO_DOMAIN;
static const int linux_so_acceptconn = SO_ACCEPTCONN;

/* Declaration of renameat2(2), which glibc declares only with _GNU_SOURCE. */
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
static const unsigned int linux_rename_exchange = RENAME_EXCHANGE;

/* Declaration of statx(2), which glibc declares only with _GNU_SOURCE. The structure is declared by the kernel's
 * header. In Swift, the name `statx` refers only to the structure, so the functions below call statx(2). The number
 * -100 is AT_FDCWD. Including <fcntl.h> for it would make `struct stat` a type of this module. */
int statx(int directory, const char *path, int flags, unsigned int mask, struct statx *status);
static inline int linux_statx(const char *path, int flags, unsigned int mask, struct statx *status) {
    return statx(-100, path, flags, mask, status);
}
static inline int linux_statx_at(
    int directory, const char *path, int flags, unsigned int mask, struct statx *status) {
    return statx(directory, path, flags, mask, status);
}
static const int linux_at_empty_path = 0x1000;
static inline dev_t linux_device(const struct statx *status) {
    return makedev(status->stx_dev_major, status->stx_dev_minor);
}

/* Current environment, see environ(7). Swift does not allow access to a mutable global variable of C. */
extern char **environ;
static inline char **linux_environment(void) {
    return environ;
}

/* Call of prctl(2). Swift cannot call functions with a variable number of arguments. */
static inline int linux_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}
