/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_plan.c - what goes into a bundle, from where to where.
 *
 * Inputs keep the names that run.json has for them, if these are below the working folder and not names of
 * the bundle's own. Others go into inputs/: files of one folder into one folder, so that who looks for a file
 * beside another finds it. A folder that one of the files names from the root goes into inputs/root by its
 * whole path, where such names are sought (sl_path_beside); else its old path would be lost.
 *
 * Of a folder only the files that were read are there: run.json has them all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bundle/bundle.h"

enum { PATH_LONGEST = 4096, ITEMS_MAX = 100000, SEARCHED_MAX = 64 << 20, RECORD_MAX = 64 << 20 };

/* ---- Names in the bundle ---------------------------------------------------------------------------- */

static bool is_own(const char *path)
{
	static const char *const own[] = { BUNDLE_SUMS, "README.txt", "run.sh", "run", "run.json",
		"snapshot.json", "inputs" };
	const size_t len = strcspn(path, "/");
	for (size_t i = 0; i < SL_LEN(own); i++)
		if (strlen(own[i]) == len && memcmp(path, own[i], len) == 0)
			return true;
	return false;
}

static bool is_in(const char *path, const char *folder)
{
	const size_t len = strlen(folder);
	return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

static const char *bundle_plan_text_of(struct sl_arena *arena, const char *text, struct sl_err *err)
{
	const char *kept = sl_strdup(arena, text, strlen(text));
	if (!kept)
		(void)sl_fail_memory(err);
	return kept;
}

static int too_long(const char *path, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "'%.200s': the path is too long", path);
}

static int folder_add(struct bundle_plan *plan, const char *was, const char *is, struct sl_err *err)
{
	if (SL_GROW_MOST(plan->folder, plan->folders_capacity, plan->folders + 1, ITEMS_MAX, err))
		return err->status;
	struct bundle_folder *folder = &plan->folder[plan->folders];
	*folder = (struct bundle_folder){ bundle_plan_text_of(plan->arena, was, err),
		bundle_plan_text_of(plan->arena, is, err) };
	plan->folders += !err->status;
	return err->status;
}

