/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_write.c - any trace as sacct -P: the columns of Open XDMoD's shredder, in its order, and before the
 * name, which stays last, what a job asked as a line of sbatch.
 *
 * What is written is read as the same jobs. The line says all that was asked: the one that was recorded, if
 * that is so of it, or else one made of options.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/options_parts.h"
#include "traces/slurm/sacct.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

static const struct sl_row_attributes nothing;
static const struct sl_job_attributes nothing_more = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };

/* Line ends would end the row. */
static void sacct_write_put_text(struct sl_out *out, const char *text)
{
	while (text && *text) {
		char displayed[SL_INERT_SIZE];
		const bool ends = *text == '\n' || *text == '\r';
		const bool tab = *text == '\t';
		(void)sl_inert(&text, displayed);
		sl_out_text(out, ends ? " " : tab ? "\t" : displayed);
	}
}

/* A name with a separator in it cannot be told from two. */
static void sacct_write_put_name(struct sl_out *out, const char *name, int64_t number)
{
	for (const char *p = name; p && *p;) {
		char displayed[SL_INERT_SIZE];
		const bool parts = *p == '|' || *p == '\n' || *p == '\r';
		(void)sl_inert(&p, displayed);
		sl_out_text(out, parts ? "_" : displayed);
	}
	if (!name && number != SL_NONE && number >= 0)
		sl_out_printf(out, "%" PRId64, number);
}

static void sacct_write_put_number(struct sl_out *out, int64_t number)
{
	if (number != SL_NONE && number >= 0)
		sl_out_printf(out, "%" PRId64, number);
}

static void put_fraction(struct sl_out *out, int64_t micro)
{
	if (micro)
		sl_out_printf(out, ".%06" PRId64, micro);
}

/* A date by the trace's own clock; a count of days, without a calendar of the system. */
static void put_date(struct sl_out *out, sl_time at, const char *none)
{
	if (at == SL_NONE || at < 0 || at / SL_SECOND > INT64_C(250000000000)) {
		sl_out_text(out, none);
		return;
	}
	const int64_t seconds = at / SL_SECOND;
	const int64_t z = seconds / 86400 + 719468; /* Days from 0000-03-01 on. */
	const int64_t era = z / 146097;
	const int64_t day_of_era = z - era * 146097;
	const int64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	const int64_t month_from_march = (5 * day_of_year + 2) / 153;
	const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
	const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
	sl_out_printf(out, "%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64 ":%02" PRId64,
		year_of_era + era * 400 + (month <= 2), month, day, seconds / 3600 % 24, seconds / 60 % 60,
		seconds % 60);
	put_fraction(out, at % SL_SECOND);
}

static void put_duration(struct sl_out *out, sl_time time)
{
	const int64_t seconds = time / SL_SECOND;
	if (seconds >= 86400)
		sl_out_printf(out, "%" PRId64 "-", seconds / 86400);
	sl_out_printf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600 % 24, seconds / 60 % 60,
		seconds % 60);
	put_fraction(out, time % SL_SECOND);
}

/* ---- What is requested -------------------------------------------------------------------------------- */

static const void *member(const struct sl_job_desc *desc, const struct slurm_option *option)
{
	return (const char *)desc + option->at;
}

/* The next option that is about a member of its own, with a number, a text or a flag; of several names the
 * first. *i: the next one to look at. NULL: there are no more. */
static const struct slurm_option *next_member(size_t *i)
{
	const struct slurm_option *option;
	while ((option = slurm_option_at((*i)++))) {
		/* The table is of several arrays: the one before is asked for, as this one is. */
		const struct slurm_option *before = *i > 1 ? slurm_option_at(*i - 2) : NULL;
		const bool second_name = before && before->what == option->what && before->at == option->at;
		if (!second_name && (option->what == OPTION_COUNT || option->what == OPTION_MEMORY ||
					    option->what == OPTION_TEXT || option->what == OPTION_FLAG))
			return option;
	}
	return NULL;
}

/* In quotes where a shell would part it or take a sign for its own. */
static void put_quoted(struct sl_out *out, const char *text)
{
	const bool plain = !strpbrk(text, " \t\r\n\\'\"");
	const char *quote = plain ? "" : strchr(text, '\'') ? "\"" : "'";
	sl_out_text(out, quote);
	sacct_write_put_text(out, text);
	sl_out_text(out, quote);
}

