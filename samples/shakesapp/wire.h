/* SPDX-License-Identifier: Apache-2.0 */
/* One connection as two streams of lines, one each way. */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_WIRE_H
#define BRAZIER_SAMPLES_SHAKESAPP_WIRE_H

#include <stdbool.h>
#include <stdio.h>

struct wire {
    FILE *in;
    FILE *out;
};

/* Takes the connected socket `fd` over, also on failure. False: no memory or descriptors. */
bool wire_open(struct wire *wire, int fd);

/* Closes both streams and the connection. */
void wire_close(struct wire *wire);

#endif
