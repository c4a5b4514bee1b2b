/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * floor.c - the yardstick of scripts/bench: reads an SWF with a plain hand scanner, writes 16 columns a job.
 *
 * It schedules nothing and checks nothing: no program that reads a trace and writes a line a job does less.
 * Prints jobs, and the CPU seconds of reading and of writing.
 * usage: floor TRACE.swf OUT.csv
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS = 18, JOBS_MAX = 12000000, BUFFER = 1 << 20, ROW_MAX = 400 };

struct job {
	int64_t id, submit, run, limit;
	int32_t size, user;
};

static double cpu_seconds(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Every job line of [p, end); what is no digit ends a number. */
static size_t scan(const char *p, const char *end, struct job *job)
{
	size_t jobs = 0;
	while (p < end && jobs < JOBS_MAX) {
		if (*p == ';') {
			const char *newline = memchr(p, '\n', (size_t)(end - p));
			p = newline ? newline + 1 : end;
			continue;
		}
		int64_t field[FIELDS];
		int count = 0;
		while (p < end && *p != '\n') {
			while (*p == ' ')
				p++;
			if (*p == '\n')
				break;
			const int negative = *p == '-';
			p += negative;
			int64_t value = 0;
			while (*p >= '0' && *p <= '9')
				value = value * 10 + *p++ - '0';
			if (count < FIELDS)
				field[count++] = negative ? -value : value;
			while (p < end && *p != ' ' && *p != '\n')
				p++;
		}
		p++;
		if (count == FIELDS)
			job[jobs++] = (struct job){ field[0], field[1], field[3], field[8], (int32_t)field[7],
				(int32_t)field[11] };
	}
	return jobs;
}

static char *put(char *out, int64_t value)
{
	char digit[24];
	int count = 0;
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	if (value < 0)
		*out++ = '-';
	do {
		digit[count++] = (char)('0' + size % 10);
		size /= 10;
	} while (size);
	while (count)
		*out++ = digit[--count];
	return out;
}

static char *put_job(char *q, const struct job *job)
{
	static const char state[] = ",0,COMPLETED,";
	const int64_t before[] = { job->submit, job->submit, job->submit + 100, job->submit + job->run, 100,
		job->run, job->limit, 1, job->size };
	q = put(q, job->id);
	*q++ = ',';
	*q++ = 'u';
	q = put(q, job->user);
	*q++ = ',';
	*q++ = ',';
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		*q++ = ',';
		q = put(q, before[i]);
	}
	memcpy(q, state, sizeof(state) - 1);
	q = put(q + sizeof(state) - 1, job->run * 1000 / (job->run + 1));
	*q++ = '\n';
	return q;
}

static int write_jobs(const char *path, const struct job *job, size_t jobs)
{
	static char buffer[BUFFER];
	FILE *file = fopen(path, "w");
	if (!file)
		return 1;
	char *q = buffer;
	for (size_t i = 0; i < jobs; i++) {
		q = put_job(q, &job[i]);
		if (q - buffer > BUFFER - ROW_MAX) {
			(void)fwrite(buffer, 1, (size_t)(q - buffer), file);
			q = buffer;
		}
	}
	(void)fwrite(buffer, 1, (size_t)(q - buffer), file);
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct stat info;
	const double begun = cpu_seconds();
	const int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	if (file < 0 || fstat(file, &info) != 0) {
		(void)fprintf(stderr, "usage: floor TRACE.swf OUT.csv\n");
		return 2;
	}
	const char *text = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	struct job *job = malloc(JOBS_MAX * sizeof(*job));
	if (text == MAP_FAILED || !job) {
		free(job);
		return 6;
	}
	const size_t jobs = scan(text, text + info.st_size, job);
	const double read = cpu_seconds();
	const int failed = write_jobs(argv[2], job, jobs);
	printf("jobs %zu read %.6f write %.6f\n", jobs, read - begun, cpu_seconds() - read);
	free(job);
	return failed ? 6 : 0;
}