static void put_option(struct sl_out *out, const char *option, const char *value)
{
	if (!value)
		return;
	sl_out_printf(out, " --%s=", option);
	put_quoted(out, value);
}

static void sacct_write_put_nodes(struct sl_out *out, const struct sl_job_desc *desc)
{
	if (desc->node_sizes)
		put_option(out, "nodes", desc->node_sizes);
	if (desc->node_sizes || (desc->nodes_min == SL_NONE && desc->nodes_max == SL_NONE))
		return;
	sl_out_printf(out, " --nodes=%" PRId64, desc->nodes_min == SL_NONE ? 1 : desc->nodes_min);
	if (desc->nodes_max == SL_NONE)
		sl_out_text(out, "-");
	else if (desc->nodes_max != desc->nodes_min)
		sl_out_printf(out, "-%" PRId64, desc->nodes_max);
}

/* --tres-per-task=gres/mps:50,gres/shard:1 of "mps:50,shard:1". */
static void put_gres_per_task(struct sl_out *out, const char *gres)
{
	for (const char *at = gres; at && *at;) {
		const size_t len = strcspn(at, ",");
		sl_out_printf(out, "%sgres/%.*s", at == gres ? " --tres-per-task=" : ",", (int)len, at);
		at += len + (at[len] == ',');
	}
}

static void put_desc(struct sl_out *out, const struct sl_job_desc *desc)
{
	static const char *const exclusive[] = { "", " --exclusive", " --exclusive=user", " --exclusive=mcs",
		" --exclusive=topo" };
	sacct_write_put_nodes(out, desc);
	const struct slurm_option *option;
	for (size_t i = 0; (option = next_member(&i));) {
		const void *value = member(desc, option);
		if (option->what == OPTION_TEXT)
			put_option(out, option->name, *(const char *const *)value);
		else if (option->what == OPTION_FLAG && *(const bool *)value)
			sl_out_printf(out, " --%s", option->name);
		else if (option->what != OPTION_FLAG && *(const int64_t *)value != SL_NONE)
			sl_out_printf(out, " --%s=%" PRId64 "%s", option->name, *(const int64_t *)value,
				option->what == OPTION_MEMORY ? "M" : "");
	}
	put_gres_per_task(out, desc->gres_per_task);
	sl_out_text(out, desc->no_multithread ? " --hint=nomultithread" : "");
	sl_out_text(out, exclusive[desc->exclusive]);
	if (desc->switches == SL_NONE)
		return;
	sl_out_printf(out, " --switches=%" PRId64, desc->switches);
	if (desc->switches_wait == SL_NONE)
		return;
	sl_out_text(out, desc->switches_wait == SL_NEVER ? "@UNLIMITED" : "@");
	if (desc->switches_wait != SL_NEVER)
		put_duration(out, desc->switches_wait);
}

static void put_time_option(struct sl_out *out, const char *option, sl_time at)
{
	if (at == SL_NONE)
		return;
	sl_out_printf(out, " --%s=", option);
	put_date(out, at, "now");
}

static void put_more(struct sl_out *out, const struct sl_job_attributes *more)
{
	put_option(out, "dependency", more->dependency);
	put_time_option(out, "begin", more->begin);
	put_time_option(out, "deadline", more->deadline);
	if (more->time_min != SL_NONE && more->time_min != SL_NEVER) {
		sl_out_text(out, " --time-min=");
		put_duration(out, more->time_min);
	}
	if (more->nice != SL_NONE)
		sl_out_printf(out, " --nice=%" PRId64, more->nice);
	if (more->array_limit != SL_NONE && more->array_task != SL_NONE)
		sl_out_printf(out, " --array=%" PRId64 "%%%" PRId64, more->array_task, more->array_limit);
	if (more->requeue >= 0)
		sl_out_text(out, more->requeue > 1 ? " --requeue=expedite"
				 : more->requeue   ? " --requeue"
						   : " --no-requeue");
	if (more->kill_invalid_dep >= 0)
		sl_out_printf(out, " --kill-on-invalid-dep=%s", more->kill_invalid_dep ? "yes" : "no");
	if (more->held)
		sl_out_text(out, " --hold");
}

/* In wholes, up. */
static int64_t wholes(int64_t amount, uint32_t parts)
{
	return amount <= 0 ? amount : (amount - 1) / sl_parts(parts) + 1;
}

