/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_world.c - see ctl_world.h.
 */
#include "tests/world/ctl_world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

/* ---- Jobs as sacct would list them --------------------------------------------------------------- */

enum { TEXT_MAX = 400000 };

struct line {
	char id[32], submit[24], run[24], start[24], user[64], account[64], qos[64], state[32], exit[16],
		nodes[64];
	char options[1000];
};

static bool take(const char *word, const char *key, char *value, size_t size)
{
	const size_t len = strlen(key);
	if (strncmp(word, key, len) != 0)
		return false;
	const size_t rest = strlen(word + len);
	cr_assert_lt(rest, size, "'%s' is too long", word);
	memcpy(value, word + len, rest + 1);
	return true;
}

/* The next word into it; what follows. Nothing left: "". */
static const char *next_word(const char *at, char *word, size_t size)
{
	at += strspn(at, " ");
	const size_t len = strcspn(at, " ");
	cr_assert_lt(len, size, "'%s' is too long", at);
	memcpy(word, at, len);
	word[len] = '\0';
	return at + len;
}

static void take_words(struct line *line, const char *at)
{
	at = next_word(at, line->id, sizeof(line->id));
	at = next_word(at, line->submit, sizeof(line->submit));
	at = next_word(at, line->run, sizeof(line->run));
	cr_assert(*line->run, "not a job: '%s'", line->id);
	while (*at) {
		char word[200];
		const char *rest = next_word(at, word, sizeof(word));
		if (!take(word, "user=", line->user, sizeof(line->user)) &&
			!take(word, "account=", line->account, sizeof(line->account)) &&
			!take(word, "qos=", line->qos, sizeof(line->qos)) &&
			!take(word, "state=", line->state, sizeof(line->state)) &&
			!take(word, "exit=", line->exit, sizeof(line->exit)) &&
			!take(word, "start=", line->start, sizeof(line->start)) &&
			!take(word, "nodes=", line->nodes, sizeof(line->nodes)))
			break;
		at = rest;
	}
	(void)snprintf(line->options, sizeof(line->options), "%s", at);
}

static size_t put_line(char *out, size_t capacity, const char *at)
{
	struct line line = { .user = "root", .state = "COMPLETED", .exit = "0:0" };
	int64_t run = 0;
	int64_t submit = 0;
	take_words(&line, at);
	cr_assert(sl_get_i64(line.submit, strlen(line.submit), &submit));
	cr_assert(sl_get_i64(line.run, strlen(line.run), &run));
	int64_t start = submit;
	cr_assert(!*line.start || sl_get_i64(line.start, strlen(line.start), &start));
	submit += CW_T0;
	start += CW_T0;
	return (size_t)snprintf(out, capacity, "%s|%lld|%lld|%lld|%lld|%s|%s|%s|%s|%s|%s|sbatch%s%s x.sh\n",
		line.id, (long long)submit, (long long)start, (long long)(start + run), (long long)run,
		line.user, line.account, line.qos, line.state, line.exit, line.nodes,
		*line.options == ' ' ? "" : " ", line.options);
}

static const char *sacct_of(const char *jobs)
{
	static char text[TEXT_MAX];
	size_t len = (size_t)snprintf(text, sizeof(text),
		"JobID|Submit|Start|End|ElapsedRaw|User|Account|QOS|State|ExitCode|NodeList|SubmitLine\n");
	for (const char *at = jobs; *at;) {
		char one[1200];
		const size_t size = strcspn(at, "\n");
		cr_assert_lt(size, sizeof(one));
		memcpy(one, at, size);
		one[size] = '\0';
		if (*one && *one != '#')
			len += put_line(text + len, sizeof(text) - len, one);
		cr_assert_lt(len, sizeof(text));
		at += size + (at[size] == '\n');
	}
	return text;
}

/* ---- Files ----------------------------------------------------------------------------------------------
 */

static struct sl_arena *kept; /* Settings outlive the scenario. */

static void set(struct settings *settings, struct ctl_world *w, const char *key, const char *text)
{
	char path[32];
	char both[200];
	if (!text)
		return;
	(void)snprintf(both, sizeof(both), "%s=%s", key, memfile(path, text, strlen(text)));
	cr_assert_eq(settings_add(settings, both, &w->err), SL_OK, "%s", w->err.text);
}

