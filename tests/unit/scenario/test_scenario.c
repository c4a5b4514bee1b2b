/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_scenario.c - from a trace's text to the jobs of a replay: what is dropped, repaired, selected and
 * scaled, each rule by a case small enough to check by eye.
 *
 * Jobs are written as "id submit wait run allocated size limit status user"; the other fields are unknown.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

struct loaded {
	struct scenario scenario;
	struct scenario_options options;
	struct settings settings;
	struct sl_err err;
	char text[8000]; /* The trace as SWF. */
	char path[32];
	char seen[2000];
};

/* "1 0 -1 100 4 4 200 1 7" as a line of SWF: the words, with unknown ones between. */
static void add_job(struct loaded *l, const char *job)
{
	static const int unknown[] = { 0, 0, 0, 0, 2, 0, 1, 0, 6 }; /* Behind each word. */
	size_t len = strlen(l->text);
	for (size_t i = 0; i < SL_LEN(unknown); i++) {
		const int width = (int)strcspn(job, " ");
		len += (size_t)snprintf(l->text + len, sizeof(l->text) - len, "%.*s ", width, job);
		job += width + (job[width] == ' ');
		for (int j = 0; j < unknown[i]; j++)
			len += (size_t)snprintf(l->text + len, sizeof(l->text) - len, "-1 ");
	}
	cr_assert(!*job);
	(void)snprintf(l->text + len, sizeof(l->text) - len, "\n");
}

/* Header lines and other text go in as they are; jobs are closed by NULL. */
static int load(struct loaded *l, const char *header, const char *const *jobs)
{
	(void)snprintf(l->text, sizeof(l->text), "%s", header);
	for (; jobs && *jobs; jobs++)
		add_job(l, *jobs);
	l->options.registry = builtin_registry();
	l->options.trace = memfile(l->path, l->text, strlen(l->text));
	l->options.settings = l->settings.arena ? &l->settings : NULL;
	return scenario_load(&l->scenario, &l->options, &l->err);
}

/* Settings outlive their test: it may end in a refusal. Each test is a process of its own. */
static struct sl_arena *kept[16];
static size_t kept_count;

static void set(struct loaded *l, const char *key_value)
{
	if (!l->settings.arena) {
		cr_assert(kept_count < SL_LEN(kept));
		kept[kept_count++] = l->settings.arena = sl_arena_new();
	}
	cr_assert_eq(settings_add(&l->settings, key_value, &l->err), SL_OK);
}

/* The jobs as "id@submit" in row order, times in seconds. */
static const char *rows(struct loaded *l)
{
	const struct sl_jobs *jobs = &l->scenario.jobs;
	size_t len = 0;
	l->seen[0] = '\0';
	for (uint32_t row = 0; row < jobs->count; row++)
		len += (size_t)snprintf(l->seen + len, sizeof(l->seen) - len, "%s%" PRId64 "@%g",
			row ? " " : "", jobs->id[row], (double)jobs->submit[row] / SL_SECOND);
	return l->seen;
}

/* The anomalies as "count cause first-line dropped|repaired;". */
static const char *anomalies(struct loaded *l)
{
	size_t len = 0;
	l->seen[0] = '\0';
	for (size_t i = 0; i < l->scenario.anomaly_count; i++) {
		const struct anomaly *anomaly = &l->scenario.anomaly[i];
		len += (size_t)snprintf(l->seen + len, sizeof(l->seen) - len,
			"%" PRIu64 " %s %" PRIu64 " %s;", anomaly->count, anomaly->cause, anomaly->line,
			anomaly->dropped ? "dropped" : "repaired");
	}
	return l->seen;
}

#define JOBS(...) \
	(const char *const[]) { __VA_ARGS__, NULL }
#define CPUS "; MaxProcs: 100\n"

/* ---- Rows ---------------------------------------------------------------------- */