/* What a group of another format requests, in Slurm's words, which know whole cpus and GPUs, of one type or
 * any: of several types any will do. */
static struct sl_job_desc desc_of(const struct sl_row_group *group, char gpus[64])
{
	const bool one_gpu = group->mig || group->gpu_mem > 0;
	const int64_t cpus = wholes(group->cpus, group->parts);
	const int64_t count = one_gpu ? 1 : wholes(group->gpus, group->parts);
	const char *type = group->gpu_type && !strchr(group->gpu_type, '|') ? group->gpu_type : NULL;
	struct sl_job_desc desc;
	sl_job_desc_clear(&desc);
	desc.tasks = group->tasks;
	desc.cpus_per_task = cpus;
	desc.tasks_per_node = group->tasks_per_node;
	desc.nodes_min = group->nodes_min;
	desc.nodes_max = group->nodes_max;
	desc.exclusive = group->exclusive ? SL_EXCLUSIVE_NODE : SL_EXCLUSIVE_NO;
	if (group->mem > 0)
		desc.mem_per_cpu = cpus > 0 ? (group->mem - 1) / cpus + 1 : group->mem;
	if (count > 0) {
		(void)snprintf(gpus, 64, "%.30s%s%" PRId64, type ? type : "", type ? ":" : "", count);
		desc.gpus_per_task = gpus;
	}
	return desc;
}

/* Of a further component; what is the job's has a column. */
static void put_own(struct sl_out *out, const struct sl_job_desc *desc)
{
	put_option(out, "account", desc->account);
	put_option(out, "qos", desc->qos);
	if (desc->time_min != SL_NONE && desc->time_min != SL_NEVER) {
		sl_out_text(out, " --time-min=");
		put_duration(out, desc->time_min);
	}
}

static void put_asks(struct sl_out *out, const struct sl_row_attributes *more)
{
	for (size_t i = 0; i < more->desc_count; i++) {
		sl_out_text(out, i ? " :" : "");
		put_desc(out, &more->desc[i]);
		if (!i && more->job)
			put_more(out, more->job);
		if (i)
			put_own(out, &more->desc[i]);
	}
	for (size_t i = 0; i < more->group_count && !more->desc_count; i++) {
		char gpus[64];
		const struct sl_job_desc desc = desc_of(&more->group[i], gpus);
		sl_out_text(out, i ? " :" : "");
		put_desc(out, &desc);
	}
}

/* ---- A row ------------------------------------------------------------------------------------------ */

/* One of a job's rows: of several components there are as many. */
struct line {
	const struct sl_row *row;
	const struct sl_row_attributes *more;
	const struct sl_job_attributes *job;
	size_t component, components;
	sl_time start, end, begin; /* SL_NONE: none. */
	int64_t cpus, nodes;
};

#define PUT(name) static void name(struct sl_out *out, const struct line *line)

PUT(put_id)
{
	const int64_t id = line->row->col[SL_COL_ID];
	const struct sl_job_attributes *job = line->job;
	if (line->components > 1)
		sl_out_printf(out, "%" PRId64 "+%zu", id, line->component);
	else if (line->more->id)
		sacct_write_put_name(out, line->more->id, SL_NONE);
	else if (job->array != SL_NONE && job->array_task != SL_NONE)
		sl_out_printf(out, "%" PRId64 "_%" PRId64, job->array, job->array_task);
	else
		sl_out_printf(out, "%" PRId64, id);
}

PUT(put_raw)
{
	if (line->components == 1 && line->more->id)
		sacct_write_put_name(out, line->more->id, SL_NONE);
	else
		sl_out_printf(out, "%" PRId64, line->row->col[SL_COL_ID] + (int64_t)line->component);
}

static const char *sacct_write_state_of(const struct line *line)
{
	const int64_t status = line->row->col[SL_COL_STATUS];
	if (line->job->state_recorded != SL_PENDING)
		return sl_state_name(line->job->state_recorded);
	if (status == 5 || (line->more->cancel && line->more->cancel != SL_NONE))
		return sl_state_name(SL_CANCELLED);
	if (line->start == SL_NONE && line->row->col[SL_COL_RUN] == SL_NONE)
		return sl_state_name(SL_PENDING);
	return sl_state_name(status == 0 ? SL_FAILED : SL_COMPLETED);
}

PUT(sacct_write_put_cluster)
{
	(void)line;
	sl_out_text(out, "schedlab");
}

