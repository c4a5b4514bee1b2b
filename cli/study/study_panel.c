/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_panel.c - one panel of a study: its policies compared on one trace and machine, and what the table
 * takes from it.
 *
 * The comparison is that of `schedlab compare`, with its line: of a log over blocks of its jobs, of a trace
 * that is drawn over a trace a seed. Where seeds are several, figures and the page are of the first one,
 * which is run first: its runs are those of the first sample too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/study/study.h"
#include "sim/registry/replay_params.h"

enum { WORDS_MAX = 4096 };

/* ---- Which ------------------------------------------------------------------------------------------- */

bool study_is_of_panel(const struct study *study, const struct point *a, const struct point *b)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	for (size_t f = 0; f < spec->factor_count; f++)
		if (f != spec->policy_at && f != spec->seed_at && a->value[f] != b->value[f])
			return false;
	return true;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* What distinguishes the panel: its trace, and of the rest what has several values. */
static const char *title_of(const struct study *study, const struct point *point)
{
	const struct sweep *sweep = &study->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	const char *title = last_part(point_value(sweep, point, spec->trace_at));
	for (size_t f = 0; f < spec->factor_count && title; f++) {
		const bool is_cluster = f == spec->cluster_at;
		if (spec->factor[f].count < 2 || f == spec->trace_at || f == spec->policy_at ||
			f == spec->seed_at)
			continue;
		const char *value = point_value(sweep, point, f);
		title = text_made(study->arena, "%s, %s%s%s", title, is_cluster ? "" : spec->factor[f].name,
			is_cluster ? "" : "=", last_part(value));
	}
	return title;
}

/* A folder's name: letters and digits of the title. */
static void panel_name(struct study_panel *panel, size_t number)
{
	size_t used = (size_t)snprintf(panel->name, sizeof(panel->name), "%zu-", number + 1);
	for (const char *p = panel->title; *p && used + 1 < sizeof(panel->name) - 16; p++) {
		const bool plain = isalnum((unsigned char)*p) || *p == '.' || *p == '_' || *p == '=';
		if (plain)
			panel->name[used++] = *p;
		else if (panel->name[used - 1] != '-')
			panel->name[used++] = '-';
	}
	panel->name[used] = '\0';
}

static int panel_take(struct study *study, const struct point *point, struct sl_err *err)
{
	const struct sweep *sweep = &study->sweep;
	const char *policy = point_value(sweep, point, sweep->spec.policy_at);
	struct study_panel *panel = NULL;
	for (size_t i = 0; i < study->panels && !panel; i++)
		if (study_is_of_panel(study, &study->panel[i].point, point))
			panel = &study->panel[i];
	if (!panel) {
		panel = &study->panel[study->panels++];
		*panel = (struct study_panel){ .point = *point, .samples = 1 };
		panel->policy = sl_alloc(study->arena, STUDY_ROWS_MAX, sizeof(*panel->policy));
		panel->title = title_of(study, point);
		if (!panel->policy || !panel->title)
			return sl_fail_memory(err);
		panel_name(panel, study->panels - 1);
	}
	for (size_t i = 0; i < panel->policies; i++)
		if (strcmp(panel->policy[i], policy) == 0)
			return SL_OK;
	if (panel->policies == STUDY_ROWS_MAX)
		return sl_fail(err, SL_INPUT, "a study of more than %d policies: split it", STUDY_ROWS_MAX);
	panel->policy[panel->policies++] = policy;
	return SL_OK;
}

/* A setting that there is not, or that a study cannot have, is said with its place, before anything is run.
 */
static int settings_refused(const struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	for (size_t f = 0; f < spec->factor_count; f++) {
		const struct sl_place at = { spec->file, spec->factor[f].line, spec->factor[f].column };
		const char *name = spec->factor[f].name;
		const bool replay = strncmp(name, "replay.", 7) == 0;
		bool known = !replay;
		for (size_t i = 0; i < replay_param_count && !known; i++)
			known = strcmp(replay_params[i].key, name + 7) == 0;
		if (!known)
			return sl_fail_at(
				err, &at, "unknown setting '%s': 'schedlab list settings' shows them", name);
		if (strcmp(name, "replay.windows") == 0)
			return sl_fail_at(err, &at,
				"a study's figures are of whole runs: leave out replay.windows, and give several traces");
	}
	return SL_OK;
}