/* Times of commands count from T0: as dates they do so whatever the first submission is. */
static const char *commands_of(const struct ctl_world *w)
{
	static char text[TEXT_MAX];
	size_t len = 0;
	text[0] = '\0';
	for (const char *at = w->commands; at && *at;) {
		const size_t size = strcspn(at, "\n");
		const size_t word = strcspn(at, " ");
		int64_t second = 0;
		cr_assert(sl_get_i64(at, word, &second), "a command begins with a second: '%s'", at);
		/* T0 is 2027-01-15T08:00:00. */
		len += (size_t)snprintf(text + len, sizeof(text) - len, "2027-01-%02dT%02d:%02d:%02d%.*s\n",
			15 + (int)((second + 28800) / 86400), (int)((second + 28800) / 3600 % 24),
			(int)(second / 60 % 60), (int)(second % 60), (int)(size - word), at + word);
		cr_assert_lt(len, sizeof(text));
		at += size + (at[size] == '\n');
	}
	return w->commands ? text : NULL;
}

void cw_load(struct ctl_world *w)
{
	static struct settings settings;
	static char trace[32], cluster[32];
	kept = kept ? kept : sl_arena_new();
	settings = (struct settings){ .arena = kept };
	memset(&w->err, 0, sizeof(w->err));
	set(&settings, w, "cluster.accounts", w->accounts);
	set(&settings, w, "cluster.qos", w->qos);
	set(&settings, w, "cluster.usage", w->usage);
	set(&settings, w, "replay.commands", commands_of(w));
	for (size_t i = 0; w->settings && w->settings[i]; i++)
		cr_assert_eq(settings_add(&settings, w->settings[i], &w->err), SL_OK, "%s", w->err.text);
	w->arena = sl_arena_new();
	/* Nodes are free at once after a job, where a test does not say. */
	const char *policy = w->policy ? w->policy : "slurm:version=22.05";
	char text[200];
	(void)snprintf(text, sizeof(text), "%s%scomplete=0", policy, strchr(policy, ':') ? "," : ":");
	cr_assert_eq(policy_choose(builtin_registry(), &w->choice,
			     strstr(policy, "complete=") ? policy : text, &settings, w->arena, &w->err),
		SL_OK, "%s", w->err.text);
	const char *sacct = sacct_of(w->jobs);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(trace, sacct, strlen(sacct)),
		.cluster = memfile(cluster, w->conf, strlen(w->conf)),
		.settings = &settings,
		.from = w->from,
		.implied = w->choice.implied };
	cr_assert_eq(scenario_load(&w->scenario, &options, &w->err), SL_OK, "%s", w->err.text);
}

/* ---- The controller alone
 * ---------------------------------------------------------------------------------- */

struct ctl *cw_make(struct ctl_world *w)
{
	cw_load(w);
	struct ctl *c = &w->ctl;
	const struct sl_setup setup = { .arena = w->arena,
		.jobs = &w->scenario.jobs,
		.cpus = w->scenario.cpus,
		.values = w->choice.values,
		.value_count = w->choice.value_count,
		.overrun = w->scenario.overrun,
		.cluster = &w->scenario.cluster,
		.epoch = w->scenario.epoch };
	*c = (struct ctl){ 0 };
	cr_assert_eq(ctl_make(c, &setup, &w->err), SL_OK, "%s", w->err.text);
	cw_at(w, 0);
	return c;
}

void cw_at(struct ctl_world *w, int64_t second)
{
	w->ctl.now = CW_T0 + second;
	w->ctl.now_us = ctl_engine_time(&w->ctl, w->ctl.now);
}

/* ---- Runs
 * ------------------------------------------------------------------------------------------------------ */

int cw_try(struct ctl_world *w)
{
	cw_load(w);
	memset(&w->sim, 0, sizeof(w->sim));
	const struct sim_options options = { .scenario = &w->scenario,
		.choice = &w->choice,
		.seed = 1,
		.record = SIM_RECORD_REASONS | SIM_RECORD_PLACES | SIM_RECORD_DECISIONS,
		.check = w->check };
	return sim_run(&w->sim, &options, &w->err);
}

void cw_run(struct ctl_world *w) { cr_assert_eq(cw_try(w), SL_OK, "%s", w->err.text); }

void cw_end(struct ctl_world *w)
{
	if (w->sim.engine)
		sim_release(&w->sim);
	scenario_release(&w->scenario);
	sl_arena_free(w->arena);
	w->arena = NULL;
}

/* ---- Results ---------------------------------------------------------------------------------------------
 * */

uint32_t cw_row(const struct ctl_world *w, const char *id)
{
	const struct sl_jobs *jobs = &w->scenario.jobs;
	for (uint32_t i = 0; i < jobs->count; i++) {
		char text[32];
		(void)snprintf(text, sizeof(text), "%lld", (long long)jobs->id[i]);
		if (strcmp(jobs->id_name && jobs->id_name[i] ? jobs->id_name[i] : text, id) == 0)
			return i;
	}
	cr_assert(false, "there is no job %s", id);
	return 0;
}