PUT(put_partition)
{
	const char *own = line->component ? line->more->desc[line->component].partition : NULL;
	if (own) /* The first of several. */
		sl_out_printf(out, "%.*s", (int)strcspn(own, ",|\n\r"), own);
	else
		sacct_write_put_name(out, line->more->partition, line->row->col[SL_COL_PARTITION]);
}

/* Of a further component. */
static const struct sl_job_desc *own_desc(const struct line *line)
{
	return line->component ? &line->more->desc[line->component] : NULL;
}

PUT(put_qos)
{
	const struct sl_job_desc *own = own_desc(line);
	sacct_write_put_name(out, own && own->qos ? own->qos : line->job->qos, SL_NONE);
}

PUT(put_account)
{
	const struct sl_job_desc *own = own_desc(line);
	sacct_write_put_name(
		out, own && own->account ? own->account : line->more->account, line->row->col[SL_COL_GROUP]);
}
PUT(put_user) { sacct_write_put_name(out, line->more->user, line->row->col[SL_COL_USER]); }
PUT(put_uid) { sacct_write_put_number(out, line->more->user ? SL_NONE : line->row->col[SL_COL_USER]); }
PUT(put_submit) { put_date(out, line->row->col[SL_COL_SUBMIT], "Unknown"); }
PUT(put_eligible) { put_date(out, line->begin, "Unknown"); }
PUT(put_start) { put_date(out, line->start, "Unknown"); }
PUT(sacct_write_put_end) { put_date(out, line->end, "Unknown"); }
PUT(put_exit_code)
{
	sacct_write_put_name(out, line->job->exit_code ? line->job->exit_code : "0:0", SL_NONE);
}
PUT(sacct_write_put_state) { sl_out_text(out, sacct_write_state_of(line)); }

PUT(put_elapsed)
{
	const sl_time run = line->row->col[SL_COL_RUN];
	put_duration(out, run > 0 ? run : 0);
}

