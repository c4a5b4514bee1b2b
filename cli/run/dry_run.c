/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dry_run.c - --dry-run: what a command would read, run and write.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/run/dry_run.h"

void dry_begin(struct dry_run *dry, const struct args *args)
{
	*dry = (struct dry_run){ .args = args };
	dry->last = &dry->first;
}

static void item_add(struct dry_run *dry, struct dry_item item)
{
	struct dry_item *made = sl_alloc(dry->args->arena, 1, sizeof(*made));
	if (!made) {
		dry->failed = true;
		return;
	}
	if (item.text)
		item.text = sl_strdup(dry->args->arena, item.text, strlen(item.text));
	dry->failed |= (item.what == DRY_READ || item.what == DRY_WRITE) && !item.text;
	*made = item;
	*dry->last = made;
	dry->last = &made->next;
}

void dry_read(struct dry_run *dry, const char *path)
{
	for (const struct dry_item *item = dry->first; item && path; item = item->next)
		if (item->what == DRY_READ && strcmp(item->text, path) == 0)
			return;
	if (path)
		item_add(dry, (struct dry_item){ .what = DRY_READ, .text = path });
}

void dry_add(struct dry_run *dry, const struct run *run, const char *name, const char *detail, uint64_t times)
{
	const struct scenario *scenario = run->scenario;
	dry_read(dry, scenario->input.path);
	dry_read(dry, scenario->cluster_input.path);
	for (size_t i = 0; i < scenario->side_count; i++)
		dry_read(dry, scenario->side[i].path);
	item_add(dry, (struct dry_item){
			      .what = DRY_RUN, .run = run, .name = name, .detail = detail, .number = times });
}

void dry_write(struct dry_run *dry, const char *path)
{
	if (path)
		item_add(dry, (struct dry_item){ .what = DRY_WRITE, .text = path });
}

void dry_count(struct dry_run *dry, const char *key, const char *reported, uint64_t number)
{
	item_add(dry, (struct dry_item){ .what = DRY_FACT, .text = key, .name = reported, .number = number });
}

void dry_word(struct dry_run *dry, const char *key, const char *reported, const char *word)
{
	item_add(dry, (struct dry_item){ .what = DRY_FACT, .text = key, .name = reported, .word = word });
}

/* ---- For people ------------------------------------------------------------------------------------- */

static void report_run(const struct dry_item *item)
{
	const struct scenario *scenario = item->run->scenario;
	char jobs[48];
	char machine[200];
	printf("would run %s%s%s: %s jobs of %s on %s", item->name ? item->name : "", item->name ? ": " : "",
		item->run->choice.text, count_text(jobs, scenario->jobs.count), scenario->input.path,
		machine_text(machine, sizeof(machine), scenario));
	if (scenario->cluster_input.path)
		printf(" (%s)", scenario->cluster_input.path);
	if (scenario->window_count)
		printf(", %zu windows", scenario->window_count);
	if (item->number > 1)
		printf(", with %" PRIu64 " seeds", item->number);
	if (item->detail && *item->detail)
		printf(", %s", item->detail);
	putchar('\n');
}

static void dry_run_report(const struct dry_run *dry)
{
	bool writes = false;
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == DRY_READ)
			printf("would read %s\n", strcmp(item->text, "-") ? item->text : "standard input");
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == DRY_RUN)
			report_run(item);
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == DRY_FACT && item->word)
			printf("%s: %s\n", item->name, item->word);
		else if (item->what == DRY_FACT)
			printf("%s: %" PRIu64 "\n", item->name, item->number);
	for (const struct dry_item *item = dry->first; item; item = item->next) {
		if (item->what != DRY_WRITE)
			continue;
		printf("would write %s\n", strcmp(item->text, "-") ? item->text : "standard output");
		writes = true;
	}
	if (!writes)
		printf("would write nothing\n");
}

/* ---- As JSON ------------------------------------------------------------------------------------------ */

static void json_files(struct json *json, const struct dry_run *dry, enum dry_what what, const char *key)
{
	json_nest(json, key, '[', NULL);
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == what)
			json_put(json, datum_text(NULL, item->text));
	json_close(json);
}

static void json_run(struct json *json, const struct dry_item *item)
{
	const struct scenario *scenario = item->run->scenario;
	const struct sl_cluster *cluster = &scenario->cluster;
	json_object(json, NULL, datum_given("name", item->name), datum_text("policy", item->run->choice.text),
		datum_text("trace", scenario->input.path), datum_count("jobs", scenario->jobs.count),
		datum_text("cluster", scenario->cluster_input.path),
		datum_count("nodes", cluster->node_count),
		datum_micro("cpus", amount_micro(scenario->cpus, cluster->cpu_parts)),
		datum_micro("gpus", amount_micro(cluster->gpus, cluster->gpu_parts)),
		datum_count("seed", item->run->options.seed), datum_count("seeds", item->number),
		datum_if(scenario->window_count, datum_count("windows", scenario->window_count)),
		datum_given("changes", item->detail));
}

static int report_json(const struct dry_run *dry, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_put(&json, datum_text("command", dry->args->command->name), datum_flag("dry_run", true));
	json_files(&json, dry, DRY_READ, "reads");
	json_nest(&json, "runs", '[', NULL);
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == DRY_RUN)
			json_run(&json, item);
	json_close(&json);
	for (const struct dry_item *item = dry->first; item; item = item->next)
		if (item->what == DRY_FACT)
			json_put(&json, item->word ? datum_text(item->text, item->word)
						   : datum_count(item->text, item->number));
	json_files(&json, dry, DRY_WRITE, "writes");
	return json_finish(&json, SL_OK, err);
}

int dry_end(struct dry_run *dry, struct sl_err *err)
{
	if (dry->failed)
		return sl_fail_memory(err);
	if (arg_flag(dry->args, "json"))
		return report_json(dry, err);
	dry_run_report(dry);
	return SL_OK;
}

/* ---- Files that are not written -------------------------------------------------------------------------
 */

int dry_file_check(const char *path, struct sl_err *err)
{
	struct stat info;
	char folder[4096];
	if (!path || strcmp(path, "-") == 0)
		return SL_OK;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return sl_fail(
			err, SL_SYSTEM, "cannot write '%s': it is a directory; name a file in it", path);
	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* A device, a pipe: written as it is. */
		return access(path, W_OK) == 0 ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "create", path);
	const char *slash = strrchr(path, '/');
	const size_t len = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
	if (len >= sizeof(folder))
		return sl_fail(err, SL_USAGE, "path is too long: '%.100s...'; use a shorter one", path);
	(void)snprintf(folder, sizeof(folder), "%.*s", len ? (int)len : 1, len ? path : ".");
	if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode))
		errno = ENOTDIR;
	else if (access(folder, W_OK) == 0)
		return SL_OK;
	return sl_fail_sys(err, SL_SYSTEM, "create", path);
}
