/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the interrupted stack inside the SIGPROF handler. In: the handler's ucontext. Out: up to
 * AGENT_FRAMES addresses from the leaf. The walk begins in the handler itself; frames are skipped
 * until the one whose address is the interrupted instruction. Never touches symbols or the heap. */
#include "samples/agent/unwind.h"

#include <ucontext.h>
#include <unwind.h>

/* Frames of handler, unwinder and signal trampoline to look through for the interrupted one; a
 * sanitizer adds some of its own. */
#define HANDLER_FRAMES_MAX 16u

struct walk {
    struct sample *sample;
    uint64_t interrupted_pc;
    uint32_t skipped;
    bool inside; /* the interrupted frame has been reached */
};

static uint64_t context_pc(const void *context)
{
    const ucontext_t *user = context;

#if defined(__x86_64__)
    return (uint64_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return user->uc_mcontext.pc;
#else
#error "the agent knows x86-64 and arm64"
#endif
}

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *frame, void *opaque)
{
    struct walk *walk = opaque;
    struct sample *sample = walk->sample;
    int before_instruction = 0;
    uint64_t pc = _Unwind_GetIPInfo(frame, &before_instruction);

    if (!walk->inside) {
        if (pc != walk->interrupted_pc || !before_instruction)
            return ++walk->skipped < HANDLER_FRAMES_MAX ? _URC_NO_REASON : _URC_NORMAL_STOP;
        walk->inside = true;
    }
    if (pc == 0)
        return _URC_NORMAL_STOP;
    if (sample->depth == AGENT_FRAMES) {
        sample->truncated = true;
        return _URC_NORMAL_STOP;
    }
    sample->pcs[sample->depth++] = before_instruction ? pc : pc - 1;
    return _URC_NO_REASON;
}

void unwind_prepare(void)
{
    struct sample sample = {.depth = 0};
    struct walk walk = {.sample = &sample};

    _Unwind_Backtrace(visit_frame, &walk);
}

void unwind_interrupted(const void *context, struct sample *sample)
{
    struct walk walk = {.sample = sample, .interrupted_pc = context_pc(context)};

    sample->depth = 0;
    sample->truncated = false;
    _Unwind_Backtrace(visit_frame, &walk);
    if (sample->depth == 0) {
        sample->pcs[0] = walk.interrupted_pc;
        sample->depth = 1;
    }
}
