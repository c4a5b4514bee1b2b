/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_impact.c - whom another configuration affects, and how: waits before and after by user, account,
 * partition and size.
 *
 * Waits are compared over the jobs that ran in both; jobs that no longer run, or no longer complete, are
 * counted beside them. Jobs are matched by their ids (several of one id in their order), whatever rows they
 * are.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/check/check_impact.h"
#include "reports/metrics/metrics.h"

/* ---- What is kept of a run ------------------------------------------------------------------ */

static int by_id(const struct impact_job *x, const struct impact_job *y)
{
	return ids_order(x->name, x->id, y->name, y->id);
}

static int by_id_and_row(const void *a, const void *b)
{
	const struct impact_job *x = a;
	const struct impact_job *y = b;
	const int id = by_id(x, y);
	return id ? id : (x->row > y->row) - (x->row < y->row);
}

static int check_impact_name_of(struct check *check, enum impact_kind kind, int32_t number,
	const char *const *name, uint32_t *of, struct sl_err *err)
{
	char text[24];
	*of = UINT32_MAX;
	if (number < 0)
		return SL_OK;
	*sl_put_i64(text, number) = '\0';
	const char *label = name ? name[number] : text;
	return names_add(&check->group[kind], check->arena, label, strlen(label), of, err);
}

/* Powers of two: "1", "2-3", "4-7". */
static int check_impact_size_of(struct check *check, int32_t size, uint32_t *of, struct sl_err *err)
{
	char text[40];
	const uint32_t from = UINT32_C(1) << (31 - __builtin_clz((uint32_t)size | 1));
	const int len = from == 1 ? snprintf(text, sizeof(text), "1")
				  : snprintf(text, sizeof(text), "%u-%u", from, 2 * from - 1);
	return names_add(&check->group[IMPACT_SIZE], check->arena, text, (size_t)len, of, err);
}

static int job_take(struct check *check, const struct sl_result *result, uint32_t row, struct impact_job *job,
	struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	const char *name = jobs->id_name ? jobs->id_name[row] : NULL;
	*job = (struct impact_job){ .name = name ? sl_strdup(check->arena, name, strlen(name)) : NULL,
		.id = name ? 0 : jobs->id[row],
		.row = row,
		.size = jobs->size[row],
		.submit = jobs->submit[row],
		.limit = jobs->limit[row],
		.end = result->end[row],
		.cpus = metrics_cpus(result, row),
		.ran = metrics_started(result, row),
		.completed = result->state[row] == SL_COMPLETED };
	if (job->ran) {
		job->wait = job->wait_total = metrics_wait(result, row);
		job->held = metrics_held(result, row);
	}
	if (job->ran && result->attempt_count)
		job->wait_total = sl_wait_total_of(result, row);
	if (name && !job->name)
		return sl_fail_memory(err);
	int status = check_impact_name_of(
		check, IMPACT_USER, jobs->user[row], jobs->user_name, &job->of[IMPACT_USER], err);
	if (!status)
		status = check_impact_name_of(check, IMPACT_ACCOUNT, jobs->account[row], jobs->account_name,
			&job->of[IMPACT_ACCOUNT], err);
	if (!status)
		status = check_impact_name_of(check, IMPACT_PARTITION, jobs->partition[row],
			jobs->partition_name, &job->of[IMPACT_PARTITION], err);
	return status ? status : check_impact_size_of(check, jobs->size[row], &job->of[IMPACT_SIZE], err);
}

int check_jobs_take(
	struct check *check, const struct sl_result *result, struct check_jobs **to, struct sl_err *err)
{
	const uint32_t count = result->jobs->count;
	struct check_jobs *jobs = *to = sl_alloc(check->arena, 1, sizeof(*jobs));
	struct impact_job *job = sl_alloc(check->arena, (size_t)count + 1, sizeof(*job));
	int status = jobs && job ? SL_OK : sl_fail_memory(err);
	for (uint32_t row = 0; row < count && !status; row++)
		status = job_take(check, result, row, &job[row], err);
	if (status)
		return status;
	for (uint32_t row = metrics_first(result); row < count; row++)
		job[row].counts = true;
	if (count)
		qsort(job, count, sizeof(*job), by_id_and_row);
	*jobs = (struct check_jobs){ job, count, result->cluster ? result->cluster->cpu_parts : 0 };
	return SL_OK;
}

bool check_jobs_alike(const struct check_jobs *a, const struct check_jobs *b)
{
	bool alike = a && b && a->count == b->count;
	for (uint32_t i = 0; alike && i < a->count; i++)
		alike = by_id(&a->job[i], &b->job[i]) == 0 && a->job[i].row == b->job[i].row;
	return alike;
}

/* ---- Two runs -------------------------------------------------------------------------------------- */

/* Either is NULL where the job is not there. */
static void row_add(struct impact_row *row, const struct impact_job *was, const struct impact_job *is)
{
	const bool ran = was && was->ran;
	const bool runs = is && is->ran;
	row->ran += ran;
	row->gone += ran && !runs;
	row->more += !ran && runs;
	row->cut += ran && runs && was->completed && !is->completed;
	row->whole += ran && runs && !was->completed && is->completed;
	if (!ran || !runs)
		return;
	row->both++;
	row->earlier += is->wait < was->wait;
	row->later += is->wait > was->wait;
	row->was += was->wait;
	row->is += is->wait;
}

static void impact_add(struct check_impact *impact, const struct impact_job *was, const struct impact_job *is)
{
	/* What a job is, is known where it ran: one that is refused was not examined. */
	const struct impact_job *of = was && (was->ran || !is) ? was : is;
	row_add(&impact->all, was, is);
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
		if (of->of[kind] != UINT32_MAX)
			row_add(&impact->row[kind][of->of[kind]], was, is);
}