struct ctl_job *cw_job(struct ctl_world *w, const char *id) { return &w->ctl.job[cw_row(w, id)]; }

static int64_t second_of(const struct ctl_world *w, sl_time at)
{
	return at == SL_NONE || at == SL_NEVER ? -1 : at / SL_SECOND + w->scenario.epoch - CW_T0;
}

int64_t cw_start(const struct ctl_world *w, const char *id)
{
	return second_of(w, w->sim.result.start[cw_row(w, id)]);
}

int64_t cw_stop(const struct ctl_world *w, const char *id)
{
	return second_of(w, w->sim.result.end[cw_row(w, id)]);
}

enum sl_state cw_state(const struct ctl_world *w, const char *id)
{
	return (enum sl_state)w->sim.result.state[cw_row(w, id)];
}

static const char *nodes_of(struct ctl_world *w, uint32_t row)
{
	static char text[1000];
	const char *name[256];
	const struct sl_result *r = &w->sim.result;
	const uint32_t count = r->place_count ? r->place_count[row] : 0;
	text[0] = '\0';
	cr_assert_leq(count, SL_LEN(name));
	for (uint32_t i = 0; i < count; i++)
		name[i] = w->scenario.cluster.node_name[r->place[r->place_first[row] + i].node];
	if (count)
		(void)sl_hosts_fold(name, count, text, sizeof(text));
	return text;
}

const char *cw_nodes(struct ctl_world *w, const char *id) { return nodes_of(w, cw_row(w, id)); }

const char *cw_reasons(struct ctl_world *w, const char *id)
{
	const struct sl_result *r = &w->sim.result;
	const uint32_t row = cw_row(w, id);
	unsigned last = SL_REASON_NONE;
	size_t len = 0;
	w->text[0] = '\0';
	for (size_t i = 0; i < r->reason_count && len < sizeof(w->text);
		i++) { /* As many as there is room for. */
		if (r->reasons[i].job != row || r->reasons[i].reason == SL_REASON_NONE ||
			r->reasons[i].reason == last)
			continue;
		last = r->reasons[i].reason;
		len += (size_t)snprintf(w->text + len, sizeof(w->text) - len, "%s%s", len ? "+" : "",
			sl_reason_name((enum sl_reason)last));
	}
	return w->text;
}

const char *cw_schedule(struct ctl_world *w)
{
	static char text[20000];
	const struct sl_jobs *jobs = &w->scenario.jobs;
	size_t len = 0;
	for (uint32_t i = 0; i < jobs->count; i++) {
		char id[32];
		(void)snprintf(id, sizeof(id), "%lld", (long long)jobs->id[i]);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s:%lld-%lld@%s", i ? " " : "",
			jobs->id_name && jobs->id_name[i] ? jobs->id_name[i] : id,
			(long long)second_of(w, w->sim.result.start[i]),
			(long long)second_of(w, w->sim.result.end[i]), nodes_of(w, i));
		cr_assert_lt(len, sizeof(text));
	}
	return text;
}

const char *cw_id(const struct ctl_world *w, uint32_t row)
{
	static char text[8][32];
	static unsigned next;
	const struct sl_jobs *jobs = &w->scenario.jobs;
	char *id = text[next++ % SL_LEN(text)];
	(void)snprintf(id, sizeof(text[0]), "%lld", (long long)jobs->id[row]);
	return jobs->id_name && jobs->id_name[row] ? jobs->id_name[row] : id;
}

const char *cw_reported(struct ctl_world *w)
{
	static const char *const decision[] = { "start", "preempt", "resume", "resize", "end", "plan" };
	static char text[20000];
	const struct sl_result *r = &w->sim.result;
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < r->decision_count; i++) {
		const struct sl_decision *d = &r->decision[i];
		const bool plan = d->decision == SL_DECISION_PLAN;
		char planned[32] = " none";
		if (d->start != SL_NONE)
			(void)snprintf(planned, sizeof(planned), " %lld", (long long)second_of(w, d->start));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%lld %s %s%s%s", len ? "; " : "",
			(long long)second_of(w, d->at), decision[d->decision], cw_id(w, d->job),
			plan ? planned : " ", plan ? "" : sl_rule_name((enum sl_rule)d->rule));
		if (d->beneficiary != UINT32_MAX)
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "(%s)", cw_id(w, d->beneficiary));
		cr_assert_lt(len, sizeof(text));
	}
	return text;
}