int study_panels(struct study *study, struct sl_err *err)
{
	int status = settings_refused(study, err);
	if (!status)
		status = sweep_points(&study->sweep, err);
	study->panel = status ? NULL : sl_alloc(study->arena, study->sweep.count, sizeof(*study->panel));
	if (!status && !study->panel)
		return sl_fail_memory(err);
	for (size_t i = 0; i < study->sweep.count && !status; i++)
		status = panel_take(study, &study->sweep.point[i], err);
	return status;
}

/* ---- Its line ---------------------------------------------------------------------------------------- */

struct line {
	char **word;
	size_t count;
	struct sl_arena *arena;
	bool failed;
};

static void word_add(struct line *line, const char *option, const char *value)
{
	const char *const words[] = { option, value };
	for (size_t i = 0; i < SL_LEN(words); i++) {
		if (!words[i])
			continue;
		line->failed = line->failed || line->count == WORDS_MAX;
		char *word = line->failed ? NULL : sl_strdup(line->arena, words[i], strlen(words[i]));
		line->failed = !word;
		if (word)
			line->word[line->count++] = word;
	}
}

/* Of the study's line, and what the spec says for all. */
static void words_of_all(const struct study *study, const struct study_panel *panel, struct line *line)
{
	static const char *const flags[] = { "no-sync", "trust", "check", "quiet" };
	static const char *const values[] = { "threads", "max-time", "max-memory", "blocks" };
	const struct sweep *sweep = &study->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	bool field = true;
	for (size_t i = 0; i < panel->policies; i++)
		word_add(line, "--policy", panel->policy[i]);
	for (size_t f = 0; f < spec->factor_count; f++) {
		const char *name = spec->factor[f].name;
		const char *value = point_value(sweep, &panel->point, f);
		if (f == spec->trace_at || f == spec->policy_at || f == spec->seed_at)
			continue;
		field = field && strcmp(name, "replay.metrics") != 0;
		if (f == spec->cluster_at)
			word_add(line, "--cluster", value);
		else if (strcmp(name, "model") == 0)
			word_add(line, "--model", value);
		else
			word_add(line, "--set", text_made(line->arena, "%s=%s", name, value));
	}
	if (field)
		word_add(line, "--set", "replay.metrics=field");
	for (size_t i = 0; i < spec->metric_count; i++)
		word_add(line, "--metric", spec->metric[i]);
	const char *const said[][2] = { { "--jobs", spec->jobs }, { "--from", spec->from },
		{ "--to", spec->to }, { "--tz", spec->tz } };
	for (size_t i = 0; i < SL_LEN(said); i++)
		if (said[i][1])
			word_add(line, said[i][0], said[i][1]);
	for (size_t i = 0; i < SL_LEN(flags); i++)
		if (arg_flag(study->args, flags[i]))
			word_add(line, text_made(line->arena, "--%s", flags[i]), NULL);
	for (size_t i = 0; i < SL_LEN(values); i++)
		if (arg(study->args, values[i]))
			word_add(
				line, text_made(line->arena, "--%s", values[i]), arg(study->args, values[i]));
}

static const struct factor *seeds_of(const struct study *study)
{
	return &study->sweep.spec.factor[study->sweep.spec.seed_at];
}

static const struct sweep_trace *trace_of(const struct study *study, const struct study_panel *panel)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	return &spec->trace[panel->point.value[spec->trace_at]];
}

/* A trace of the i-th seed: the file, or one that is drawn. NULL: memory. */
static const char *trace_path(
	const struct study *study, const struct study_panel *panel, size_t i, struct sl_arena *arena)
{
	const struct sweep_trace *trace = trace_of(study, panel);
	const size_t number = panel->point.value[study->sweep.spec.trace_at] + 1;
	const char *seed = seeds_of(study)->value[trace->seeded ? 0 : i];
	return trace->file ? trace->file : text_made(arena, STUDY_INPUTS "/drawn-%zu-%s.swf", number, seed);
}

/* So many seeds have a trace of their own. */
static size_t traces_of(const struct study *study, const struct study_panel *panel)
{
	const struct sweep_trace *trace = trace_of(study, panel);
	return trace->generate && !trace->seeded ? seeds_of(study)->count : 1;
}

/* They are inputs, also of a panel that is done already. */
static int traces_draw(const struct study *study, const struct study_panel *panel, struct sl_err *err)
{
	const struct sweep_trace *trace = trace_of(study, panel);
	int status = SL_OK;
	for (size_t i = 0; i < traces_of(study, panel) && trace->generate && !status; i++) {
		const char *path = trace_path(study, panel, i, study->arena);
		const struct generate_call call = { trace->generate,
			strtoull(seeds_of(study)->value[i], NULL, 10), trace->seeded, study->arena,
			study->sweep.registry };
		if (!path)
			return sl_fail_memory(err);
		if (access(path, R_OK) != 0)
			status = generate_line(&call, path, err);
	}
	return status;
}

