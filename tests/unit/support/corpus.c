/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files of the corpus. */
#include "tests/unit/support/corpus.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *corpus_folder(void)
{
    const char *folder = getenv("BRAZIER_CORPUS");
    struct stat info;

    if (!folder)
        folder = BRAZIER_CORPUS_DEFAULT;
    if (stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return folder;
    printf("SKIP: no corpus at %s; set BRAZIER_CORPUS\n", folder);
    return NULL;
}

struct slice corpus_read(const char *folder, const char *name)
{
    char path[4096];
    struct stat info;
    char *bytes = NULL;
    size_t size_bytes = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return slice_make(NULL, 0);
    file = fopen(path, "rb");
    if (!file)
        return slice_make(NULL, 0);
    bytes = malloc((size_t)info.st_size + 1);
    if (bytes)
        size_bytes = fread(bytes, 1, (size_t)info.st_size, file);
    fclose(file);
    return slice_make(bytes, size_bytes);
}

size_t corpus_each(const char *folder, void (*visit)(const char *name, struct slice bytes))
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t count = 0;

    while (directory && (entry = readdir(directory))) {
        struct slice bytes = corpus_read(folder, entry->d_name);

        if (!bytes.data)
            continue;
        visit(entry->d_name, bytes);
        free((void *)(uintptr_t)bytes.data);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}
