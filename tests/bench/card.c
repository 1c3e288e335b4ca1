// Makes every sync take as long as a memory card's: SYNC_TAKES_US microseconds at the least.
// To be preloaded (LD_PRELOAD); the sync itself is done as ever.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_until_synced(struct timespec begin) {
    const char *takes_us = getenv("SYNC_TAKES_US");
    long long until_ns =
        begin.tv_sec * 1000000000LL + begin.tv_nsec + (takes_us ? atoll(takes_us) : 0) * 1000;
    struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int slowly(const char *name, int file) {
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int result = sync(file);
    wait_until_synced(begin);
    return result;
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