/* Seeds of a log are those of one line: they follow one another. */
static int seeds_follow(const struct study *study, struct sl_err *err)
{
	const struct factor *seeds = seeds_of(study);
	const struct sl_place at = { study->sweep.spec.file, seeds->line, seeds->column };
	int64_t first;
	for (size_t i = 0; i < seeds->count; i++) {
		int64_t seed;
		if (!sl_get_i64(seeds->value[i], strlen(seeds->value[i]), &seed) || seed < 0)
			return sl_fail_at(
				err, &at, "a seed must be a whole number, not '%.60s'", seeds->value[i]);
		first = i ? first : seed;
		if (seed != first + (int64_t)i)
			return sl_fail_at(
				err, &at, "the seeds of a study follow one another: 1..%zu", seeds->count);
	}
	return SL_OK;
}

/* ---- What is taken of it ----------------------------------------------------------------------------- */

struct taking {
	struct study *study;
	struct study_panel *panel;
	const struct args *args; /* Of the line. */
	bool counts;
};

static int counts_take(const struct taking *taking, const struct comparison *all, struct sl_err *err)
{
	const struct scenario *scenario = all->run[0].scenario;
	struct study_counts *counts = &taking->panel->counts;
	char text[2][600] = { "", "" };
	const int64_t *left = metrics_get(&all->row[0].metrics, "jobs.left_out");
	counts->rows = scenario->rows;
	counts->replayed = scenario->jobs.count;
	counts->repaired = anomalies_text(scenario, false, text[0], sizeof(text[0]));
	counts->dropped = anomalies_text(scenario, true, text[1], sizeof(text[1]));
	counts->over = scenario->limits_over;
	counts->none = scenario->limits_none;
	counts->raised = scenario->overrun == SL_OVERRUN_RAISE ? scenario->limits_over : 0;
	counts->left_out = left ? (uint64_t)*left / 1000000 : 0;
	for (uint32_t row = 0; scenario->jobs.estimate && row < scenario->jobs.count; row++)
		counts->estimates += scenario->jobs.estimate[row] != scenario->jobs.limit[row];
	counts->why_repaired = sl_strdup(taking->study->arena, text[0], strlen(text[0]));
	counts->why_dropped = sl_strdup(taking->study->arena, text[1], strlen(text[1]));
	return counts->why_repaired && counts->why_dropped ? SL_OK : sl_fail_memory(err);
}

/* "wait.mean{size=2-3,run=<5m}", and how many jobs that is of. */
static bool wait_of(struct study_wait *wait, const struct sl_metrics *metrics,
	const struct metric_row *metric, struct sl_arena *arena)
{
	static const char name[] = "wait.mean{size=";
	const size_t begin = sizeof(name) - 1;
	const char *run = strncmp(metric->name, name, begin) == 0 ? strstr(metric->name, ",run=") : NULL;
	char jobs[200];
	*wait = (struct study_wait){ .wait = metric->micro };
	if (!run)
		return true;
	(void)snprintf(jobs, sizeof(jobs), "jobs%.150s", metric->name + sizeof("wait.mean") - 1);
	const int64_t *count = metrics_get(metrics, jobs);
	wait->jobs = count ? *count : 0;
	wait->size = sl_strdup(arena, metric->name + begin, (size_t)(run - metric->name) - begin);
	wait->run = sl_strdup(arena, run + 5, strcspn(run + 5, "}"));
	return wait->size && wait->run;
}

static int waits_take(
	struct study_row *row, const struct sl_metrics *metrics, struct sl_arena *arena, struct sl_err *err)
{
	row->wait = sl_alloc(arena, metrics->count + 1, sizeof(*row->wait));
	for (size_t i = 0; i < metrics->count && row->wait; i++) {
		if (!wait_of(&row->wait[row->waits], metrics, &metrics->row[i], arena))
			return sl_fail_memory(err);
		row->waits += row->wait[row->waits].size != NULL;
	}
	return row->wait ? SL_OK : sl_fail_memory(err);
}

