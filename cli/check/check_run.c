/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_run.c - the cases of a baseline, run: as many at a time as there are threads, results in their order.
 *
 * Inputs are read from the baseline's folder, so that what it names is found from wherever the program is
 * called. A case whose inputs are other bytes than they were is not run: nothing is compared with what was
 * made of others.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/check/check.h"
#include "cli/run/outdir.h"

/* One run. */
struct slot {
	struct check_case *item;
	size_t index; /* Of its family. */
	struct scenario *scenario;
	bool owned;
	struct settings settings;
	struct run run;
	struct check_found *to;
};

struct batch {
	struct check *check;
	struct slot *slot;
	size_t count, capacity;
	struct run *run; /* The arguments of runset_run: those of the slots, copied. */
	bool rerun;      /* The second time: only to be compared. */
};

/* ---- Where inputs are -------------------------------------------------------------------- */

static int check_run_enter(const struct check *check, struct sl_err *err)
{
	const char *slash = strrchr(check->baseline.file, '/');
	if (!slash)
		return SL_OK;
	const size_t len = slash > check->baseline.file ? (size_t)(slash - check->baseline.file) : 1;
	const char *folder = sl_strdup(check->arena, check->baseline.file, len);
	if (!folder)
		return sl_fail_memory(err);
	return chdir(folder) ? sl_fail_sys(err, SL_INPUT, "enter", folder) : SL_OK;
}

static int check_run_leave(const struct check *check, int status, struct sl_err *err)
{
	if (fchdir(check->home) && !status)
		return sl_fail_sys(err, SL_SYSTEM, "go back to", ".");
	return status;
}

/* ---- Generated traces ---------------------------------------------------------------------- */

enum { WORDS_MAX = 200 };

/* The words of a line, at blanks; NULL: no memory, or too many. */
static char **words_of(const char *line, size_t *count, size_t spare, struct sl_arena *arena)
{
	char *text = sl_strdup(arena, line, strlen(line));
	char **word = sl_alloc(arena, WORDS_MAX + spare, sizeof(*word));
	*count = 0;
	while (text && word && *text && *count < WORDS_MAX) {
		text += strspn(text, " ");
		if (!*text)
			return word;
		word[(*count)++] = text;
		text += strcspn(text, " ");
		if (*text)
			*text++ = '\0';
	}
	return text && word && !*text ? word : NULL;
}

