/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the agent's threads. The mask is inherited, so there is no moment in which a signal could
 * arrive, and threads that libcurl starts from ours (name resolution) are quiet too. */
#include "samples/agent/quiet_thread.h"

#include <signal.h>
#include <string.h>

enum status quiet_thread_start(const char *name, void *(*run)(void *), void *argument,
                               struct error *err, pthread_t *ret_thread)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        return error_set(err, STATUS_UNAVAILABLE, "thread %s: %s", name, strerror(failure));
    pthread_setname_np(thread, name);
    *ret_thread = thread;
    return STATUS_OK;
}