static bool begins(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

/* Numbers behind the names in "gpu:a100:2,mps:4" (gres), or "a100:2" and "2"; one where there is none. */
static int64_t gpus_in(const char *text, bool gres)
{
	int64_t total = 0;
	for (const char *p = text; p && *p;) {
		size_t len = strcspn(p, ",");
		const char *next = p + len + (p[len] == ',');
		const char *paren = memchr(p, '(', len);
		const char *end = paren ? paren : p + len;
		const char *from = gres && (begins(p, "gres:") || begins(p, "gres/")) ? p + 5 : p;
		const char *number = end;
		int64_t count;
		while (number > from && number[-1] != ':' && number[-1] != '=')
			number--;
		if (!gres || (begins(from, "gpu") && (from + 3 == end || from[3] == ':' || from[3] == '='))) {
			if (!sl_get_i64(number, (size_t)(end - number), &count))
				count = 1;
			total += count > 0 && count < INT32_MAX ? count : 0;
		}
		p = next;
	}
	return total;
}

static int64_t sacct_write_product(int64_t a, int64_t b)
{
	int64_t all;
	return __builtin_mul_overflow(a, b, &all) ? 0 : all;
}

/* Of the component; 0: none, or nobody can say. */
static int64_t sacct_write_gpus_of(const struct line *line)
{
	if (!line->more->desc_count)
		return 0;
	const struct sl_job_desc *desc = &line->more->desc[line->component];
	const int64_t of_node = gpus_in(desc->gres, true) + gpus_in(desc->gpus_per_node, false);
	if (of_node)
		return sacct_write_product(of_node, line->nodes);
	if (desc->gpus_per_task)
		return sacct_write_product(
			gpus_in(desc->gpus_per_task, false), desc->tasks > 0 ? desc->tasks : line->nodes);
	return gpus_in(desc->gpus, false);
}

static void put_tres(struct sl_out *out, const struct line *line, int64_t cpus)
{
	const int64_t gpus = sacct_write_gpus_of(line);
	sl_out_printf(out, "cpu=%" PRId64, cpus);
	if (gpus > 0)
		sl_out_printf(out, ",gres/gpu=%" PRId64, gpus);
	sl_out_printf(out, ",node=%" PRId64, line->nodes);
}

static int64_t cpus_got(const struct line *line)
{
	return line->components > 1 ? line->cpus : line->row->col[SL_COL_CPUS];
}

PUT(put_node_count) { sacct_write_put_number(out, line->nodes); }
PUT(put_req_cpus) { sacct_write_put_number(out, line->cpus); }
PUT(put_cpus) { sacct_write_put_number(out, cpus_got(line) != SL_NONE ? cpus_got(line) : line->cpus); }

PUT(put_req_mem)
{
	const struct sl_job_desc *desc = line->more->desc_count ? &line->more->desc[line->component] : NULL;
	const bool each = desc && desc->mem_per_cpu != SL_NONE;
	const int64_t mem = each ? desc->mem_per_cpu : desc ? desc->mem_per_node : SL_NONE;
	if (mem != SL_NONE)
		sl_out_printf(out, "%" PRId64 "M%s", mem, each ? "c" : "n");
}

PUT(put_req_tres)
{
	if (line->cpus != SL_NONE)
		put_tres(out, line, line->cpus);
}

PUT(put_alloc_tres)
{
	if (line->start != SL_NONE && cpus_got(line) != SL_NONE)
		put_tres(out, line, cpus_got(line));
}

PUT(put_limit)
{
	const struct sl_job_desc *own = own_desc(line);
	const sl_time limit = own && own->limit != SL_NONE ? own->limit : line->row->col[SL_COL_LIMIT];
	if (limit == SL_NONE || limit < 0 || limit == SL_NEVER)
		sl_out_text(out, "UNLIMITED");
	else
		put_duration(out, limit);
}

/* Of further components only that they had some is known. */
PUT(put_node_list)
{
	const char *nodes = line->component ? NULL : line->job->nodes_recorded;
	sacct_write_put_name(out, nodes ? nodes : "None assigned", SL_NONE);
}

static bool equal_desc(const struct sl_job_desc *a, const struct sl_job_desc *b)
{
	bool same = a->nodes_min == b->nodes_min && a->nodes_max == b->nodes_max &&
		    a->exclusive == b->exclusive && a->switches == b->switches &&
		    a->switches_wait == b->switches_wait && a->no_multithread == b->no_multithread;
	const struct slurm_option *option;
	for (size_t i = 0; same && (option = next_member(&i));) {
		const void *x = member(a, option);
		const void *y = member(b, option);
		const char *in_a = option->what == OPTION_TEXT ? *(const char *const *)x : NULL;
		const char *in_b = option->what == OPTION_TEXT ? *(const char *const *)y : NULL;
		same = option->what == OPTION_TEXT ? in_a == in_b || (in_a && in_b && strcmp(in_a, in_b) == 0)
		       : option->what == OPTION_FLAG ? *(const bool *)x == *(const bool *)y
						     : *(const int64_t *)x == *(const int64_t *)y;
	}
	return same;
}

/* The recorded line, if it alone says all that was requested. */
static bool line_is_whole(const struct line *line)
{
	const char *text = line->job->submit_line;
	struct sl_err ignored = { 0 };
	struct slurm_said said;
	if (!text || strpbrk(text, "|\r\n"))
		return false;
	const size_t len = strlen(text);
	char *space = malloc(slurm_options_size(len));
	struct sl_job_desc *desc = malloc(SLURM_COMPONENTS_MAX * sizeof(*desc));
	const struct slurm_line options = { text, len, line->row->col[SL_COL_SUBMIT], space };
	bool whole = space && desc && !slurm_options(&options, desc, &said, &ignored) && !said.hidden &&
		     !said.unread && said.desc_count == line->more->desc_count;
	for (size_t i = 0; whole && i < said.desc_count; i++)
		whole = equal_desc(&desc[i], &line->more->desc[i]);
	free(space);
	free(desc);
	return whole;
}

PUT(put_submit_line)
{
	if (line->more->desc_count && line_is_whole(line)) {
		sacct_write_put_text(out, line->job->submit_line);
	} else if (line->more->desc_count || line->more->group_count) {
		sl_out_text(out, "sbatch");
		put_asks(out, line->more);
		sl_out_text(out, " --wrap=:"); /* No script that could request more. */
	}
}

PUT(put_suspended)
{
	(void)line;
	sl_out_text(out, "00:00:00");
}

PUT(put_job_name) { sacct_write_put_text(out, line->job->name); }

/* Names as in sacct_columns.c; without a function: nothing is known of it. */
static const struct {
	const char *name;
	void (*put)(struct sl_out *out, const struct line *line);
} columns[] = {
	{ "JobID", put_id },
	{ "JobIDRaw", put_raw },
	{ "Cluster", sacct_write_put_cluster },
	{ "Partition", put_partition },
	{ "QOS", put_qos },
	{ "Account", put_account },
	{ "Group", NULL },
	{ "GID", NULL },
	{ "User", put_user },
	{ "UID", put_uid },
	{ "Submit", put_submit },
	{ "Eligible", put_eligible },
	{ "Start", put_start },
	{ "End", sacct_write_put_end },
	{ "Elapsed", put_elapsed },
	{ "ExitCode", put_exit_code },
	{ "State", sacct_write_put_state },
	{ "NNodes", put_node_count },
	{ "NCPUS", put_cpus },
	{ "ReqCPUS", put_req_cpus },
	{ "ReqMem", put_req_mem },
	{ "ReqTRES", put_req_tres },
	{ "AllocTRES", put_alloc_tres },
	{ "Timelimit", put_limit },
	{ "NodeList", put_node_list },
	{ "SubmitLine", put_submit_line },
	{ "Suspended", put_suspended }, /* Between two texts with separators, what cannot be part of them. */
	{ "JobName", put_job_name },
};

/* line NULL: their names. */
static void sacct_write_put_line(struct sl_out *out, const struct line *line)
{
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		sl_out_text(out, i ? "|" : "");
		if (!line)
			sl_out_text(out, columns[i].name);
		else if (columns[i].put)
			columns[i].put(out, line);
	}
	sl_out_text(out, "\n");
}