int generate_line(const struct generate_call *call, const char *path, struct sl_err *err)
{
	static char seed_option[] = "--seed";
	static char output_option[] = "--output";
	char number[32];
	struct args args = {
		.command = &cmd_generate, .arena = call->arena, .registry = call->registry, .of_file = true
	};
	size_t count;
	char **word = words_of(call->line, &count, 4, call->arena);
	*sl_put_i64(number, (int64_t)call->seed) = '\0';
	char *seed_text = sl_strdup(call->arena, number, strlen(number));
	char *path_text = sl_strdup(call->arena, path, strlen(path));
	if (!word || !seed_text || !path_text)
		return sl_fail(err, SL_INPUT, "'generate' has too many words, or memory is out");
	if (!call->seeded) {
		word[count++] = seed_option;
		word[count++] = seed_text;
	}
	word[count++] = output_option;
	word[count++] = path_text;
	const int status = args_parse(&args, word, count, err);
	if (!status && arg_flag(&args, "help"))
		return sl_fail(err, SL_INPUT, "'generate' is a model and its options: leave out --help");
	return status ? status : cmd_generate.run(&args, err);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static int load_scenario(struct check *check, struct slot *slot, const char *trace, struct sl_err *err)
{
	const struct baseline_case *of = slot->item->of;
	const char *was =
		check->against && !check->based ? check->cluster_was[of - check->baseline.item] : NULL;
	const char *is = check->based ? check->cluster_is : NULL;
	const struct scenario_options options = {
		.trace = trace,
		.cluster = was  ? was
			   : is ? is
				: of->cluster,
		.settings = &slot->settings,
		.registry = check->args->registry,
		.implied = slot->run.choice.implied,
		.from = of->from,
		.to = of->to,
		.tz = of->tz,
		.jobs_max = of->jobs_max,
		.seed = slot->run.options.seed,
		.identify = true,
		.stop = &cli_stop,
	};
	slot->scenario = sl_alloc(check->arena, 1, sizeof(*slot->scenario));
	if (!slot->scenario)
		return sl_fail_memory(err);
	slot->owned = true;
	const int status = scenario_load(slot->scenario, &options, err);
	if (!status && slot->scenario->window_count)
		return sl_fail(err, SL_USAGE, "replay.windows is of several runs: give a case for each");
	return status;
}

/* Into a file of its own, for as long as it is read. */
static int load_generated(struct check *check, struct slot *slot, struct sl_err *err)
{
	char path[4096];
	int status = scratch_make(path, sizeof(path) - 16, err);
	if (status)
		return status;
	const size_t len = strlen(path);
	(void)stpcpy(path + len, "/trace");
	const struct generate_call call = { slot->item->of->generate, slot->run.options.seed, false,
		check->arena, check->args->registry };
	status = generate_line(&call, path, err);
	if (!status)
		status = load_scenario(check, slot, path, err);
	(void)unlink(path);
	path[len] = '\0';
	(void)rmdir(path);
	return status;
}

/* Runs of one trace under several seeds share it, unless the seed draws its jobs. */
static bool check_run_share(struct batch *batch, struct slot *slot)
{
	const struct slot *before = batch->count ? &batch->slot[batch->count - 1] : NULL;
	if (!slot->index || slot->item->of->trace.count != 1 || !before || before->item != slot->item ||
		before->scenario->filled)
		return false;
	slot->scenario = before->scenario;
	for (size_t i = 0; i < slot->settings.count; i++)
		slot->settings.item[i].used = true;
	return true;
}

/* The same of words of `generate` that a file has: it may load plug-ins. */
int generate_trusted(const struct generate_call *call, const struct sl_place *at, struct sl_err *err)
{
	static const char option[] = "--plugin";
	const size_t len = sizeof(option) - 1;
	size_t count;
	char **word = words_of(call->line, &count, 4, call->arena);
	int status = SL_OK;
	for (size_t i = 0; word && i < count && !status; i++) {
		if (strncmp(word[i], option, len) != 0)
			continue;
		const char *path = word[i][len] == '=' ? word[i] + len + 1 : i + 1 < count ? word[i + 1] : "";
		status = trust_query(&call->registry->trust, TRUST_PLUGIN, NULL, path, at, err);
	}
	return status;
}

/* What a case would have executed. */
static int case_trusted(const struct check *check, const struct baseline_case *of, struct settings *settings,
	struct sl_err *err)
{
	const struct registry *registry = check->args->registry;
	const struct sl_place at = baseline_place(
		&check->baseline, of->policy_range.until ? of->policy_range.from : of->range.from);
	const struct sl_place set_at =
		baseline_place(&check->baseline, of->set.range.until ? of->set.range.from : of->range.from);
	const struct generate_call call = { of->generate, 0, false, check->arena, check->args->registry };
	struct settings none = { .arena = settings->arena };
	int status = of->generate ? generate_trusted(&call, &at, err) : SL_OK;
	if (!status)
		status = policy_trusted(registry, of->policy, &none, &at, err);
	return status ? status : policy_trusted(registry, of->policy, settings, &set_at, err);
}

static int load(struct batch *batch, struct slot *slot, struct sl_err *err)
{
	struct check *check = batch->check;
	const struct baseline_case *of = slot->item->of;
	struct registry *registry = check->args->registry;
	int status = SL_OK;
	slot->settings = (struct settings){ .arena = check->arena };
	for (size_t i = 0; i < of->set.count && !status; i++)
		status = settings_add(&slot->settings, of->set.text[i], err);
	if (!status)
		status = case_trusted(check, of, &slot->settings, err);
	if (!status)
		status = registry_add_policy(registry, of->policy, err);
	if (!status)
		status = policy_choose(
			registry, &slot->run.choice, of->policy, &slot->settings, check->arena, err);
	slot->run.options = (struct sim_options){ .stop = &cli_stop,
		.seed = of->seed[of->seed_count > 1 ? slot->index : 0],
		.record = (check->update && check->keep_decisions) || (check->against && !check->based)
				  ? SIM_RECORD_DECISIONS | SIM_RECORD_PLACES
				  : 0U };
	if (!status && of->generate)
		status = load_generated(check, slot, err);
	else if (!status && !check_run_share(batch, slot))
		status = load_scenario(
			check, slot, of->trace.text[of->trace.count > 1 ? slot->index : 0], err);
	if (!status)
		status = settings_check_used(&slot->settings, &slot->run.choice, 1, err);
	slot->run.scenario = slot->scenario;
	SL_CHECK(status || slot->scenario);
	return status;
}

/* ---- Are the inputs what they were? ------------------------------------------------------------ */

static const char *side_name(const struct slot *slot, size_t i) { return slot->scenario->side[i].path; }

static int note_inputs(struct check *check, struct slot *slot, struct sl_err *err)
{
	const struct scenario *scenario = slot->scenario;
	struct check_found *to = slot->to;
	memcpy(to->trace_sha256, scenario->input.sha256, sizeof(to->trace_sha256));
	if (scenario->cluster_input.path)
		memcpy(to->cluster_sha256, scenario->cluster_input.sha256, sizeof(to->cluster_sha256));
	to->side_sha256 = sl_alloc(check->arena, scenario->side_count + 1, sizeof(*to->side_sha256));
	if (!to->side_sha256)
		return sl_fail_memory(err);
	for (size_t i = 0; i < scenario->side_count; i++) {
		to->side_sha256[i] = sl_strdup(check->arena, scenario->side[i].sha256, 64);
		if (!to->side_sha256[i])
			return sl_fail_memory(err);
	}
	to->side_count = scenario->side_count;
	memcpy(to->cluster_read, scenario->cluster_read, sizeof(to->cluster_read));
	while (to->cluster_sides < to->side_count &&
		strcmp(scenario->side[to->cluster_sides].format, "cluster") == 0)
		to->cluster_sides++;
	return SL_OK;
}

static void note_change(struct slot *slot, const char *text)
{
	slot->item->changed = true;
	if (!slot->item->what_changed)
		slot->item->what_changed = text ? text : "inputs are not what they were";
}

static void changed(struct check *check, struct slot *slot, const char *what, const char *was, const char *is)
{
	char *text = text_made(
		check->arena, "%.120s is not what it was: its SHA-256 is %.64s, it was %.64s", what, is, was);
	note_change(slot, text);
}

/* Of generated traces one hash of all: what `sha256sum` says of the lines of their hashes. */
static int generated_hash(
	struct check *check, const struct check_case *item, char hex[65], struct sl_err *err)
{
	enum { LINE = 65 };
	char *text = sl_alloc(check->arena, item->runs * LINE + 1, 1);
	if (!text)
		return sl_fail_memory(err);
	for (size_t i = 0; i < item->runs; i++)
		(void)snprintf(text + i * LINE, LINE + 1, "%s\n", item->found[i].trace_sha256);
	return identity_hash(text, hex, err);
}

static bool check_run_is_among(const struct baseline_texts *was, size_t i, const char *is)
{
	return i < was->count && strcmp(was->text[i], is) == 0;
}

/* The same bytes; or others of which the same is read: comments, blanks and order do not count. */
static bool same_cluster(const struct baseline_case *of, const struct check_found *is)
{
	bool bytes =
		!of->cluster_sha256.count || check_run_is_among(&of->cluster_sha256, 0, is->cluster_sha256);
	if (of->cluster_read.count && of->side_sha256.count != is->side_count)
		bytes = false;
	for (size_t i = 0; i < is->cluster_sides && of->side_sha256.count; i++)
		bytes = bytes && check_run_is_among(&of->side_sha256, i, is->side_sha256[i]);
	return bytes || check_run_is_among(&of->cluster_read, 0, is->cluster_read);
}

static void changed_cluster(struct check *check, struct slot *slot)
{
	const struct baseline_case *of = slot->item->of;
	char *text = text_made(check->arena,
		"%.120s is not what it was%s; to see what that does: 'schedlab check BASELINE --git REV' "
		"(against what it was there), or --against it, by the values of the baseline",
		of->cluster ? of->cluster : "the cluster",
		of->cluster_read.count ? ""
				       : ", if only in a comment: --update notes what is read of it, too");
	note_change(slot, text);
}

/* Files of the cluster stand first among the further ones, and are a part of it. */
static void compare_cluster(struct check *check, struct slot *slot)
{
	const struct baseline_case *of = slot->item->of;
	const struct check_found *is = slot->to;
	const size_t rest = is->side_count - is->cluster_sides;
	if (!check->against && !same_cluster(of, is)) {
		changed_cluster(check, slot);
		return;
	}
	if (check->against && !check->based && !check->cluster_was[of - check->baseline.item])
		slot->item->away = !same_cluster(of, is);
	if (!of->side_sha256.count)
		return;
	if (of->side_sha256.count < rest ||
		(!of->cluster_read.count && !check->against && of->side_sha256.count != is->side_count)) {
		changed(check, slot, "the list of further files", of->side_sha256.text[0],
			is->side_count ? is->side_sha256[0] : "none");
		return;
	}
	for (size_t i = 0; i < rest; i++) {
		const char *was = of->side_sha256.text[of->side_sha256.count - rest + i];
		if (strcmp(was, is->side_sha256[is->cluster_sides + i]) != 0)
			changed(check, slot, side_name(slot, is->cluster_sides + i), was,
				is->side_sha256[is->cluster_sides + i]);
	}
}

/* Of all runs of a case, once they are loaded. */
static int compare_inputs(struct check *check, struct slot *slot, size_t count, struct sl_err *err)
{
	SL_CHECK(slot && count); /* A case has at least one run. */
	const struct baseline_case *of = slot->item->of;
	if (of->generate && count > 1) {
		const int status = generated_hash(check, slot->item, slot->item->generated_sha256, err);
		if (status)
			return status;
	}
	if (check->update)
		return SL_OK;
	for (size_t i = 0; i < of->trace_sha256.count; i++) {
		const bool joined = of->generate && count > 1;
		const size_t at = i < count ? i : 0;
		SL_CHECK(slot[at].scenario);
		const char *is = joined ? slot->item->generated_sha256 : slot[at].to->trace_sha256;
		if (strcmp(of->trace_sha256.text[i], is) != 0)
			changed(check, slot,
				of->generate ? "the generated trace" : slot[at].scenario->input.path,
				of->trace_sha256.text[i], is);
	}
	compare_cluster(check, slot);
	return SL_OK;
}

/* ---- What a run came to ------------------------------------------------------------------------- */

struct metric_names {
	const struct sl_metrics *metrics;
};

static const char *name_at(const void *list, size_t i)
{
	const struct metric_names *names = list;
	return i < names->metrics->count ? names->metrics->row[i].name : NULL;
}

/* "wait.max{user=*}" is of "wait.max{user=3}". A metric has one label, whose value may hold anything. */
static bool is_one_of(const char *many, const char *name)
{
	const size_t begins = strlen(many) - 2; /* Up to the star. */
	return strncmp(many, name, begins) == 0;
}

static int fail_metric(const struct check *check, const struct baseline_metric *metric,
	const struct sl_metrics *metrics, struct sl_err *err)
{
	char similar[128];
	const struct metric_names names = { metrics };
	const struct sl_place at = baseline_place(&check->baseline, metric->range.key);
	return sl_fail_at(err, &at, "the run has no metric '%.80s': %s'schedlab run --json' shows them",
		metric->name, did_you_mean(similar, nearest(metric->name, name_at, &names)));
}

static int take_many(struct check *check, const struct baseline_case *of, size_t index,
	const struct sl_metrics *metrics, struct check_found *found, struct sl_err *err)
{
	const size_t before = found->many_count;
	SL_CHECK(found->many);
	for (size_t i = 0; i < metrics->count; i++) {
		if (!is_one_of(of->metric[index].name, metrics->row[i].name))
			continue;
		const char *name = metrics->row[i].name;
		found->many[found->many_count++] = (struct check_many){ index,
			sl_strdup(check->arena, name, strlen(name)), metrics->row[i].micro };
		if (!found->many[found->many_count - 1].name)
			return sl_fail_memory(err);
	}
	return found->many_count > before ? SL_OK : fail_metric(check, &of->metric[index], metrics, err);
}

static int check_run_take_metrics(struct check *check, const struct baseline_case *of,
	const struct sl_metrics *metrics, struct check_found *found, struct sl_err *err)
{
	size_t many = 0;
	int status = SL_OK;
	for (size_t i = 0; i < of->metric_count; i++)
		many += of->metric[i].many;
	found->value = sl_alloc(check->arena, of->metric_count + 1, sizeof(*found->value));
	found->many = many ? sl_alloc(check->arena, many * metrics->count, sizeof(*found->many)) : NULL;
	if (!found->value || (many && !found->many))
		return sl_fail_memory(err);
	for (size_t i = 0; i < of->metric_count && !status; i++) {
		const int64_t *value = metrics_get(metrics, of->metric[i].name);
		if (of->metric[i].many)
			status = take_many(check, of, i, metrics, found, err);
		else if (!value && check->based)
			found->value[i] = CHECK_NONE;
		else if (!value)
			status = fail_metric(check, &of->metric[i], metrics, err);
		else
			found->value[i] = *value;
	}
	return status;
}

static bool wants_labels(const struct baseline_case *of)
{
	for (size_t i = 0; i < of->metric_count; i++)
		if (strchr(of->metric[i].name, '{'))
			return true;
	return false;
}

static int take_result(struct check *check, const struct slot *slot, const struct run *run,
	struct check_found *found, struct sl_err *err)
{
	const struct sl_result *result = &run->sim.result;
	struct sl_metrics metrics;
	struct sl_arena *arena = sl_arena_new();
	if (!arena)
		return sl_fail_memory(err);
	metrics_init(&metrics, arena, check->args->registry);
	/* All names where one is requested that may not be there: a similar one is looked for among them. */
	metrics.plain = !wants_labels(slot->item->of);
	int status = metrics_compute(&metrics, result, err);
	if (!status)
		status = check_run_take_metrics(check, slot->item->of, &metrics, found, err);
	found->digest = result->digest;
	found->events = result->events;
	found->digest_count = result->digest_count;
	found->digests = sl_alloc(check->arena, result->digest_count + 1, sizeof(*found->digests));
	if (!status && !found->digests)
		status = sl_fail_memory(err);
	if (!status && result->digest_count)
		memcpy(found->digests, result->digests, result->digest_count * sizeof(*found->digests));
	metrics_release(&metrics);
	sl_arena_free(arena);
	return status;
}

static bool is_same(const struct check_found *a, const struct check_found *b, size_t metrics)
{
	bool same = a->digest == b->digest && a->events == b->events && a->many_count == b->many_count;
	for (size_t i = 0; i < metrics && same; i++)
		same = a->value[i] == b->value[i];
	for (size_t i = 0; i < a->many_count && same; i++)
		same = a->many[i].micro == b->many[i].micro;
	return same;
}

static int run_done_one(void *self, struct run *run, size_t index, struct sl_err *err)
{
	struct batch *batch = self;
	struct check *check = batch->check;
	struct slot *slot = &batch->slot[index];
	struct check_found rerun = { 0 };
	struct check_found *to = batch->rerun ? &rerun : slot->to;
	if (run->sim.result.interrupted) {
		sim_release(&run->sim);
		return sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was compared");
	}
	int status = take_result(check, slot, run, to, err);
	if (!status && batch->rerun)
		slot->to->unstable = !is_same(slot->to, &rerun, slot->item->of->metric_count);
	else if (!status && run->options.record & SIM_RECORD_DECISIONS)
		to->decisions = check_decisions_of(&run->sim.result, check->arena);
	if (!status && check->against && !batch->rerun)
		status = check_jobs_take(check, &run->sim.result, &to->jobs, err);
	check_counts_take(run, to->count);
	sim_release(&run->sim);
	return status;
}

/* ---- Batches ------------------------------------------------------------------------------------- */

static int batch_run(struct batch *batch, struct sl_err *err)
{
	struct check *check = batch->check;
	size_t count = 0;
	/* Released: those whose inputs have changed, and those of which the baseline's own values are the
	 * base. */
	for (size_t i = 0; i < batch->count; i++) {
		struct slot slot = batch->slot[i];
		if (slot.item->changed || slot.item->away) {
			if (slot.owned)
				scenario_release(slot.scenario);
			continue;
		}
		batch->slot[count++] = slot;
	}
	batch->count = count;
	for (size_t i = 0; i < count; i++)
		batch->run[i] = batch->slot[i].run;
	const int status = runset_run(batch->run, count, check->threads, run_done_one, batch, err);
	runset_release(batch->run, count);
	return status;
}

static bool differs(const struct slot *slot)
{
	const struct baseline_case *of = slot->item->of;
	return slot->index < of->result.count && of->result.digest[slot->index] != slot->to->digest;
}

/* Made once more, with what was done and why. */
static int report_divergence(struct batch *batch, struct slot *slot, struct sl_err *err)
{
	struct run *run = &slot->run;
	run->options.record = SIM_RECORD_DECISIONS | SIM_RECORD_REASONS | SIM_RECORD_PLACES;
	run->options.scenario = run->scenario;
	run->options.choice = &run->choice;
	const int status = sim_run(&run->sim, &run->options, err);
	if (!status) {
		const struct check *check = batch->check;
		const size_t which = (size_t)(slot->item->of - check->baseline.item);
		const bool others =
			check->based && !check->base[which].away &&
			!check_jobs_alike(check->base[which].found[slot->index].jobs, slot->to->jobs);
		slot->item->divergence =
			others ? "of no decision: other jobs run"
			       : check_divergence(check, slot->item->of, slot->index, &run->sim.result);
		slot->item->diverged = slot->index;
	}
	sim_release(&run->sim);
	return status;
}

static void batch_drop(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		if (batch->slot[i].owned)
			scenario_release(batch->slot[i].scenario);
	batch->count = 0;
}

static int batch_go(struct batch *batch, struct sl_err *err)
{
	struct check *check = batch->check;
	batch->run = sl_alloc(check->arena, batch->count + 1, sizeof(*batch->run));
	if (!batch->run)
		return sl_fail_memory(err);
	batch->rerun = false;
	int status = batch_run(batch, err);
	if (!status && check->twice) {
		batch->rerun = true;
		status = batch_run(batch, err);
	}
	const bool compared = !check->update && check->against == check->based;
	for (size_t i = 0; i < batch->count && !status && compared; i++)
		if (differs(&batch->slot[i]) && !batch->slot[i].item->divergence)
			status = report_divergence(batch, &batch->slot[i], err);
	batch_drop(batch);
	return status;
}

static int batch_capacity(struct batch *batch, size_t more, struct sl_err *err)
{
	if (batch->count + more <= batch->capacity)
		return SL_OK;
	struct slot *grown = sl_alloc(batch->check->arena, batch->count + more, sizeof(*grown));
	if (!grown)
		return sl_fail_memory(err);
	if (batch->count)
		memcpy(grown, batch->slot, batch->count * sizeof(*grown));
	batch->slot = grown;
	batch->capacity = batch->count + more;
	return SL_OK;
}

/* Its runs, loaded, into the batch. */
static int batch_add(struct batch *batch, struct check_case *item, struct sl_err *err)
{
	struct check *check = batch->check;
	const size_t first = batch->count;
	item->runs = baseline_runs(item->of);
	item->found = sl_alloc(check->arena, item->runs, sizeof(*item->found));
	int status = item->found ? batch_capacity(batch, item->runs, err) : sl_fail_memory(err);
	if (!status)
		status = check_run_enter(check, err);
	for (size_t i = 0; i < item->runs && !status; i++) {
		struct slot *slot = &batch->slot[batch->count];
		*slot = (struct slot){ .item = item, .index = i, .to = &item->found[i] };
		status = load(batch, slot, err);
		if (!status)
			status = note_inputs(check, slot, err);
		batch->count += slot->scenario != NULL;
	}
	status = check_run_leave(check, status, err);
	if (!status)
		status = compare_inputs(check, batch->slot + first, item->runs, err);
	item->done = !status;
	return status;
}

/* Whatever went wrong went wrong with a case of the baseline. */
static int fail_case(const struct check *check, const struct check_case *item, const struct sl_err *why,
	struct sl_err *err)
{
	const struct sl_place at = baseline_place(&check->baseline, item->of->id_range.key);
	const bool placed = strncmp(why->text, check->baseline.file, strlen(check->baseline.file)) == 0;
	if (placed || why->status == SL_INTERRUPTED || why->status == SL_SYSTEM)
		return sl_fail(err, why->status, "%s", why->text);
	return sl_fail(err, why->status, "%s:%llu:%u: case '%.60s': %.800s", at.file,
		(unsigned long long)at.line, at.column, item->of->id, why->text);
}

bool check_wants(const struct check *check, const struct baseline_case *of)
{
	const char *id;
	if (check->against && !of->cluster)
		return false;
	if (!arg_at(check->args, "case", 0))
		return true;
	for (size_t i = 0; (id = arg_at(check->args, "case", i)); i++)
		if (strcmp(id, of->id) == 0)
			return true;
	return false;
}

static const char *case_name_at(const void *list, size_t i)
{
	const struct baseline *baseline = list;
	return i < baseline->count ? baseline->item[i].id : NULL;
}

static int check_wanted(const struct check *check, struct sl_err *err)
{
	const char *id;
	for (size_t i = 0; (id = arg_at(check->args, "case", i)); i++) {
		size_t at = 0;
		char similar[128];
		while (at < check->baseline.count && strcmp(check->baseline.item[at].id, id) != 0)
			at++;
		if (at == check->baseline.count)
			return sl_fail(err, SL_USAGE, "'%s' has no case '%.80s': %sleave out --case for all",
				check->baseline.file, id,
				did_you_mean(similar, nearest(id, case_name_at, &check->baseline)));
	}
	return SL_OK;
}

int check_runs(struct check *check, struct sl_err *err)
{
	struct batch batch = { .check = check };
	const long threads = check->threads ? (long)check->threads : sysconf(_SC_NPROCESSORS_ONLN);
	int status = check_wanted(check, err);
	check->item = sl_alloc(check->arena, check->baseline.count, sizeof(*check->item));
	if (!status && !check->item)
		status = sl_fail_memory(err);
	const struct check_case *first = NULL; /* Of the batch, for messages. */
	struct sl_err why = { 0 };
	for (size_t i = 0; i < check->baseline.count && !status; i++) {
		struct check_case *item = &check->item[i];
		item->of = &check->baseline.item[i];
		if (!check_wants(check, item->of))
			continue;
		first = batch.count ? first : item;
		status = batch_add(&batch, item, &why);
		if (status)
			first = item;
		else if ((long)batch.count >= threads)
			status = batch_go(&batch, &why);
	}
	if (!status && batch.count)
		status = batch_go(&batch, &why);
	batch_drop(&batch);
	return status && why.status ? fail_case(check, first, &why, err) : status;
}
