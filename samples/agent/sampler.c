/* SPDX-License-Identifier: Apache-2.0 */
/* Where a sample comes into being. In: SIGPROF from a thread's CPU timer. Out: a stack in that
 * thread's ring, weighted by the expiries the kernel merged into this signal. Runs between any two
 * instructions of the host, so: no lock, no memory, no symbol, errno kept. */
#include "samples/agent/sampler.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "samples/agent/threads.h"
#include "samples/agent/unwind.h"

static struct sigaction previous; /* written before the handler can run, then constant */

static void pass_on(int number, siginfo_t *info, void *context)
{
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(number, info, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
        previous.sa_handler(number);
}

static void on_sigprof(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    struct ring *ring = threads_ring(info);

    if (ring) {
        struct sample sample;
        int overrun = info->si_overrun > 0 ? info->si_overrun : 0;
        sample.weight = 1 + (uint32_t)overrun;
        unwind_interrupted(context, &sample);
        ring_write(ring, &sample);
    } else {
        pass_on(number, info, context);
    }
    errno = saved_errno;
}

enum status sampler_install(struct error *err)
{
    struct sigaction current;
    struct sigaction ours;

    memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = on_sigprof;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    unwind_prepare();
    if (sigaction(SIGPROF, NULL, &current) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "sigaction: %s", strerror(errno));
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_sigprof)
        return STATUS_OK;
    previous = current;
    if (sigaction(SIGPROF, &ours, NULL) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "sigaction: %s", strerror(errno));
    return STATUS_OK;
}
