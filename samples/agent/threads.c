/* SPDX-License-Identifier: Apache-2.0 */
/* Finds threads, arms their timers and collects what their handlers wrote. In: /proc/self/task.
 * Out: samples. A slot is given to another thread only after its old one has left the task list, so
 * a ring never has two writers. Global, because a signal handler has nobody to ask. */
#include "samples/agent/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/hash.h"
#include "samples/agent/complain.h"

/* The kernel's encoding of "CPU time of thread tid" as a clock (CPUCLOCK_PERTHREAD | SCHED). */
#define THREAD_CLOCK(tid) ((clockid_t)(~(unsigned)(tid) << 3 | 6u))

#define EXCLUDED_MAX 4u /* threads of the agent */

struct slot {
    pid_t tid; /* 0: free */
    bool armed;
    bool present; /* seen by the scan at work */
    timer_t timer;
    int64_t cpu_ns; /* the thread's CPU time when last looked at */
    struct ring ring;
};

static struct {
    pthread_mutex_t lock;
    struct slot *_Atomic slots;  /* AGENT_THREADS of them; set once, never unmapped */
    uint32_t used;               /* slots [0, used) have been given out at some time */
    _Atomic int64_t interval_ns; /* 0: not running */
    DIR *task;                   /* /proc/self/task */
    uint64_t last_count;         /* number of threads at the last full scan */
    pid_t excluded[EXCLUDED_MAX];
    uint32_t excluded_count;
    uint64_t random;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t thread_cpu_ns(pid_t tid)
{
    struct timespec time;

    if (clock_gettime(THREAD_CLOCK(tid), &time) != 0)
        return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The first expiry comes after a random part of the interval: threads that live shorter than one
 * interval are then seen as often as their CPU time deserves. */
static int64_t first_expiry_ns(void)
{
    table.random = hash_u64(table.random + 1, UINT64_C(0x5deece66d));
    return 1 + (int64_t)(table.random % (uint64_t)table.interval_ns);
}

static struct timespec to_timespec(int64_t time_ns)
{
    return (struct timespec){.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
}

static void slot_arm(struct slot *slot)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    struct itimerspec times = {.it_interval = to_timespec(table.interval_ns),
                               .it_value = to_timespec(first_expiry_ns())};

    event.sigev_value.sival_ptr = slot;
    event._sigev_un._tid = slot->tid;
    slot->cpu_ns = thread_cpu_ns(slot->tid);
    if (slot->cpu_ns < 0)
        return; /* it has ended between the listing and now */
    if (timer_create(THREAD_CLOCK(slot->tid), &event, &slot->timer) != 0) {
        complain(COMPLAINT_THREADS, "a thread is not profiled: the kernel refuses another timer "
                                    "(see ulimit -i)");
        return;
    }
    if (timer_settime(slot->timer, 0, &times, NULL) != 0) {
        timer_delete(slot->timer);
        return;
    }
    slot->armed = true;
}

static void slot_disarm(struct slot *slot)
{
    if (slot->armed)
        timer_delete(slot->timer);
    slot->armed = false;
}

static struct slot *slot_find(struct slot *slots, pid_t tid)
{
    for (uint32_t i = 0; i < table.used; i++) {
        if (slots[i].tid == tid)
            return &slots[i];
    }
    return NULL;
}

static bool is_excluded(pid_t tid)
{
    for (uint32_t i = 0; i < table.excluded_count; i++) {
        if (table.excluded[i] == tid)
            return true;
    }
    return false;
}

/* A slot for `tid`, which has none. NULL: all are taken. */
static struct slot *slot_take(struct slot *slots, pid_t tid)
{
    struct slot *slot = slot_find(slots, 0);

    if (!slot) {
        if (table.used == AGENT_THREADS) {
            complain(COMPLAINT_THREADS, "more than %u threads: the others are not profiled",
                     AGENT_THREADS);
            return NULL;
        }
        slot = &slots[table.used++];
    }
    slot->tid = tid;
    slot->armed = false;
    return slot;
}

static void adopt_locked(pid_t tid, bool is_new)
{
    struct slot *slots = atomic_load(&table.slots);

    if (table.interval_ns == 0 || is_excluded(tid))
        return;
    struct slot *slot = slot_find(slots, tid);
    if (slot && !is_new) {
        int64_t cpu_ns = thread_cpu_ns(tid);
        /* Less CPU time than before: a new thread under an old number. */
        is_new = !slot->armed || (cpu_ns >= 0 && cpu_ns < slot->cpu_ns);
        slot->cpu_ns = cpu_ns;
    }
    if (slot && is_new)
        slot_disarm(slot);
    if (!slot) {
        slot = slot_take(slots, tid);
        is_new = slot != NULL;
    }
    if (!slot)
        return;
    slot->present = true;
    if (is_new)
        slot_arm(slot);
}

void threads_adopt(pid_t tid, bool is_new)
{
    pthread_mutex_lock(&table.lock);
    adopt_locked(tid, is_new);
    pthread_mutex_unlock(&table.lock);
}

bool threads_are_profiled(void)
{
    return atomic_load(&table.interval_ns) != 0;
}

void threads_exclude_self(void)
{
    pid_t tid = gettid();

    pthread_mutex_lock(&table.lock);
    struct slot *slots = atomic_load(&table.slots);
    struct slot *slot = slots ? slot_find(slots, tid) : NULL;
    if (slot)
        slot_disarm(slot);
    if (!is_excluded(tid) && table.excluded_count < EXCLUDED_MAX)
        table.excluded[table.excluded_count++] = tid;
    pthread_mutex_unlock(&table.lock);
}

/* True when the task list must be read. The link count of the directory is the number of threads
 * plus two, and costs one call where the listing costs one per thread. */
static bool list_has_changed(void)
{
    struct stat status;

    if (fstat(dirfd(table.task), &status) != 0)
        return true;
    bool changed = (uint64_t)status.st_nlink != table.last_count;
    table.last_count = (uint64_t)status.st_nlink;
    return changed;
}

static void scan_locked(void)
{
    struct slot *slots = atomic_load(&table.slots);

    for (uint32_t i = 0; i < table.used; i++)
        slots[i].present = false;
    rewinddir(table.task);
    for (struct dirent *entry = readdir(table.task); entry; entry = readdir(table.task)) {
        if (entry->d_name[0] != '.')
            adopt_locked((pid_t)strtol(entry->d_name, NULL, 10), false);
    }
    for (uint32_t i = 0; i < table.used; i++) {
        if (slots[i].tid == 0 || slots[i].present)
            continue;
        /* The listing may skip a thread when another ends meanwhile; its clock knows. */
        if (thread_cpu_ns(slots[i].tid) >= 0)
            continue;
        slot_disarm(&slots[i]);
        slots[i].tid = 0; /* what is left in the ring still counts and is drained */
    }
}

void threads_scan(bool in_full)
{
    pthread_mutex_lock(&table.lock);
    if (table.interval_ns != 0 && (list_has_changed() || in_full))
        scan_locked();
    pthread_mutex_unlock(&table.lock);
}

uint64_t threads_drain(threads_visit *visit, void *context)
{
    struct slot *slots = atomic_load(&table.slots);
    struct sample sample;
    uint64_t lost = 0;

    pthread_mutex_lock(&table.lock);
    uint32_t used = table.used;
    pthread_mutex_unlock(&table.lock);
    for (uint32_t i = 0; i < used; i++) {
        while (ring_read(&slots[i].ring, &sample))
            visit(context, &sample);
        lost += ring_take_lost(&slots[i].ring);
    }
    return lost;
}

struct ring *threads_ring(const siginfo_t *signal_info)
{
    struct slot *slots = atomic_load_explicit(&table.slots, memory_order_relaxed);

    if (signal_info->si_code != SI_TIMER || !slots)
        return NULL;
    uintptr_t offset = (uintptr_t)signal_info->si_value.sival_ptr - (uintptr_t)slots;
    if (offset >= AGENT_THREADS * sizeof(struct slot) || offset % sizeof(struct slot) != 0)
        return NULL;
    return &slots[offset / sizeof(struct slot)].ring;
}

enum status threads_start(int64_t interval_ns, struct error *err)
{
    struct slot *slots = atomic_load(&table.slots);

    if (!slots) {
        slots = mmap(NULL, AGENT_THREADS * sizeof(*slots), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slots == MAP_FAILED)
            return error_no_memory(err, "sample rings");
        atomic_store(&table.slots, slots);
    }
    DIR *task = opendir("/proc/self/task");
    if (!task)
        return error_set(err, STATUS_UNAVAILABLE, "/proc/self/task cannot be read");
    pthread_mutex_lock(&table.lock);
    table.task = task;
    table.interval_ns = interval_ns;
    table.excluded_count = 0;
    table.last_count = 0;
    table.random = hash_seed();
    pthread_mutex_unlock(&table.lock);
    return STATUS_OK;
}

void threads_stop(void)
{
    struct slot *slots = atomic_load(&table.slots);

    pthread_mutex_lock(&table.lock);
    for (uint32_t i = 0; i < table.used; i++) {
        slot_disarm(&slots[i]);
        /* The number stays taken: a signal on its way may still write to this ring. */
    }
    table.interval_ns = 0;
    if (table.task)
        closedir(table.task);
    table.task = NULL;
    pthread_mutex_unlock(&table.lock);
}

void threads_fork_prepare(void)
{
    pthread_mutex_lock(&table.lock);
}

void threads_fork_parent(void)
{
    pthread_mutex_unlock(&table.lock);
}

void threads_fork_child(void)
{
    struct slot *slots = atomic_load(&table.slots);

    for (uint32_t i = 0; i < table.used; i++) { /* timers are not inherited */
        slots[i].tid = 0;
        slots[i].armed = false;
        ring_reset(&slots[i].ring);
    }
    table.used = 0;
    table.interval_ns = 0;
    if (table.task)
        closedir(table.task);
    table.task = NULL;
    pthread_mutex_unlock(&table.lock);
}
