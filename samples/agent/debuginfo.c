/* SPDX-License-Identifier: Apache-2.0 */
/* libdw behind a small door. In: an address of a loaded object. Out: the function there and, where
 * calls were inlined, the functions it was inlined into. Opens files; never asks a debuginfod
 * server, never runs in the handler. */
#include "samples/agent/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Symbol tables past this are not searched for nicer names: each search reads all of it. */
#define SYMBOLS_MAX 65536

struct debuginfo {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf_Die *last_unit; /* found without an address table; NULL: none yet */
    Dwarf_Addr last_bias;
};

static void dies_cleanup(Dwarf_Die **dies)
{
    free(*dies);
}

/* Every module is reported with its file, so libdwfl never has to look for one. */
static int find_no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                       char **file_name, Elf **elf)
{
    (void)module;
    (void)user;
    (void)name;
    (void)base;
    (void)file_name;
    (void)elf;
    return -1;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_no_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
};

/* True when the opened file is the one in memory: equal build ids, or none on both sides. */
static bool build_id_matches(Dwfl_Module *dwfl_module, const struct module *module)
{
    const unsigned char *bits = NULL;
    GElf_Addr where;
    int size = dwfl_module_build_id(dwfl_module, &bits, &where);

    if (size < 0 || (size_t)size * 2 != strlen(module->build_id))
        return size <= 0 && module->build_id[0] == '\0';
    for (int i = 0; i < size; i++) {
        if (module->build_id[2 * i] != "0123456789abcdef"[bits[i] >> 4] ||
            module->build_id[2 * i + 1] != "0123456789abcdef"[bits[i] & 15])
            return false;
    }
    return true;
}

struct debuginfo *debuginfo_open(const struct module *module, bool is_program)
{
    const char *path = is_program ? "/proc/self/exe" : module->path;

    if (path[0] != '/')
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct debuginfo *debuginfo = calloc(1, sizeof(*debuginfo));
    if (debuginfo)
        debuginfo->dwfl = dwfl_begin(&callbacks);
    if (!debuginfo || !debuginfo->dwfl) {
        close(fd);
        free(debuginfo);
        return NULL;
    }
    dwfl_report_begin(debuginfo->dwfl);
    debuginfo->module =
        dwfl_report_elf(debuginfo->dwfl, module->path, path, fd, module->bias, true);
    if (!debuginfo->module)
        close(fd); /* else libdwfl owns it */
    dwfl_report_end(debuginfo->dwfl, NULL, NULL);
    if (!debuginfo->module || !build_id_matches(debuginfo->module, module)) {
        debuginfo_close(debuginfo);
        return NULL;
    }
    return debuginfo;
}

void debuginfo_close(struct debuginfo *debuginfo)
{
    if (!debuginfo)
        return;
    dwfl_end(debuginfo->dwfl);
    free(debuginfo);
}

static bool is_c(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
        return true;
    default:
        return false;
    }
}

static const char *die_name(Dwarf_Die *unit, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    /* Outside C the plain name leaves out namespace and class; the linkage name is unique. */
    if (!is_c(unit) && (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
                        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute)))
        name = dwarf_formstring(&attribute);
    return name ? name : dwarf_diename(die);
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* A library's own name for a function, such as __libc_free, is not what its users call. Gives the
 * symbol at the same address with the fewest leading underscores and no version, or `name`. */
static const char *public_name(struct debuginfo *debuginfo, uint64_t address, const char *name)
{
    int count = dwfl_module_getsymtab(debuginfo->module);
    const char *best = name;
    GElf_Off offset = 0;
    GElf_Sym symbol;

    if (name[0] != '_' || count > SYMBOLS_MAX ||
        !dwfl_module_addrinfo(debuginfo->module, address, &offset, &symbol, NULL, NULL, NULL))
        return name;
    for (int i = 1; i < count; i++) {
        GElf_Addr start = 0;
        const char *other =
            dwfl_module_getsym_info(debuginfo->module, i, &symbol, &start, NULL, NULL, NULL);
        bool is_same = other && start == address - offset && other[0] != '\0' &&
                       !strchr(other, '@') && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        if (is_same && (underscores(other) < underscores(best) ||
                        (underscores(other) == underscores(best) && strlen(other) < strlen(best))))
            best = other;
    }
    return best;
}