bool impact_next(struct impact_walk *walk, const struct impact_job **was, const struct impact_job **is)
{
	const bool some = walk->was_at < walk->was->count;
	const bool others = walk->is_at < walk->is->count;
	if (!some && !others)
		return false;
	const int order = !some     ? 1
			  : !others ? -1
				    : by_id(&walk->was->job[walk->was_at], &walk->is->job[walk->is_at]);
	*was = order <= 0 ? &walk->was->job[walk->was_at++] : NULL;
	*is = order >= 0 ? &walk->is->job[walk->is_at++] : NULL;
	return true;
}

static void impact_runs(struct check_impact *impact, const struct check_jobs *a, const struct check_jobs *b)
{
	struct impact_walk walk = { .was = a, .is = b };
	const struct impact_job *was;
	const struct impact_job *is;
	while (impact_next(&walk, &was, &is))
		impact_add(impact, was, is);
}

bool impact_others(const struct impact_row *row) { return row->gone || row->more || row->cut || row->whole; }

bool impact_moves(const struct impact_row *row) { return row->earlier || row->later || impact_others(row); }

/* Who loses jobs, or has new ones, then who waits most longer or shorter, then by name; sizes ascend. */
static int by_weight(const void *a, const void *b)
{
	const struct impact_row *x = a;
	const struct impact_row *y = b;
	const uint64_t lost[] = { (uint64_t)x->gone + x->more + x->cut,
		(uint64_t)y->gone + y->more + y->cut };
	const sl_time moved[] = { llabs(x->is - x->was), llabs(y->is - y->was) };
	if (lost[0] != lost[1])
		return lost[0] > lost[1] ? -1 : 1;
	if (moved[0] != moved[1])
		return moved[0] > moved[1] ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_size(const void *a, const void *b)
{
	const struct impact_row *x = a;
	const struct impact_row *y = b;
	const size_t len[] = { strcspn(x->name, "-"), strcspn(y->name, "-") };
	if (len[0] != len[1])
		return len[0] < len[1] ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int impact_new(struct check *check, struct check_impact *impact, struct sl_err *err)
{
	impact->all.name = "all";
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++) {
		const struct names *names = &check->group[kind];
		impact->count[kind] = names->count;
		impact->row[kind] =
			sl_alloc(check->arena, (size_t)names->count + 1, sizeof(struct impact_row));
		if (!impact->row[kind])
			return sl_fail_memory(err);
		for (uint32_t i = 0; i < names->count; i++)
			impact->row[kind][i].name = names->text[i];
	}
	return SL_OK;
}

/* Names of other cases are left out. */
static void impact_finish(struct check_impact *impact)
{
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++) {
		struct impact_row *row = impact->row[kind];
		size_t kept = 0;
		for (size_t i = 0; i < impact->count[kind]; i++)
			if (row[i].ran || row[i].more)
				row[kept++] = row[i];
		impact->count[kind] = kept;
		qsort(row, kept, sizeof(*row), kind == IMPACT_SIZE ? by_size : by_weight);
	}
}

int check_impact_find(struct check *check, struct sl_err *err)
{
	int status = SL_OK;
	check->impact = sl_alloc(check->arena, check->baseline.count, sizeof(*check->impact));
	if (!check->impact)
		return sl_fail_memory(err);
	for (size_t i = 0; i < check->baseline.count && !status; i++) {
		const struct check_case *is = &check->item[i];
		struct check_impact *impact = &check->impact[i];
		if (!is->done || is->changed || check->base[i].away)
			continue;
		status = impact_new(check, impact, err);
		impact->of = is->of;
		impact->same = true;
		for (size_t run = 0; run < is->runs && !status; run++) {
			const struct check_found *was = &check->base[i].found[run];
			impact_runs(impact, was->jobs, is->found[run].jobs);
			impact->same =
				impact->same && strcmp(was->cluster_read, is->found[run].cluster_read) == 0;
		}
		if (!status)
			impact_finish(impact);
		if (!status && impact_others(&impact->all))
			status = check_both_restate(check, i, err);
	}
	return status;
}

/* ---- In words ------------------------------------------------------------------------------------------ */

const char *impact_kind_name(size_t kind)
{
	static const char *const name[] = { "user", "account", "partition", "size" };
	return name[kind];
}

static sl_time mean(sl_time sum, uint32_t count)
{
	return count ? (sum + (sl_time)count / 2) / (sl_time)count : 0;
}

void impact_cells(char cell[IMPACT_CELLS][40], const struct impact_row *row)
{
	const sl_time was = mean(row->was, row->both);
	const sl_time is = mean(row->is, row->both);
	const uint32_t count[] = { row->earlier, row->later, row->gone, row->more, row->cut };
	char number[48];
	(void)snprintf(cell[0], 40, "%s", screen_number(number, (int64_t)row->ran * 1000000, 0));
	(void)snprintf(cell[1], 40, "-");
	(void)snprintf(cell[2], 40, "-");
	(void)snprintf(cell[3], 40, "%s", row->both ? "=" : "-");
	if (row->both) {
		(void)screen_duration(cell[1], was);
		(void)screen_duration(cell[2], is);
	}
	if (row->both && llabs(is - was) >= SL_SECOND / 2) {
		cell[3][0] = is < was ? '-' : '+';
		(void)screen_duration(cell[3] + 1, is < was ? was - is : is - was);
	}
	for (size_t i = 0; i < SL_LEN(count); i++)
		(void)snprintf(cell[4 + i], 40, "%s", screen_number(number, (int64_t)count[i] * 1000000, 0));
}

const char *const impact_heading[IMPACT_CELLS] = { "jobs", "wait before", "wait after", "change", "earlier",
	"later", "no longer run", "newly run", "cut" };