static int sacct_write_begin(
	struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err)
{
	(void)header; /* sacct has no place for them. */
	(void)count;
	(void)err;
	sacct_write_put_line(out, NULL);
	return SL_OK;
}

static int64_t sacct_write_known(int64_t a, int64_t b) { return a != SL_NONE && a > 0 ? a : b; }

/* Its own cpus, and of the first what the others leave. */
static int64_t sacct_write_cpus_of(const struct line *line)
{
	const int64_t total = sacct_write_known(line->row->col[SL_COL_REQ_CPUS], line->row->col[SL_COL_CPUS]);
	int64_t rest = total;
	if (line->components == 1)
		return total;
	for (size_t i = 1; i < line->components; i++) {
		const struct sl_job_desc *desc = &line->more->desc[i];
		int64_t cpus;
		if (__builtin_mul_overflow(sacct_write_known(desc->tasks, 1),
			    sacct_write_known(desc->cpus_per_task, 1), &cpus))
			cpus = 1;
		if (i == line->component)
			return cpus;
		rest -= cpus < rest ? cpus : 0;
	}
	return rest;
}

static int job(struct sl_out *out, const struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more ? row->more : &nothing;
	const struct sl_job_attributes *said = more->job ? more->job : &nothing_more;
	const sl_time submit = row->col[SL_COL_SUBMIT];
	const sl_time run = row->col[SL_COL_RUN];
	struct line line = { row, more, said, 0, more->desc_count > 1 ? more->desc_count : 1,
		said->start_recorded, said->end_recorded, said->begin, 0, 1 };
	(void)err;
	if (line.start == SL_NONE && row->col[SL_COL_WAIT] >= 0 && run > 0 && submit != SL_NONE &&
		__builtin_add_overflow(submit, row->col[SL_COL_WAIT], &line.start))
		line.start = SL_NONE;
	if (line.end == SL_NONE && line.start != SL_NONE && run != SL_NONE &&
		said->state_recorded != SL_RUNNING && __builtin_add_overflow(line.start, run, &line.end))
		line.end = SL_NONE;
	if (line.begin == SL_NONE)
		line.begin = submit;
	if (more->cancel && more->cancel != SL_NONE)
		line.end = more->cancel;
	for (; line.component < line.components; line.component++) {
		line.cpus = sacct_write_cpus_of(&line);
		if (more->desc_count)
			line.nodes = sacct_write_known(more->desc[line.component].nodes_min, 1);
		sacct_write_put_line(out, &line);
	}
	return SL_OK;
}

const struct sl_writer sacct_writer = {
	.abi = SL_ABI_OF(struct sl_writer),
	.name = "sacct",
	.summary = "accounting of Slurm: sacct -P, with what is asked as a line of sbatch",
	.begin = sacct_write_begin,
	.job = job,
	.names = true,
	.dates = true,
};