/* Size is field 8, or 5 where that is not positive; the limit is field 9, or the run time. */
Test(scenario, columns)
{
	struct loaded l = { 0 };
	cr_assert_eq(
		load(&l, CPUS,
			JOBS("1 0 5 100 4 8 200 1 7", "2 10 -1 100 4 -1 -1 1 -1", "3 20 0 100 4 0 0 1 9")),
		SL_OK, "%s", l.err.text);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_assert_eq(jobs->count, 3);
	static const struct {
		int32_t size, user;
		int64_t limit, wait;
	} want[] = { { 8, 7, 200, 5 }, { 4, -1, 100, -1 }, { 4, 9, 100, 0 } };
	for (uint32_t row = 0; row < 3; row++) {
		cr_expect_eq(jobs->size[row], want[row].size, "size of row %u", row);
		cr_expect_eq(jobs->user[row], want[row].user, "user of row %u", row);
		cr_expect_eq(jobs->limit[row], want[row].limit * SL_SECOND, "limit of row %u", row);
		cr_expect_eq(jobs->wait_recorded[row],
			want[row].wait < 0 ? SL_NONE : want[row].wait * SL_SECOND, "wait of row %u", row);
		cr_expect_eq(jobs->account[row], -1);
		cr_expect_eq(jobs->partition[row], -1);
	}
	cr_expect(!jobs->place, "in order");
	cr_expect_str_eq(l.scenario.input.format, "swf");
	cr_expect_eq(strlen(l.scenario.input.sha256), 64);
	cr_expect_eq(l.scenario.input.bytes, strlen(l.text));
	scenario_release(&l.scenario);
}

/* Waits that are all zero were not recorded (LLNL, NASA). */
Test(scenario, waits_of_zero)
{
	struct loaded l = { 0 };
	cr_assert_eq(load(&l, CPUS, JOBS("1 0 0 100 4 8 200 1 7", "2 0 -1 100 4 8 200 1 7")), SL_OK);
	cr_expect(!l.scenario.jobs.wait_recorded);
	scenario_release(&l.scenario);
}

/* Each cause: the jobs around the anomalous row stay, and it is counted with its line (the header is line 1).
 */