static int cells_take(const struct taking *taking, const struct comparison *all, struct sl_err *err)
{
	const struct study *study = taking->study;
	struct study_panel *panel = taking->panel;
	panel->rows = all->count;
	panel->row = sl_alloc(study->arena, all->count, sizeof(*panel->row));
	for (size_t r = 0; panel->row && r < all->count; r++) {
		struct study_row *row = &panel->row[r];
		row->label = sl_strdup(study->arena, all->row[r].label, strlen(all->row[r].label));
		row->cell = sl_alloc(study->arena, study->metrics, sizeof(*row->cell));
		if (!row->label || !row->cell)
			return sl_fail_memory(err);
		for (size_t m = 0; m < study->metrics; m++) {
			struct study_cell *cell = &row->cell[m];
			const char *metric = study->metric[m].name;
			const int64_t *micro = metrics_get(&all->row[r].metrics, metric);
			const struct sl_difference *said = r ? compare_difference(all, r, metric) : NULL;
			const struct sl_certainty *certain = r ? compare_certainty(all, r, metric) : NULL;
			cell->has = micro != NULL;
			cell->micro = micro ? *micro : 0;
			cell->compared = said != NULL;
			if (said) {
				cell->difference = said->estimate;
				cell->low = said->low;
				cell->high = said->high;
			}
			cell->sure = certain ? certain->sure : 0;
		}
		const int status = waits_take(row, &all->row[r].metrics, study->arena, err);
		if (status)
			return status;
	}
	return panel->row ? SL_OK : sl_fail_memory(err);
}

/* Of one metric: bold is what a test tells from each other policy, in the good direction. */
static int best_take(const struct taking *taking, const struct comparison *all, size_t m, struct sl_err *err)
{
	const struct sl_metric_info *metric = &taking->study->metric[m];
	struct study_panel *panel = taking->panel;
	size_t best = SIZE_MAX;
	for (size_t r = 0; r < panel->rows && metric->better; r++) {
		const struct study_cell *cell = &panel->row[r].cell[m];
		if (!cell->has)
			return SL_OK;
		if (best == SIZE_MAX || (metric->better < 0 ? cell->micro < panel->row[best].cell[m].micro
							    : cell->micro > panel->row[best].cell[m].micro))
			best = r;
	}
	bool all_sure = best != SIZE_MAX && panel->rows > 1;
	for (size_t r = 0; r < panel->rows && all_sure; r++) {
		struct sl_difference said;
		struct sl_certainty certain;
		bool found = false;
		struct compared_pair pair = { all, r, best, metric->name };
		if (r == best)
			continue;
		const int status = compare_between(&pair, &said, &certain, &found, err);
		if (status)
			return status;
		all_sure = found && certain.sure == (metric->better < 0 ? -1 : 1);
	}
	if (all_sure)
		panel->row[best].cell[m].best = true;
	return SL_OK;
}

/* Metrics of no job at all are noughts, which a table would show as if they were the best there is. */
static int jobs_left(const struct study_panel *panel, struct sl_err *err)
{
	const struct study_counts *counts = &panel->counts;
	if (counts->replayed > counts->left_out)
		return SL_OK;
	return sl_fail(err, SL_INPUT, "%s: no job is left to be measured: %s", panel->title,
		counts->replayed ? "replay.warmup and replay.cooldown cut all of them"
				 : "jobs, from and to select none, or all were dropped");
}

static int panel_files(const struct comparison *all, void *self, struct sl_err *err)
{
	const struct taking *taking = self;
	struct study_panel *panel = taking->panel;
	if (all->windows)
		return sl_fail(err, SL_INPUT,
			"a study's figures are of whole runs: leave out replay.windows, and give several traces");
	int status = taking->counts ? counts_take(taking, all, err) : SL_OK;
	if (!status)
		status = jobs_left(panel, err);
	panel->samples = all->replication ? all->each : 1;
	panel->apart = all->reported.apart ? sl_strdup(taking->study->arena, all->reported.apart,
						     strlen(all->reported.apart))
					   : NULL;
	if (!status)
		status = cells_take(taking, all, err);
	for (size_t m = 0; m < taking->study->metrics && !status && !panel->apart; m++)
		status = best_take(taking, all, m, err);
	return status;
}

static int seed_recall(void *self, size_t k, struct replication *row, bool *known, struct sl_err *err)
{
	const struct taking *taking = self;
	return study_recall_seed(taking->study, taking->panel, k, row, taking->panel->rows, known, err);
}

static int seed_keep(void *self, size_t k, const struct replication *row, struct sl_err *err)
{
	const struct taking *taking = self;
	return study_keep_seed(taking->study, taking->panel, k, row, taking->panel->rows, taking->args, err);
}

/* The study says what came of all panels; a panel has its files. */
static void panel_table(const struct comparison *all, void *self)
{
	(void)all;
	(void)self;
}

/* ---- Run ----------------------------------------------------------------------------------------------- */

