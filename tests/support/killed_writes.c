/* Preloaded into a process: kills it (-9) before, or in the midst of, the k-th change of a file below a folder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long wanted = -1, seen = 0;
static int is_torn = 0;
static char below[4096];

void quire_arm(const char *folder, long at, int torn) {
    snprintf(below, sizeof below, "%s/", folder);
    seen = 0, is_torn = torn, wanted = at;
}

long quire_seen(void) { return seen; }

static int holds(const char *path) { return wanted >= 0 && path && !strncmp(path, below, strlen(below)); }

static int holds_fd(int fd) {
    char link[64], path[4096];
    if (wanted < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return holds(path);
}

static void count(int is_ours) {
    if (is_ours && ++seen == wanted) kill(getpid(), SIGKILL), pause();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t size) {
    int is_ours = holds_fd(fd);
    if (is_ours && is_torn && seen + 1 == wanted && size > 1) REAL(write)(fd, bytes, size / 2);
    count(is_ours);
    return REAL(write)(fd, bytes, size);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    int is_ours = holds_fd(fd);
    if (is_ours && is_torn && seen + 1 == wanted && size > 1) REAL(pwrite)(fd, bytes, size / 2, at);
    count(is_ours);
    return REAL(pwrite)(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return pwrite(fd, bytes, size, at); }
int fsync(int fd) { count(holds_fd(fd)); return REAL(fsync)(fd); }
int fdatasync(int fd) { count(holds_fd(fd)); return REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { count(holds_fd(fd)); return REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { count(holds_fd(fd)); return REAL(ftruncate64)(fd, size); }
int rename(const char *from, const char *to) { count(holds(to)); return REAL(rename)(from, to); }
int link(const char *from, const char *to) { count(holds(to)); return REAL(link)(from, to); }
int unlink(const char *path) { count(holds(path)); return REAL(unlink)(path); }
int rmdir(const char *path) { count(holds(path)); return REAL(rmdir)(path); }
int mkdir(const char *path, mode_t mode) { count(holds(path)); return REAL(mkdir)(path, mode); }

static int makes(const char *path, int flags) { return holds(path) && (flags & (O_CREAT | O_TRUNC)); }
#define OPEN(name)                                          \
    int name(const char *path, int flags, ...) {            \
        va_list rest;                                       \
        va_start(rest, flags);                              \
        mode_t mode = va_arg(rest, mode_t);                 \
        va_end(rest);                                       \
        count(makes(path, flags));                          \
        return REAL(name)(path, flags, mode);               \
    }
OPEN(open)
OPEN(open64)
