/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.c - a fuzzer's main without the fuzzer: each file that is named, and each file of a directory, once.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat about;
	if (!file || fstat(fileno(file), &about)) {
		perror(path);
		if (file)
			(void)fclose(file);
		return 1;
	}
	const size_t size = (size_t)about.st_size;
	/* Exactly as large as the file, so that a sanitizer sees a read beyond it. */
	uint8_t *data = malloc(size ? size : 1);
	const bool whole = data && fread(data, 1, size, file) == size;
	(void)fclose(file);
	if (whole)
		(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return !whole;
}

static int replay_directory(const char *path)
{
	struct dirent **entry;
	const int count = scandir(path, &entry, NULL, alphasort);
	int failed = count < 0;
	for (int i = 0; i < count; i++) {
		char file[4096];
		if (entry[i]->d_name[0] != '.') {
			(void)snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
			failed |= replay_file(file);
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;
	for (int i = 1; i < argc; i++) {
		struct stat about;
		const bool directory = stat(argv[i], &about) == 0 && S_ISDIR(about.st_mode);
		failed |= directory ? replay_directory(argv[i]) : replay_file(argv[i]);
	}
	return failed;
}