struct go {
	const char *folder; /* STUDY_RUNS: of the first seed, with figures; STUDY_SEEDS. */
	struct taking taking;
	bool same; /* Nothing was drawn: all seeds are one. */
};

/* What a run that was interrupted has left. */
static void leavings_remove(const struct study_panel *panel, const char *folder)
{
	char path[2 * STUDY_NAME + 40];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, panel->name);
	(void)remove_tree(path);
}

static int compare_panel(struct study_panel *panel, struct go *go, struct args *args, struct sl_err *err)
{
	const bool first = strcmp(go->folder, STUDY_RUNS) == 0;
	struct comparison all = { .args = args,
		.files = panel_files,
		.table = panel_table,
		.lean = true,
		.self = &go->taking,
		.document = &study_document,
		.chart = text_made(args->arena, "figures/%s-", panel->name),
		.recall = first ? NULL : seed_recall,
		.keep = first ? NULL : seed_keep };
	go->taking.args = args;
	int status = compare_traces(&all, err);
	go->same = all.same;
	if (!status)
		status = study_keep_panel(go->taking.study, panel, go->folder, first ? &all : NULL, err);
	compare_end(&all);
	return status;
}

static int panel_go(struct study *study, struct study_panel *panel, struct go *go, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	struct line line = { .arena = arena };
	const struct factor *seeds = seeds_of(study);
	const bool first = strcmp(go->folder, STUDY_RUNS) == 0;
	const size_t traces = first ? 1 : traces_of(study, panel);
	const bool drawn = trace_of(study, panel)->generate && !trace_of(study, panel)->seeded;
	int status = SL_OK;
	line.word = arena ? sl_alloc(arena, WORDS_MAX, sizeof(*line.word)) : NULL;
	if (!line.word) {
		if (arena)
			sl_arena_free(arena);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < traces; i++) {
		const char *path = trace_path(study, panel, i, arena);
		line.failed |= !path;
		word_add(&line, path, NULL);
	}
	words_of_all(study, panel, &line);
	word_add(&line, "--seed", seeds->value[0]);
	if (!first && !drawn)
		word_add(&line, "--reps", text_made(arena, "%zu", seeds->count));
	word_add(&line, "--output", text_made(arena, "%s/%s", go->folder, panel->name));
	if (!first)
		word_add(&line, "--no-report", NULL);
	struct args args = { .data = study->args->data,
		.program = study->args->program,
		.command = &cmd_compare,
		.arena = arena,
		.registry = study->args->registry,
		.of_file = true };
	leavings_remove(panel, go->folder);
	if (!status && line.failed)
		status = sl_fail(err, SL_INPUT, "the line of a panel is too long, or memory is out");
	if (!status)
		status = args_parse(&args, line.word, line.count, err);
	if (!status)
		status = compare_panel(panel, go, &args, err);
	sl_arena_free(arena);
	return status;
}

static int runs_done(struct study *study, struct study_panel *panel, struct sl_err *err)
{
	bool known;
	const int status = study_recall_panel(study, panel, STUDY_RUNS, &known, err);
	struct go go = { .folder = STUDY_RUNS, .taking = { .study = study, .panel = panel, .counts = true } };
	return status || known ? status : panel_go(study, panel, &go, err);
}

/* Over all seeds. A log is what it is where no policy draws either: then all is said already. */
static int seeds_done(struct study *study, struct study_panel *panel, struct sl_err *err)
{
	const struct study_panel single = *panel;
	struct go go = { .folder = STUDY_SEEDS, .taking = { .study = study, .panel = panel } };
	bool known;
	int status = study_recall_panel(study, panel, STUDY_SEEDS, &known, err);
	if (!status && !known)
		status = panel_go(study, panel, &go, err);
	for (size_t r = 0; r < panel->rows && r < single.rows && !status; r++) {
		panel->row[r].wait = single.row[r].wait;
		panel->row[r].waits = single.row[r].waits;
	}
	if (status != SL_USAGE || !go.same)
		return status;
	*err = (struct sl_err){ 0 };
	*panel = single;
	return SL_OK;
}

int study_run(struct study *study, struct study_panel *panel, struct sl_err *err)
{
	const struct sweep_trace *trace = trace_of(study, panel);
	int status = trace->generate && !trace->seeded ? SL_OK : seeds_follow(study, err);
	if (!status)
		status = traces_draw(study, panel, err);
	if (!status)
		status = runs_done(study, panel, err);
	if (!status && seeds_of(study)->count > 1)
		status = seeds_done(study, panel, err);
	return status;
}