/* Does a file of the run name that folder, or one in it, from the root? */
static bool has_name(const char *path, const char *folder)
{
	struct sl_input *in;
	struct sl_err none = { 0 };
	struct stat is;
	const char *text;
	const char *end;
	bool found = false;
	if (stat(path, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size > SEARCHED_MAX ||
		sl_input_open(&in, path, &none))
		return false;
	if (sl_input_all(in, &text, &end, &none) == SL_OK)
		found = memmem(text, (size_t)(end - text), folder, strlen(folder));
	sl_input_close(in);
	return found;
}

static bool is_named_inside(const struct rerun *rerun, const char *folder)
{
	char name[PATH_LONGEST];
	const struct scenario *scenario = &rerun->scenario;
	if (folder[0] != '/' || snprintf(name, sizeof(name), "%s/", folder) >= PATH_LONGEST)
		return false;
	bool found = has_name(scenario->input.path, name) ||
		     (scenario->cluster_input.path && has_name(scenario->cluster_input.path, name));
	for (size_t i = 0; i < scenario->side_count && !found; i++)
		found = has_name(scenario->side[i].path, name);
	return found;
}

/* A folder from elsewhere that is new. */
static int folder_new(
	struct bundle_plan *plan, const struct rerun *rerun, const char *was, struct sl_err *err)
{
	char is[PATH_LONGEST];
	const int len = is_named_inside(rerun, was)
				? snprintf(is, sizeof(is), PATH_ROOTED "%s", was)
				: snprintf(is, sizeof(is), "inputs/%zu", ++plan->numbered);
	return len < 0 || (size_t)len >= sizeof(is) ? too_long(was, err) : folder_add(plan, was, is, err);
}

/* What the path is called in the bundle. whole: it is a folder itself. beside: another file named it. */
static int name_find(struct bundle_plan *plan, const struct rerun *rerun, const char *path, bool whole,
	bool beside, char name[PATH_LONGEST], struct sl_err *err)
{
	char folder[PATH_LONGEST];
	const char *slash = strrchr(path, '/');
	const int width = whole || !slash ? (int)strlen(path) : (int)(slash - path);
	const bool up = path_leads_out(path);
	(void)snprintf(name, PATH_LONGEST, "%s", path);
	(void)path_clean(name, 0);
	if (path[0] != '/' && (!up || beside) && !is_own(name))
		return *name ? SL_OK : too_long(path, err);
	for (size_t tries = 0; tries < 2; tries++) {
		for (size_t i = 0; i < plan->folders; i++) {
			const struct bundle_folder *known = &plan->folder[i];
			if (!is_in(path, known->was))
				continue;
			const int len =
				snprintf(name, PATH_LONGEST, "%s%s", known->is, path + strlen(known->was));
			(void)path_clean(name, 0);
			return len < 0 || len >= PATH_LONGEST ? too_long(path, err) : SL_OK;
		}
		/* Of "README.txt" there is no folder: it gets one of its own. */
		(void)snprintf(folder, sizeof(folder), "%.*s", width, path);
		if (!slash && !whole) {
			const int len = snprintf(name, PATH_LONGEST, "inputs/%zu/%s", ++plan->numbered, path);
			return len < 0 || len >= PATH_LONGEST ? too_long(path, err) : SL_OK;
		}
		if (folder_new(plan, rerun, folder, err))
			return err->status;
	}
	return too_long(path, err);
}

/* ---- Items ------------------------------------------------------------------------------------------ */

static bool is_same_file(const char *a, const char *b)
{
	struct sl_err none = { 0 };
	char first[65];
	char second[65];
	return strcmp(a, b) == 0 ||
	       (registry_hash(a, first, &none) == SL_OK && registry_hash(b, second, &none) == SL_OK &&
		       strcmp(first, second) == 0);
}

static int item_add(struct bundle_plan *plan, const struct bundle_item *item, struct sl_err *err)
{
	for (size_t i = 0; i < plan->items; i++) {
		const struct bundle_item *had = &plan->item[i];
		const bool same = strcmp(had->to, item->to) == 0;
		if (same && had->from && item->from && is_same_file(had->from, item->from))
			return SL_OK;
		if (same || (is_in(had->to, item->to) || is_in(item->to, had->to)))
			return sl_fail(err, SL_USAGE,
				"'%s' and '%s' would both be '%s' in the bundle: give one another name",
				had->from ? had->from : had->to, item->from ? item->from : item->to,
				item->to);
	}
	if (SL_GROW_MOST(plan->item, plan->items_capacity, plan->items + 1, ITEMS_MAX, err))
		return err->status;
	struct bundle_item *kept = &plan->item[plan->items];
	*kept = *item;
	kept->to = bundle_plan_text_of(plan->arena, item->to, err);
	if (item->from)
		kept->from = bundle_plan_text_of(plan->arena, item->from, err);
	plan->items += !err->status;
	return err->status;
}

static int rename_add(struct bundle_plan *plan, const char *was, const char *is, struct sl_err *err)
{
	if (strcmp(was, is) == 0)
		return SL_OK;
	if (SL_GROW_MOST(plan->name, plan->names_capacity, plan->names + 1, ITEMS_MAX, err))
		return err->status;
	plan->name[plan->names] = (struct bundle_name){ was, bundle_plan_text_of(plan->arena, is, err) };
	plan->names += !err->status;
	return err->status;
}

static int take_input(struct bundle_plan *plan, const struct rerun *rerun, const struct snapshot_input *input,
	bool beside, struct sl_err *err)
{
	char name[PATH_LONGEST];
	struct stat is;
	const char *path = input->path;
	if (!path || !*path)
		return SL_OK;
	if (strcmp(path, "-") == 0)
		return sl_fail(err, SL_USAGE,
			"its trace came from standard input, and is nowhere: run it from a file");
	const char *from = snapshot_input_path(&rerun->snapshot, input, plan->arena, err);
	if (!from)
		return err->status;
	if (stat(from, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	const bool folder = S_ISDIR(is.st_mode);
	int status = name_find(plan, rerun, path, folder, beside, name, err);
	if (!status)
		status = rename_add(plan, path, name, err);
	const struct bundle_item item = { from, name, NULL, (is.st_mode & S_IXUSR) != 0 };
	return status || folder ? status : item_add(plan, &item, err);
}

static int take_inputs(struct bundle_plan *plan, const struct rerun *rerun, struct sl_err *err)
{
	const struct snapshot *snapshot = &rerun->snapshot;
	int status = take_input(plan, rerun, &snapshot->cluster, false, err);
	for (size_t i = 0; i < snapshot->input_count && !status; i++) {
		const bool beside =
			i && strcmp(rerun->scenario.side[i - 1].format, "cluster") == 0; /* An Include. */
		status = take_input(plan, rerun, &snapshot->input[i], beside, err);
	}
	for (size_t i = 0; i < snapshot->plugin_count && !status; i++)
		status = take_input(plan, rerun, &snapshot->plugin[i], false, err);
	for (size_t i = 0; i < snapshot->policy_file_count && !status; i++)
		status = take_input(plan, rerun, &snapshot->policy_file[i], false, err);
	return status;
}

/* ---- Programs that decide -------------------------------------------------------------------------------
 */

/* A file that run.json does not name as an input. It comes along by its own name, or not at all. */
static int take_named(struct bundle_plan *plan, const char *what, const char *path, struct sl_err *err)
{
	char name[PATH_LONGEST];
	struct stat is;
	if (stat(path, &is) != 0 || !S_ISREG(is.st_mode))
		return SL_OK;
	(void)snprintf(name, sizeof(name), "%s", path);
	(void)path_clean(name, 0);
	if (path_leads_out(path) || is_own(name))
		return sl_fail(err, SL_USAGE,
			"its %s '%s' cannot come along by that name: run it with one that is below the working folder",
			what, path);
	const struct bundle_item item = { path, name, NULL, (is.st_mode & S_IXUSR) != 0 };
	return item_add(plan, &item, err);
}

/* Words of a line for sh that are files. What runs them, if it is named from the root, is the machine's. */
static int take_command(struct bundle_plan *plan, const char *line, struct sl_err *err)
{
	static const char apart[] = " \t\n\"'`;|&<>()";
	char word[PATH_LONGEST];
	bool first = true;
	while (*(line += strspn(line, apart))) {
		const size_t len = strcspn(line, apart);
		struct stat is;
		if (len >= sizeof(word))
			return too_long(line, err);
		(void)snprintf(word, sizeof(word), "%.*s", (int)len, line);
		const bool program = first && word[0] == '/' && stat(word, &is) == 0;
		if (program)
			talk("not in the bundle: the program '%s'", word);
		else if (take_named(plan, "decider's", word, err))
			return err->status;
		first = false;
		line += len;
	}
	talk("its decider's files are in it as far as its command names them: what those load is not known");
	return SL_OK;
}

static int take_programs(struct bundle_plan *plan, const struct snapshot *snapshot, struct sl_err *err)
{
	static const char command[] = "policy.command=";
	static const char record[] = "policy.record=";
	int status = SL_OK;
	for (size_t i = 0; i < snapshot->interval_count; i++)
		for (size_t k = 0; k < snapshot->interval[i].value_count && !status; k++) {
			const char *value = snapshot->interval[i].value[k];
			if (strncmp(value, command, sizeof(command) - 1) == 0)
				status = take_command(plan, value + sizeof(command) - 1, err);
			else if (strncmp(value, record, sizeof(record) - 1) == 0)
				status = take_named(plan, "record", value + sizeof(record) - 1, err);
		}
	return status;
}

/* ---- The run's own ---------------------------------------------------------------------------------- */

int bundle_outputs(const char ***files, const char *record, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc doc = { .file = "run.json", .loose = true };
	struct sl_err unread = { 0 };
	const bool read = !sl_doc_read_json(&doc, record, strlen(record), &unread);
	const struct sl_doc_node *list = read ? sl_doc_member(&doc, doc.node, "files") : NULL;
	size_t used = 0;
	list = list && list->kind == SL_DOC_LIST ? list : NULL;
	*files = sl_alloc(arena, (list ? list->count : 0) + 2, sizeof(**files));
	int status = *files ? SL_OK : sl_fail_memory(err);
	SL_DOC_EACH (item, &doc, list) {
		const char *name = sl_doc_string(&doc, item);
		if (!status && (!name || !*name || *name == '.' || strpbrk(name, "/\n\\")))
			status = sl_fail(
				err, SL_INPUT, "run.json: '%.60s' is no file of a run", name ? name : "");
		if (!status)
			(*files)[used++] = bundle_plan_text_of(arena, name, err);
	}
	if (!status)
		(*files)[used++] = "run.json";
	if (!status)
		(*files)[used] = NULL;
	sl_doc_release(&doc);
	return status ? status : err->status;
}

/* Records are renamed in, the others go in as they are. */
static int take_output(struct bundle_plan *plan, const char *dir, const char *file, struct sl_err *err)
{
	char from[PATH_LONGEST];
	char to[PATH_LONGEST];
	const int a = snprintf(from, sizeof(from), "%s/%s", dir, file);
	const int b = snprintf(to, sizeof(to), "run/%s", file);
	const bool record = strcmp(file, "run.json") == 0 || strcmp(file, "snapshot.json") == 0;
	struct bundle_item item = { from, to, NULL, false };
	if (a < 0 || b < 0 || (size_t)a >= sizeof(from) || (size_t)b >= sizeof(to))
		return too_long(file, err);
	if (access(from, F_OK) != 0)
		return sl_fail(err, SL_BASELINE, "%s: is not there any more: make the run again", from);
	if (record) {
		const char *text = text_of_file(from, NULL, plan->arena, err);
		item.text = text ? bundle_rename(text, plan->name, plan->names, plan->arena, err) : NULL;
		item.from = NULL;
		if (!item.text)
			return err->status;
	}
	return item_add(plan, &item, err);
}

static int take_outputs(struct bundle_plan *plan, const char *dir, struct sl_err *err)
{
	char path[PATH_LONGEST];
	const char **files;
	if (snprintf(path, sizeof(path), "%s/run.json", dir) >= PATH_LONGEST)
		return too_long(dir, err);
	const char *record = text_of_file(path, NULL, plan->arena, err);
	int status = record ? bundle_outputs(&files, record, plan->arena, err) : err->status;
	for (size_t i = 0; !status && files[i]; i++)
		status = take_output(plan, dir, files[i], err);
	return status;
}

/* Would the run have had it anyway? A policy may imply another. */
static bool is_default(const char *setting, struct sl_arena *arena)
{
	static const char prefix[] = "replay.";
	const char *key = setting + sizeof(prefix) - 1;
	const size_t len = strcspn(key, "=");
	if (strncmp(setting, prefix, sizeof(prefix) - 1) != 0)
		return false;
	for (size_t i = 0; i < replay_param_count; i++) {
		const struct sl_param *param = &replay_params[i];
		struct sl_value value = { 0 };
		struct sl_value usual = { 0 };
		struct sl_err none = { 0 };
		if (strlen(param->key) != len || memcmp(param->key, key, len) != 0)
			continue;
		const struct param_list params = { param, 1, param->key, NULL, arena };
		return param->fallback && param->kind != SL_PARAM_TEXT &&
		       value_set(&value, &params, 0, key + len + 1, &none) == SL_OK &&
		       value_set(&usual, &params, 0, param->fallback, &none) == SL_OK &&
		       value.number == usual.number;
	}
	return false;
}

static void line_put(FILE *out, const struct bundle_plan *plan, const struct rerun *rerun)
{
	const struct snapshot *snapshot = &rerun->snapshot;
	const struct snapshot_interval *interval = &snapshot->interval[0];
	const bool implied = rerun->recipe.history[0].choice->implied != NULL;
	(void)fputs("    schedlab run", out);
	bundle_rename_word(out, plan->name, plan->names, snapshot->input[0].path);
	if (snapshot->cluster.path) {
		(void)fputs(" -c", out);
		bundle_rename_word(out, plan->name, plan->names, snapshot->cluster.path);
	}
	for (size_t i = 0; i < snapshot->plugin_count; i++) {
		(void)fputs(snapshot->plugin[i].named ? " --plugin" : "", out);
		if (snapshot->plugin[i].named)
			bundle_rename_word(out, plan->name, plan->names, snapshot->plugin[i].path);
	}
	(void)fputs(" -p", out);
	bundle_rename_word(out, plan->name, plan->names, interval->policy);
	for (size_t i = 0; i < snapshot->setting_count + interval->value_count; i++) {
		const bool state = i < snapshot->setting_count;
		const char *setting =
			state ? snapshot->setting[i] : interval->value[i - snapshot->setting_count];
		if (state && !implied && is_default(setting, plan->arena))
			continue;
		(void)fputs(" --set", out);
		bundle_rename_word(out, plan->name, plan->names, setting);
	}
	if (snapshot->tz) {
		(void)fputs(" --tz", out);
		bundle_rename_word(out, NULL, 0, snapshot->tz);
	}
	if (snapshot->jobs_max)
		(void)fprintf(out, " --jobs %" PRIu64, snapshot->jobs_max);
	(void)fprintf(out, " --seed %" PRIu64 " -o ../again\n", snapshot->seed);
}

/* README.txt: what it is, and the line that makes it without any of this. */
static const char *about_text(struct bundle_plan *plan, const struct rerun *rerun, struct sl_err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	if (out)
		(void)fputs(
			"A run of schedlab " SL_VERSION
			", with all that it was made from. `sh run.sh` makes it again (schedlab on the PATH)\n"
			"and compares each of its files; run/ has them, run/run.json names inputs with their SHA-256,\n"
			"settings, policy and seed. `sha256sum -c SHA256SUMS` looks whether all is as it was put in.\n",
			out);
	if (out && rerun->snapshot.interval_count > 1)
		(void)fputs("The run went on under another policy: no one line makes it.\n", out);
	else if (out) {
		(void)fputs("Without a look at the sums, from this folder:\n\n", out);
		line_put(out, plan, rerun);
	}
	const bool whole = out && fclose(out) == 0;
	const char *kept = whole ? sl_strdup(plan->arena, text, len) : NULL;
	free(text);
	if (!kept)
		(void)sl_fail_memory(err);
	return kept;
}

int bundle_plan_make(struct bundle_plan *plan, const struct rerun *rerun, const char *dir, struct sl_err *err)
{
	static const char script[] =
		"#!/bin/sh\n# Makes the run again from what is here, and compares: 0: it is what it was.\n"
		"cd \"$(dirname \"$0\")\" && exec schedlab bundle --verify . \"$@\"\n";
	int status = take_inputs(plan, rerun, err);
	if (!status)
		status = take_programs(plan, &rerun->snapshot, err);
	if (!status)
		status = take_outputs(plan, dir, err);
	const char *about = status ? NULL : about_text(plan, rerun, err);
	const struct bundle_item readme = { .to = "README.txt", .text = about };
	const struct bundle_item program = { .to = "run.sh", .text = script, .program = true };
	if (!status)
		status = about ? item_add(plan, &readme, err) : err->status;
	return status ? status : item_add(plan, &program, err);
}

void bundle_plan_release(struct bundle_plan *plan)
{
	free(plan->item);
	free(plan->name);
	free(plan->folder);
}
