/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the loader's list of objects. In: program headers in memory. Out: one entry per executable
 * segment, with path and build id. Reads no file and no debug information. */
#include "samples/agent/modules.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES  UINT64_C(4096)
#define READ_TRIES  4 /* the list may grow between counting and filling */
#define SPARE_COUNT 8

struct fill {
    struct modules *modules;
    uint32_t capacity;
    size_t path_bytes;
    size_t path_capacity_bytes;
    uint32_t seen; /* objects, to tell the first, which is the program */
    bool overflow;
    const char *program_path;
};

struct count {
    uint32_t segments;
    size_t path_bytes;
};

static int count_object(struct dl_phdr_info *info, size_t size_bytes, void *opaque)
{
    struct count *count = opaque;

    (void)size_bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X))
            count->segments++;
    }
    count->path_bytes += strlen(info->dlpi_name) + 1;
    return 0;
}

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment,
                          char hex[2 * MODULES_BUILD_ID_BYTES + 1])
{
    const uint8_t *at = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
    const uint8_t *end = at + segment->p_memsz;

    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof(note));
        const uint8_t *name = at + sizeof(note);
        size_t name_bytes = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t id_bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if ((size_t)(end - name) < name_bytes || (size_t)(end - name) - name_bytes < id_bytes)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
            memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
            note.n_descsz <= MODULES_BUILD_ID_BYTES) {
            for (uint32_t i = 0; i < note.n_descsz; i++) {
                hex[2 * i] = "0123456789abcdef"[name[name_bytes + i] >> 4];
                hex[2 * i + 1] = "0123456789abcdef"[name[name_bytes + i] & 15];
            }
            hex[2 * note.n_descsz] = '\0';
            return;
        }
        at = name + name_bytes + id_bytes;
    }
}

/* The object's path, copied behind the others; NULL when there is no room. */
static const char *keep_path(struct fill *fill, const char *path)
{
    size_t size_bytes = strlen(path) + 1;

    if (size_bytes > fill->path_capacity_bytes - fill->path_bytes)
        return NULL;
    char *copy = fill->modules->paths + fill->path_bytes;
    memcpy(copy, path, size_bytes);
    fill->path_bytes += size_bytes;
    return copy;
}

static void fill_segment(struct fill *fill, const struct dl_phdr_info *info,
                         const ElfW(Phdr) * segment, const char *path, const char *build_id)
{
    struct modules *modules = fill->modules;

    if (modules->count == fill->capacity) {
        fill->overflow = true;
        return;
    }
    struct module *module = &modules->modules[modules->count++];
    uint64_t first = info->dlpi_addr + segment->p_vaddr;
    uint64_t slack = first % PAGE_BYTES;
    module->start = first - slack;
    module->limit = (first + segment->p_memsz + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    module->offset = segment->p_offset - slack;
    module->bias = info->dlpi_addr;
    module->path = path;
    memcpy(module->build_id, build_id, sizeof(module->build_id));
}

static int fill_object(struct dl_phdr_info *info, size_t size_bytes, void *opaque)
{
    struct fill *fill = opaque;
    char build_id[2 * MODULES_BUILD_ID_BYTES + 1] = "";
    const char *path = info->dlpi_name;

    (void)size_bytes;
    if (fill->seen++ == 0)
        path = fill->program_path;
    else if (strncmp(path, "linux-vdso", 10) == 0 || strncmp(path, "linux-gate", 10) == 0)
        path = "[vdso]";
    path = keep_path(fill, path);
    if (!path) {
        fill->overflow = true;
        return 1;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_NOTE && build_id[0] == '\0')
            read_build_id(info, &info->dlpi_phdr[i], build_id);
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
            fill_segment(fill, info, segment, path, build_id);
    }
    fill->modules->loads = info->dlpi_adds;
    fill->modules->unloads = info->dlpi_subs;
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct module *left = a;
    const struct module *right = b;

    return (left->start > right->start) - (left->start < right->start);
}

static void order(struct modules *modules, const char *program_path)
{
    qsort(modules->modules, modules->count, sizeof(*modules->modules), by_start);
    modules->main_index = MODULES_NONE;
    for (uint32_t i = 0; i < modules->count; i++) {
        if (strcmp(modules->modules[i].path, program_path) == 0) {
            modules->main_index = i;
            return;
        }
    }
}

static enum status read_once(const char *program_path, struct error *err,
                             struct modules **ret_modules)
{
    CLEANUP(modules_cleanup) struct modules *modules = calloc(1, sizeof(*modules));
    struct count count = {.segments = SPARE_COUNT,
                          .path_bytes = (size_t)SPARE_COUNT * PATH_MAX + PATH_MAX};

    if (!modules)
        return error_no_memory(err, "module list");
    dl_iterate_phdr(count_object, &count);
    modules->modules = calloc(count.segments, sizeof(*modules->modules));
    modules->paths = malloc(count.path_bytes);
    if (!modules->modules || !modules->paths)
        return error_no_memory(err, "module list");
    struct fill fill = {.modules = modules,
                        .capacity = count.segments,
                        .path_capacity_bytes = count.path_bytes,
                        .program_path = program_path};
    dl_iterate_phdr(fill_object, &fill);
    if (fill.overflow)
        return STATUS_OK; /* `ret_modules` stays NULL: try again */
    order(modules, program_path);
    *ret_modules = modules;
    modules = NULL;
    return STATUS_OK;
}

enum status modules_read(struct error *err, struct modules **ret_modules)
{
    char program_path[PATH_MAX];
    struct modules *modules = NULL;
    ssize_t length = readlink("/proc/self/exe", program_path, sizeof(program_path) - 1);

    program_path[length > 0 ? length : 0] = '\0';
    for (int tries = 0; tries < READ_TRIES; tries++) {
        enum status status = read_once(program_path, err, &modules);
        if (status != STATUS_OK)
            return status;
        if (modules) {
            *ret_modules = modules;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_UNAVAILABLE, "the list of loaded objects keeps changing");
}

void modules_free(struct modules *modules)
{
    if (!modules)
        return;
    free(modules->modules);
    free(modules->paths);
    free(modules);
}

static int read_counters(struct dl_phdr_info *info, size_t size_bytes, void *opaque)
{
    struct modules *now = opaque;

    (void)size_bytes;
    now->loads = info->dlpi_adds;
    now->unloads = info->dlpi_subs;
    return 1;
}

bool modules_are_current(const struct modules *modules)
{
    struct modules now = {.loads = 0};

    dl_iterate_phdr(read_counters, &now);
    return now.loads == modules->loads && now.unloads == modules->unloads;
}

uint32_t modules_find(const struct modules *modules, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = modules->count;

    while (low < high) { /* the first module that begins behind the address */
        uint32_t middle = low + (high - low) / 2;
        if (modules->modules[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= modules->modules[low - 1].limit)
        return MODULES_NONE;
    return low - 1;
}
