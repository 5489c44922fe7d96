/* What a disk and a clock can do to a process that preloads this: files in the folder FAULTS say what.
 *
 *   hold   every flush waits until the file is gone
 *   fail   every flush fails
 *   slow   every flush takes 5 ms more
 *   full   nothing can be written to files
 *   shift  seconds that the wall clock is ahead
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_on(const char *name) {
    const char *folder = getenv("FAULTS");
    char path[4096];
    if (folder == NULL || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
    return access(path, F_OK) == 0;
}

static int flushed(int fd, const char *name) {
    while (is_on("hold")) usleep(1000);
    if (is_on("slow")) usleep(5000);
    if (is_on("fail")) {
        errno = EIO;
        return -1;
    }
    int (*next)(int) = dlsym(RTLD_NEXT, name);
    return next(fd);
}

int fsync(int fd) { return flushed(fd, "fsync"); }
int fdatasync(int fd) { return flushed(fd, "fdatasync"); }

static int is_full(void) {
    if (!is_on("full")) return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
    if (is_full()) return -1;
    ssize_t (*next)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
    return next(fd, data, length, at);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    if (is_full()) return -1;
    ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    return next(fd, data, length, at);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = syscall(SYS_clock_gettime, clock, time);
    const char *folder = getenv("FAULTS");
    char path[4096], text[32];
    if (failed || clock != CLOCK_REALTIME || folder == NULL) return failed;
    snprintf(path, sizeof path, "%s/shift", folder);
    int file = open(path, O_RDONLY);
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length > 0) {
        text[length] = 0;
        time->tv_sec += atol(text);
    }
    return 0;
}
