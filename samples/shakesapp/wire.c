/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams over one socket: a single stream may not change between reading and writing. */
#include "samples/shakesapp/wire.h"

#include <unistd.h>

bool wire_open(struct wire *wire, int fd)
{
    int copy = dup(fd);

    wire->in = fdopen(fd, "r");
    wire->out = copy < 0 ? NULL : fdopen(copy, "w");
    if (wire->in && wire->out)
        return true;
    if (!wire->in)
        close(fd);
    if (!wire->out && copy >= 0)
        close(copy);
    wire_close(wire);
    return false;
}

void wire_close(struct wire *wire)
{
    if (wire->in)
        fclose(wire->in);
    if (wire->out)
        fclose(wire->out);
    *wire = (struct wire){.in = NULL};
}