static int64_t die_number(Dwarf_Die *die, unsigned attribute_name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;

    if (!dwarf_attr_integrate(die, attribute_name, &attribute) ||
        dwarf_formudata(&attribute, &word) != 0)
        return 0;
    return (int64_t)word;
}

/* The file that holds the call of an inlined function. */
static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    Dwarf_Files *files = NULL;
    size_t count = 0;
    size_t index = (size_t)die_number(inlined, DW_AT_call_file);

    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count)
        return "";
    const char *file = dwarf_filesrc(files, index, NULL, NULL);
    return file ? file : "";
}

/* The unit of code at `address`. Compilers may leave the address table out (clang does); then the
 * units are asked one by one, the one of the last answer first. NULL: none. */
static Dwarf_Die *find_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *ret_bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(debuginfo->module, address, ret_bias);

    if (unit)
        return unit;
    if (debuginfo->last_unit &&
        dwarf_haspc(debuginfo->last_unit, address - debuginfo->last_bias) > 0) {
        *ret_bias = debuginfo->last_bias;
        return debuginfo->last_unit;
    }
    do {
        unit = dwfl_module_nextcu(debuginfo->module, unit, ret_bias);
    } while (unit && dwarf_haspc(unit, address - *ret_bias) <= 0);
    if (unit) {
        debuginfo->last_unit = unit;
        debuginfo->last_bias = *ret_bias;
    }
    return unit;
}

/* File and line of an address within its unit; "" and 0 when unknown. */
static const char *source_of(Dwarf_Die *unit, Dwarf_Addr address, int64_t *ret_line)
{
    Dwarf_Line *source = dwarf_getsrc_die(unit, address);
    const char *file = source ? dwarf_linesrc(source, NULL, NULL) : NULL;
    int line = 0;

    if (!file || dwarf_lineno(source, &line) != 0)
        return "";
    *ret_line = line;
    return file;
}

/* The scopes around an address, innermost first, each enclosing the one before. dwarf_getscopes
 * continues an inlined function with the place of its definition; the second look-up, from the
 * innermost die, gives the place of the call instead. */
static int scopes_of(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes)
{
    CLEANUP(dies_cleanup) Dwarf_Die *around = NULL;
    int count = dwarf_getscopes(unit, address, &around);

    if (count <= 0)
        return 0;
    return dwarf_getscopes_die(&around[0], ret_scopes);
}

/* Frames from debug information; 0 when there is none for this address. */
static uint32_t dwarf_frames(struct debuginfo *debuginfo, uint64_t address, struct frame *frames,
                             uint32_t max)
{
    CLEANUP(dies_cleanup) Dwarf_Die *scopes = NULL;
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = find_unit(debuginfo, address, &bias);

    if (!unit)
        return 0;
    int scope_count = scopes_of(unit, address - bias, &scopes);
    int64_t at_line = 0;
    const char *file = source_of(unit, address - bias, &at_line);
    uint32_t count = 0;

    for (int i = 0; i < scope_count && count < max; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        const char *name = die_name(unit, &scopes[i]);
        if (!name)
            return 0;
        if (tag == DW_TAG_subprogram)
            name = public_name(debuginfo, address, name);
        frames[count++] = (struct frame){.function = name,
                                         .file = file,
                                         .line = at_line,
                                         .start_line = die_number(&scopes[i], DW_AT_decl_line)};
        if (tag == DW_TAG_subprogram)
            break;
        file = call_file(unit, &scopes[i]);
        at_line = die_number(&scopes[i], DW_AT_call_line);
    }
    return count;
}

uint32_t debuginfo_frames(struct debuginfo *debuginfo, uint64_t address, struct frame *frames,
                          uint32_t max)
{
    uint32_t count = dwarf_frames(debuginfo, address, frames, max);

    if (count > 0)
        return count;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        dwfl_module_addrinfo(debuginfo->module, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name || name[0] == '\0' || max == 0)
        return 0;
    frames[0] = (struct frame){.function = public_name(debuginfo, address, name), .file = ""};
    return 1;
}
