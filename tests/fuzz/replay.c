/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target's function over files, without libFuzzer and with any compiler.
 *
 *     NAME_replay PATH...      each PATH a file, or a folder of files
 *
 * Each input is given in a block of exactly its size, so that sanitizers see its end. Fails when
 * there is nothing to run. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

static size_t run_file(const char *path)
{
    struct stat info;
    uint8_t *bytes;
    size_t size_bytes = 0;
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(file);
        return 0;
    }
    bytes = malloc(info.st_size > 0 ? (size_t)info.st_size : 1);
    if (bytes)
        size_bytes = fread(bytes, 1, (size_t)info.st_size, file);
    fclose(file);
    if (!bytes)
        return 0;
    printf("%s\n", path);
    LLVMFuzzerTestOneInput(bytes, size_bytes);
    free(bytes);
    return 1;
}

static size_t run_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t count = 0;
    char path[4096];

    while (directory && (entry = readdir(directory))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += run_file(path);
    }
    if (directory)
        closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;

    for (int i = 1; i < argc; i++)
        count += run_file(argv[i]) + run_folder(argv[i]);
    printf("%zu inputs\n", count);
    return count > 0 ? 0 : 1;
}