Test(scenario, anomalies)
{
	static const struct {
		const char *what, *jobs[5], *rows, *anomalies;
	} cases[] = {
		{ "clean", { "1 0 -1 10 1 1 10 1 1", "2 5 -1 10 1 1 10 1 1" }, "1@0 2@5", "" },
		{ "run 0", { "1 0 -1 10 1 1 10 1 1", "2 5 -1 0 1 1 10 1 1" }, "1@0",
			"1 run time is not positive 3 dropped;" },
		{ "run unknown", { "1 0 -1 -1 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1" }, "2@5",
			"1 run time is not positive 2 dropped;" },
		{ "size 0", { "1 0 -1 10 0 0 10 1 1", "2 5 -1 1 1 1 10 1 1" }, "2@5",
			"1 size is not positive 2 dropped;" },
		{ "size unknown", { "1 0 -1 10 -1 -1 10 1 1", "2 5 -1 1 1 1 10 1 1" }, "2@5",
			"1 size is not positive 2 dropped;" },
		{ "as large as the machine", { "1 0 -1 10 1 100 10 1 1" }, "1@0", "" },
		{ "larger", { "1 0 -1 10 1 101 10 1 1", "2 5 -1 1 1 1 10 1 1", "3 6 -1 1 1 200 10 1 1" },
			"2@5", "2 larger than the machine 2 dropped;" },
		{ "no submit", { "1 -1 -1 10 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1" }, "2@5",
			"1 submit time is unknown 2 dropped;" },
		{ "no id", { "-1 0 -1 10 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1" }, "2@5",
			"1 job number is unknown 2 dropped;" },
		{ "first cause only", { "1 -1 -1 0 0 0 10 1 1", "2 5 -1 1 1 1 10 1 1", "3 6 -1 0 0 0 1 1 1" },
			"2@5", "1 submit time is unknown 2 dropped;1 run time is not positive 4 dropped;" },
		{ "repeated id",
			{ "1 0 -1 10 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1", "1 6 -1 1 1 1 10 0 1",
				"3 7 -1 1 1 1 1 1 1" },
			"1@0 2@5 3@7", "1 repeated id 4 dropped;" },
		{ "repeated after that",
			{ "5 0 -1 10 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1", "9 6 -1 1 1 1 10 0 1",
				"2 7 -1 1 1 1 1 1 1" },
			"5@0 2@5 9@6", "1 repeated id 5 dropped;" },
		{ "parts of a job",
			{ "1 0 -1 10 1 1 10 1 1", "1 0 -1 4 1 1 10 2 1", "1 5 -1 6 1 1 10 3 1",
				"2 7 -1 1 1 1 1 2 1" },
			"1@0 2@7", "2 partial execution line 3 dropped;" },
		{ "parts of a job that was dropped",
			{ "1 0 -1 10 1 900 10 1 1", "1 0 -1 4 1 1 10 4 1", "2 7 -1 1 1 1 1 1 1" }, "2@7",
			"1 partial execution line 3 dropped;1 larger than the machine 2 dropped;" },
		{ "out of order, ties by place",
			{ "1 9 -1 10 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1", "3 9 -1 1 1 1 1 1 1",
				"4 5 -1 1 1 1 1 1 1" },
			"2@5 4@5 1@9 3@9", "2 out of order 3 repaired;" },
		{ "out of order behind a dropped row", { "1 9 -1 0 1 1 10 1 1", "2 5 -1 1 1 1 10 1 1" },
			"2@5", "1 run time is not positive 2 dropped;1 out of order 3 repaired;" },
		{ "dropped, so not repaired", { "1 9 -1 1 1 1 10 1 1", "2 5 -1 0 1 1.5 10 1 1" }, "1@9",
			"1 run time is not positive 3 dropped;" },
		{ "rounded up", { "1 0 -1 10 1 1.5 10 1 1" }, "1@0",
			"1 fractional count rounded up 2 repaired;" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = { 0 };
		const int status = load(&l, CPUS, cases[i].jobs);
		cr_assert_eq(status, SL_OK, "%s: %s", cases[i].what, l.err.text);
		cr_expect_str_eq(rows(&l), cases[i].rows, "%s: %s", cases[i].what, l.seen);
		cr_expect_str_eq(anomalies(&l), cases[i].anomalies, "%s: %s", cases[i].what, l.seen);
		uint64_t dropped = 0;
		for (size_t j = 0; j < l.scenario.anomaly_count; j++)
			dropped += l.scenario.anomaly[j].dropped ? l.scenario.anomaly[j].count : 0;
		cr_expect_eq(l.scenario.rows, dropped + l.scenario.jobs.count, "%s: rows", cases[i].what);
		scenario_release(&l.scenario);

		/* Under --strict the first of them ends it, with its line. */
		struct loaded strict = { .options.strict = true };
		const int refused = load(&strict, CPUS, cases[i].jobs);
		cr_expect_eq(refused, cases[i].anomalies[0] ? SL_INPUT : SL_OK, "%s: strict", cases[i].what);
		if (refused)
			cr_expect(strstr(strict.err.text, "without --strict"), "%s", strict.err.text);
		else
			scenario_release(&strict.scenario);
	}
}

Test(scenario, strict_names_the_line)
{
	struct loaded l = { .options.strict = true };
	cr_assert_eq(load(&l, CPUS, JOBS("1 0 -1 10 1 1 10 1 1", "2 0 -1 0 1 1 10 1 1")), SL_INPUT);
	cr_expect_str_eq(strchr(l.err.text, ':'),
		":3: run time is not positive: mend the line, or run without --strict", "%s", l.err.text);
}

/* Sorting keeps the file's place of each row, as ranks. */
Test(scenario, place)
{
	struct loaded l = { 0 };
	cr_assert_eq(load(&l, CPUS,
			     JOBS("1 30 9 1 1 1 1 1 1", "2 10 8 2 1 2 2 1 2", "3 15 7 0 1 3 3 1 3",
				     "4 20 6 4 1 4 4 1 4")),
		SL_OK);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_expect_str_eq(rows(&l), "2@10 4@20 1@30");
	static const uint32_t place[] = { 1, 2, 0 };
	for (uint32_t row = 0; row < 3; row++) {
		cr_expect_eq(jobs->place[row], place[row], "row %u", row);
		/* Every column moved alike: each job's numbers are its own. */
		cr_expect_eq(jobs->size[row], jobs->id[row]);
		cr_expect_eq(jobs->user[row], jobs->id[row]);
		cr_expect_eq(jobs->run[row], jobs->id[row] * SL_SECOND);
		cr_expect_eq(jobs->limit[row], jobs->id[row] * SL_SECOND);
		cr_expect_eq(jobs->wait_recorded[row], (10 - jobs->id[row]) * SL_SECOND);
	}
	scenario_release(&l.scenario);
	/* Of the first two by submission, job 2 stood before job 4. */
	struct loaded two = { .options.jobs_max = 2 };
	cr_assert_eq(load(&two, CPUS, JOBS("1 30 9 1 1 1 1 1 1", "4 20 6 4 1 4 4 1 4", "2 10 8 2 1 2 2 1 2")),
		SL_OK);
	cr_expect_str_eq(rows(&two), "2@10 4@20");
	cr_expect_eq(two.scenario.jobs.place[0], 1);
	cr_expect_eq(two.scenario.jobs.place[1], 0);
	scenario_release(&two.scenario);
}

/* ---- The machine ------------------------------------------------------------------- */

Test(scenario, machine)
{
	static const struct {
		const char *header, *set;
		int64_t cpus;
		const char *from;
	} cases[] = {
		{ "; MaxNodes: 10\n; MaxProcs: 20\n", NULL, 20, "MaxProcs of the trace" },
		{ "; MaxNodes: 10\n", NULL, 10, "MaxNodes of the trace" },
		{ "; MaxNodes: 10\n; MaxProcs: -1\n", NULL, 10, "MaxNodes of the trace" },
		{ "; MaxProcs: 93312 (80640+...)\n", NULL, 93312, "MaxProcs of the trace" },
		{ "; MaxProcs: unknown\n", "cluster.cpus=7", 7, "cluster.cpus" },
		{ "; MaxProcs: 20\n", "cluster.cpus=7", 7, "cluster.cpus" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = { 0 };
		if (cases[i].set)
			set(&l, cases[i].set);
		cr_assert_eq(load(&l, cases[i].header, JOBS("1 0 -1 1 1 1 1 1 1")), SL_OK, "%s", l.err.text);
		cr_expect_eq(l.scenario.cpus, cases[i].cpus, "case %zu: %" PRId64, i, l.scenario.cpus);
		cr_expect_str_eq(l.scenario.cpus_from, cases[i].from);
		cr_expect(!cases[i].set || l.settings.item[0].used);
		scenario_release(&l.scenario);
	}
	struct loaded none = { 0 };
	cr_expect_eq(load(&none, "; MaxProcs: 0\n", JOBS("1 0 -1 1 1 1 1 1 1")), SL_INPUT);
	cr_expect(strstr(none.err.text, "--set cluster.cpus=N"), "%s", none.err.text);
	struct loaded look = { .options.any_machine = true };
	cr_expect_eq(load(&look, "", JOBS("1 0 -1 1 1 1 1 1 1")), SL_OK);
	cr_expect_eq(look.scenario.cpus, 0);
	scenario_release(&look.scenario);
	struct loaded file = { .options.cluster = "no-such-file.yaml" };
	cr_expect_eq(load(&file, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_INPUT);
	cr_expect_str_eq(file.err.text, "cannot open 'no-such-file.yaml': No such file or directory");
	struct loaded folder = { .options.cluster = "/proc" };
	cr_expect_eq(load(&folder, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_INPUT);
	cr_expect_str_eq(folder.err.text,
		"/proc: is a folder without a slurm.conf, and without manifests of Kubernetes (*.yaml, *.yml, *.json): give one that has them, or a cluster file");
	struct loaded setting = { 0 };
	set(&setting, "cluster.nodes[n].count=4");
	cr_expect_eq(load(&setting, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_USAGE);
}

/* ---- Settings ------------------------------------------------------------------------ */

/* A limit below the run time is raised to it, or stays. */
Test(scenario, overrun)
{
	static const struct {
		const char *set;
		enum sl_overrun overrun;
		int64_t limit;
	} cases[] = {
		{ "policy.depth=1", SL_OVERRUN_EXTEND, 60 },
		{ "replay.overrun=raise", SL_OVERRUN_RAISE, 100 },
		{ "replay.overrun=extend", SL_OVERRUN_EXTEND, 60 },
		{ "overrun=kill", SL_OVERRUN_KILL, 60 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = { 0 };
		set(&l, cases[i].set);
		cr_assert_eq(load(&l, CPUS, JOBS("1 0 -1 100 1 1 60 1 1")), SL_OK, "%s", l.err.text);
		cr_expect_eq(l.scenario.overrun, cases[i].overrun);
		cr_expect_eq(l.scenario.jobs.limit[0], cases[i].limit * SL_SECOND);
		cr_expect_eq(l.scenario.anomaly_count, 0, "it is not an oddity");
		cr_expect_eq(l.scenario.limits_over, 1);
		cr_expect_eq(l.scenario.limits_none, 0);
		cr_expect_eq(l.settings.item[0].used, i > 0, "%s", cases[i].set);
		scenario_release(&l.scenario);
	}
}

/* Counted among those that are replayed, after all that leaves jobs out. */
Test(scenario, limits)
{
	static const struct {
		const char *set;
		uint32_t over, none;
	} cases[] = {
		{ "overrun=extend", 2, 1 },
		{ "overrun=raise", 2, 1 },
		{ "replay.from=1", 1, 1 },
		{ "replay.drop=job=2", 1, 1 },
		{ "replay.drop=job=3", 2, 0 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = { 0 };
		set(&l, cases[i].set);
		cr_assert_eq(load(&l, CPUS,
				     JOBS("1 0 -1 100 1 1 60 1 1", "2 1 -1 61 1 1 60 1 1",
					     "3 2 -1 10 1 1 -1 1 1", "4 3 -1 60 1 1 60 1 1")),
			SL_OK, "%s", l.err.text);
		cr_expect_eq(l.scenario.limits_over, cases[i].over, "%s: %u", cases[i].set,
			l.scenario.limits_over);
		cr_expect_eq(l.scenario.limits_none, cases[i].none, "%s: %u", cases[i].set,
			l.scenario.limits_none);
		scenario_release(&l.scenario);
	}
}

/* [from, to) by submission, in every way to write a time; the zone is the header's, or --tz. */
Test(scenario, selection)
{
	static const struct {
		const char *from, *to, *tz, *rows;
	} cases[] = {
		{ "100", NULL, NULL, "2@100 3@86400 4@90000" },
		{ NULL, "100", NULL, "1@0" },
		{ "100", "86400", NULL, "2@100" },
		{ "+1d", NULL, NULL, "3@86400 4@90000" },
		{ "0.5", "1-01:00:00", NULL, "2@100 3@86400" },
		{ "25h", NULL, NULL, "4@90000" },
		/* 86400 is 1970-01-02; zero is an hour later there, at +01:00. */
		{ "1970-01-03T01:00", NULL, NULL, "3@86400 4@90000" },
		{ "1970-01-03T01:00:01", NULL, NULL, "4@90000" },
		{ "1970-01-03 00:00", NULL, "0", "3@86400 4@90000" },
		{ "1970-01-03", NULL, "-00:30", "4@90000" },
		{ NULL, "1970-01-03", "+02:00", "1@0 2@100" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = {
			.options.from = cases[i].from, .options.to = cases[i].to, .options.tz = cases[i].tz
		};
		const int status = load(&l, CPUS "; UnixStartTime: 86400\n; TimeZone: 3600\n",
			JOBS("1 0 -1 1 1 1 1 1 1", "2 100 -1 1 1 1 1 1 1", "3 86400 -1 1 1 1 1 1 1",
				"4 90000 -1 1 1 1 1 1 1"));
		cr_assert_eq(status, SL_OK, "case %zu: %s", i, l.err.text);
		cr_expect_str_eq(rows(&l), cases[i].rows, "case %zu: %s", i, l.seen);
		cr_expect_eq(l.scenario.epoch, 86400);
		scenario_release(&l.scenario);
	}
	struct loaded setting = { .options.from = "100" }; /* The option wins over the setting. */
	set(&setting, "replay.from=50000");
	cr_assert_eq(load(&setting, CPUS, JOBS("1 0 -1 1 1 1 1 1 1", "2 100 -1 1 1 1 1 1 1")), SL_OK);
	cr_expect_str_eq(rows(&setting), "2@100");
	scenario_release(&setting.scenario);
}

/* The zone that a header names is kept as it is, if it may be a zone's name, and --tz says otherwise. */
Test(scenario, zone_of_the_header)
{
	static const struct {
		const char *header, *tz, *zone;
	} cases[] = {
		{ "; TimeZoneString: Europe/Stockholm\n", NULL, "Europe/Stockholm" },
		{ "; TimeZoneString: Etc/GMT+3\n", NULL, "Etc/GMT+3" },
		{ "; TimeZoneString: Europe/Stockholm\n", "+01:00", NULL },
		{ "; TimeZoneString: \"><script>\n", NULL, NULL },
		{ "; TimeZone: 3600\n", NULL, NULL },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char header[200];
		struct loaded l = { .options.tz = cases[i].tz };
		(void)snprintf(header, sizeof(header), CPUS "; UnixStartTime: 86400\n%s", cases[i].header);
		cr_assert_eq(load(&l, header, JOBS("1 0 -1 1 1 1 1 1 1")), SL_OK, "%s", l.err.text);
		const char *zone = l.scenario.time_zone;
		cr_expect_str_eq(zone ? zone : "none", cases[i].zone ? cases[i].zone : "none", "case %zu", i);
		scenario_release(&l.scenario);
	}
}

/* Dates of the calendar: leap days, ends of months, what is none. */
Test(scenario, dates)
{
	static const struct {
		const char *date;
		int64_t seconds; /* Since 1970, UTC; -1: it is none. */
	} cases[] = {
		{ "1970-01-02", 86400 },
		{ "2000-02-29T12:00:00", 951825600 },
		{ "2000-03-01", 951868800 },
		{ "2001-12-31T23:59:59", 1009843199 },
		{ "2024-02-29", 1709164800 },
		{ "2100-03-01", 4107542400 },
		{ "2023-02-29", -1 },
		{ "1900-02-29", -1 },
		{ "2023-04-31", -1 },
		{ "2023-13-01", -1 },
		{ "2023-00-01", -1 },
		{ "2023-01-00", -1 },
		{ "2023-01-01T24:00", -1 },
		{ "2023-01-01T10", -1 },
		{ "2023-01-01x10:00", -1 },
		{ "2023-1-1", -1 },
		{ "yesterday", -1 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		/* One job a second before the date, one at it: only the later is left. */
		const int64_t submit = cases[i].seconds < 0 ? 1000 : cases[i].seconds - 1;
		char job[2][80];
		for (int j = 0; j < 2; j++)
			(void)snprintf(job[j], sizeof(job[j]), "%d %" PRId64 " -1 1 1 1 1 1 1", j + 1,
				submit - 1 + j);
		struct loaded l = { .options.from = cases[i].date };
		const int status = load(&l, CPUS "; UnixStartTime: 1\n", JOBS(job[0], job[1]));
		cr_expect_eq(
			status, cases[i].seconds < 0 ? SL_USAGE : SL_OK, "%s: %s", cases[i].date, l.err.text);
		if (status)
			continue;
		cr_expect_eq(l.scenario.jobs.count, 1, "%s", cases[i].date);
		cr_expect_eq(l.scenario.jobs.id[0], 2, "%s", cases[i].date);
		scenario_release(&l.scenario);
	}
}

/* Settings that cannot be are usage errors, and say what could be. */
Test(scenario, settings_refused)
{
	static const char *const cases[][2] = {
		{ "cluster.cpus=0", "1..2147483647" },
		{ "cluster.cpus=many", "1..2147483647" },
		{ "replay.load=0", "0.001..1000" },
		{ "load=fast", "must be a number" },
		{ "replay.overrun=ignore", "raise|extend|kill" },
		{ "replay.from=soon", "is not a time" },
		{ "replay.to=2001-01-01", "UnixStartTime" },
		{ "replay.warmup=-5", "warmup" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l = { 0 };
		set(&l, cases[i][0]);
		cr_expect_eq(load(&l, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_USAGE, "%s", cases[i][0]);
		cr_expect(strstr(l.err.text, cases[i][1]), "%s: %s", cases[i][0], l.err.text);
	}
	struct loaded zone = { .options.tz = "CET" };
	cr_expect_eq(load(&zone, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_USAGE);
	cr_expect(strstr(zone.err.text, "+02:00"), "%s", zone.err.text);
}

/* The load factor divides times since the first submission, rounded half up to the microsecond; it comes
 * after the selection and the first N. */
Test(scenario, load)
{
	struct loaded l = { .options.jobs_max = 3, .options.from = "10" };
	set(&l, "replay.load=3");
	set(&l, "warmup=1h");
	set(&l, "replay.cooldown=2h");
	set(&l, "replay.metrics=field");
	cr_assert_eq(load(&l, CPUS,
			     JOBS("1 0 -1 1 1 1 1 1 1", "2 10 -1 1 1 1 1 1 1", "3 11 -1 1 1 1 1 1 1",
				     "4 12 -1 1 1 1 1 1 1", "5 13 -1 1 1 1 1 1 1")),
		SL_OK, "%s", l.err.text);
	cr_assert_eq(l.scenario.jobs.count, 3);
	cr_expect_eq(l.scenario.jobs.submit[0], 10000000);
	cr_expect_eq(l.scenario.jobs.submit[1], 10333333);
	cr_expect_eq(l.scenario.jobs.submit[2], 10666667);
	cr_expect_eq(l.scenario.warmup, 3600 * SL_SECOND);
	cr_expect_eq(l.scenario.cooldown, 7200 * SL_SECOND);
	cr_expect(l.scenario.field_metrics);
	scenario_release(&l.scenario);
}

/* Files beside the trace: estimates in seconds (others keep the limit), cancellations since submission. */
Test(scenario, side_files)
{
	char estimates[32], cancels[32], line[64];
	static const char text[] = "# job, seconds\n2,50.5\n\n 1 \t20\r\n99,1\n1,30";
	struct loaded l = { 0 };
	(void)snprintf(line, sizeof(line), "replay.estimates=%s", memfile(estimates, text, strlen(text)));
	set(&l, line);
	(void)snprintf(line, sizeof(line), "replay.cancels=%s", memfile(cancels, "3,5\n", 4));
	set(&l, line);
	set(&l, "replay.load=2");
	cr_assert_eq(
		load(&l, CPUS,
			JOBS("3 100 -1 40 1 1 60 1 1", "1 0 -1 100 1 1 120 1 1", "2 40 -1 70 1 1 80 1 1")),
		SL_OK, "%s", l.err.text);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_expect_str_eq(rows(&l), "1@0 2@20 3@50");
	cr_expect_eq(jobs->estimate[0], 30 * SL_SECOND, "the later line holds");
	cr_expect_eq(jobs->estimate[1], 50500000);
	cr_expect_eq(jobs->estimate[2], 60 * SL_SECOND);
	cr_expect_eq(jobs->cancel[0], SL_NONE);
	cr_expect_eq(jobs->cancel[2], 55 * SL_SECOND, "5 s after the submission, wherever the load puts it");
	cr_expect_eq(l.scenario.side_count, 2);
	cr_expect_eq(strlen(l.scenario.side[1].sha256), 64);
	scenario_release(&l.scenario);

	static const char *const wrong[][2] = { { "x,1\n", "'x' is not a job number" },
		{ "1,0\n", "'0' is no estimate" }, { "1\n", "'' is no estimate" },
		{ "1,2s\n", "'2s' is no estimate" } };
	for (size_t i = 0; i < SL_LEN(wrong); i++) {
		struct loaded bad = { 0 };
		(void)snprintf(line, sizeof(line), "estimates=%s",
			memfile(estimates, wrong[i][0], strlen(wrong[i][0])));
		set(&bad, line);
		cr_expect_eq(load(&bad, CPUS, JOBS("1 0 -1 100 1 1 120 1 1")), SL_INPUT);
		cr_expect(strstr(bad.err.text, wrong[i][1]), "%s", bad.err.text);
	}
}

/* ---- Nothing to run ------------------------------------------------------------------- */

Test(scenario, nothing_left)
{
	struct loaded l = { 0 };
	cr_expect_eq(load(&l, CPUS "1 2 3\n",
			     JOBS("1 0 -1 0 1 1 1 1 1", "2 0 -1 1 1 101 1 1 1", "3 0 -1 0 1 1 1 1 1")),
		SL_INPUT);
	cr_expect_str_eq(strchr(l.err.text, ':'),
		": no job is left to run: of 4, 1 fewer than 18 fields (line 2), 2 run time is not positive (line 3), "
		"1 larger than the machine (line 4)",
		"%s", l.err.text);
	struct loaded late = { .options.from = "100" };
	cr_expect_eq(load(&late, CPUS, JOBS("1 0 -1 1 1 1 1 1 1")), SL_INPUT);
	cr_expect(strstr(late.err.text, "1 not within replay.from and replay.to"), "%s", late.err.text);
}

/* Times that no schedule could hold are refused before they overflow one. */
Test(scenario, times_add_up)
{
	struct loaded l = { 0 };
	cr_expect_eq(load(&l, CPUS, JOBS("1 0 -1 4000000000000 1 1 1 1 1", "2 0 -1 4000000000000 1 1 1 1 1")),
		SL_INPUT);
	cr_expect(strstr(l.err.text, "are they in seconds?"), "%s", l.err.text);
	struct loaded slow = { 0 };
	set(&slow, "load=0.001");
	cr_expect_eq(
		load(&slow, CPUS, JOBS("1 0 -1 1 1 1 1 1 1", "2 4000000000000 -1 1 1 1 1 1 1")), SL_USAGE);
	cr_expect(strstr(slow.err.text, "give a larger factor"), "%s", slow.err.text);
}

/* The table of jobs grows: ids that ascend, then one that was there before, far behind. */
Test(scenario, many)
{
	enum { MANY = 5000 };
	struct loaded *l = calloc(1, sizeof(*l));
	char *text = calloc(MANY + 2, 80);
	cr_assert(l && text);
	size_t len = (size_t)snprintf(text, 80, CPUS);
	for (int id = 1; id <= MANY + 1; id++) /* The last has the id of the one in the middle. */
		len += (size_t)snprintf(text + len, 80, "%d %d 0 1 1 -1 -1 1 1 -1 1 1 1 -1 -1 -1 -1 -1\n",
			id > MANY ? MANY / 2 : id, id);
	l->options.registry = builtin_registry();
	l->options.trace = memfile(l->path, text, len);
	cr_assert_eq(scenario_load(&l->scenario, &l->options, &l->err), SL_OK, "%s", l->err.text);
	cr_expect_eq(l->scenario.jobs.count, MANY);
	cr_expect_eq(l->scenario.jobs.id[MANY - 1], MANY);
	cr_expect_str_eq(anomalies(l), "1 repeated id 5002 dropped;");
	scenario_release(&l->scenario);
	free(text);
	free(l);
}
