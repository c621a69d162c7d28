/* SPDX-License-Identifier: Apache-2.0 */
/* Shared library only: pthread_create of the host passes through here, so that a thread has its
 * timer before its first instruction. In: the host's call. Out: the C library's. Changes nothing
 * while the agent is not running, and every thread it misses is found by the thread list anyway. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples/agent/brazier_agent.h"
#include "samples/agent/threads.h"

typedef int create_call(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct beginning {
    void *(*run)(void *);
    void *argument;
};

static void *begin(void *opaque)
{
    struct beginning beginning = *(struct beginning *)opaque;

    free(opaque);
    threads_adopt(gettid(), true);
    return beginning.run(beginning.argument);
}

static create_call *next_create(void)
{
    static create_call *_Atomic next;
    create_call *known = atomic_load_explicit(&next, memory_order_acquire);

    if (!known) {
        void *found = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&known, &found, sizeof(known));
        atomic_store_explicit(&next, known, memory_order_release);
    }
    return known;
}

BRAZIER_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*run)(void *), void *argument)
{
    create_call *create = next_create();

    if (!create)
        return EAGAIN;
    if (!threads_are_profiled())
        return create(thread, attributes, run, argument);
    struct beginning *beginning = malloc(sizeof(*beginning));
    if (!beginning)
        return create(thread, attributes, run, argument);
    *beginning = (struct beginning){.run = run, .argument = argument};
    int failure = create(thread, attributes, begin, beginning);
    if (failure != 0)
        free(beginning);
    return failure;
}
