/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_step.c - any bytes at all as commands of step, a line each: done, or refused in one line.
 *
 * Wherever they lead, one stands within the run, no more is in use than there is, and a screen of any size
 * can be drawn. The first byte chooses the run.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/step/step.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char pool[] = "; MaxProcs: 8\n"
			   "1 0 -1 22 4 -1 -1 4 22 -1 1 1 1 -1 1 1 -1 -1\n"
			   "2 0 -1 12 3 -1 -1 3 12 -1 1 2 1 -1 1 1 -1 -1\n"
			   "4 3 -1 10 6 -1 -1 6 10 -1 1 1 1 -1 1 1 -1 -1\n"
			   "5 5 -1 8 2 -1 -1 2 8 -1 1 2 1 -1 1 1 -1 -1\n"
			   "6 6 -1 20 2 -1 -1 2 20 -1 1 3 1 -1 1 1 -1 -1\n";
static const char nodes[] = "job_id,submit,run_time,time_limit,cpus,gpus\n"
			    "a,0,50,60,2,2\n"
			    "b,1,30,40,4,1\n"
			    "c,2,10,20,1,0.5\n";
static const char cluster[] = "nodes:\n  - {name: n, count: 2, cpus: 4, gpus: 2, gpu_type: a100}\n";

/* A file that is nowhere; its path. */
static int file_of(const char *text, char path[40])
{
	const int fd = memfd_create("step", 0);
	const size_t len = strlen(text);
	SL_CHECK(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	(void)snprintf(path, 40, "/proc/self/fd/%d", fd);
	return fd;
}

static void open_run(struct stepper *stepper, struct args *args, unsigned which)
{
	char trace[40];
	char machine[40];
	struct sl_err err = { 0 };
	char quiet[] = "-q";
	char policy[] = "-pconservative";
	char easy[] = "-peasy";
	char of[] = "-c";
	char *words[] = { trace, quiet, which & 2 ? policy : easy, of, machine };
	const int fd = file_of(which & 1 ? nodes : pool, trace);
	const int other = file_of(cluster, machine);
	int status = args_parse(args, words, which & 1 ? 5 : 3, &err);
	if (!status)
		status = step_open(stepper, args, &err);
	if (status)
		(void)fprintf(stderr, "%s\n", err.text);
	SL_CHECK(!status);
	(void)close(fd);
	(void)close(other);
}

static void look_around(struct stepper *stepper, const struct report_lines *reported, size_t turn)
{
	static const int size[][2] = { { 60, 20 }, { 80, 24 }, { 131, 37 }, { 500, 200 } };
	const struct scenario *scenario = stepper->explain.view.scenario;
	struct sl_err err = { 0 };
	struct picture picture;
	struct canvas canvas;
	struct cell text = { 0 };
	SL_CHECK(stepper->at <= stepper->instant_count);
	SL_CHECK(!stepper->displayed || stepper->displayed < stepper->instant[stepper->at].count);
	SL_CHECK(!picture_take(stepper, &picture, &err));
	SL_CHECK(picture.cpus_free >= 0 && picture.cpus_free <= scenario->cpus && picture.gpus_free >= 0);
	SL_CHECK(!canvas_init(&canvas, size[turn % 4][0], size[turn % 4][1], &err));
	SL_CHECK(!step_draw(stepper, &canvas, turn & 8 ? reported : NULL, &err));
	canvas_terminal(&canvas, turn & 1, &text);
	canvas_text(&canvas, &text);
	cell_free(&text);
	canvas_free(&canvas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { COMMANDS_MAX = 64 };
	struct registry registry;
	struct sl_err err = { 0 };
	struct stepper stepper = { 0 };
	char *text = calloc(1, size + 1);
	struct args args = { .command = &cmd_step, .arena = sl_arena_new(), .registry = &registry };
	SL_CHECK(text && args.arena && !registry_make(&registry, &err));
	if (size > 1)
		memcpy(text, data + 1, size - 1);
	open_run(&stepper, &args, size ? data[0] : 0);
	char *line = text;
	for (size_t i = 0; i < COMMANDS_MAX && *line; i++) {
		struct effect effect;
		struct sl_err why = { 0 };
		char *end = line + strcspn(line, "\n");
		const bool last = !*end;
		*end = '\0';
		const int status = step_command(&stepper, line, &effect, &why);
		SL_CHECK(status == why.status && (!status || (status == SL_USAGE && *why.text)));
		look_around(&stepper, &effect.reported, i + size);
		reported_free(&effect.reported);
		line = last ? end : end + 1;
	}
	step_close(&stepper);
	registry_release(&registry);
	sl_arena_free(args.arena);
	free(text);
	return 0;
}
