/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_desc.c - what a job asked: its line of options, and the accounting where that is silent.
 *
 * A script may request more in #SBATCH lines, which no column shows. What they asked is in ReqTRES, ReqNodes
 * and ReqCPUS; but so is what a job got without asking. So nodes and tasks come from the columns only where a
 * script (or nothing) hides what was asked.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/sacct.h"

static void sacct_desc_note(char first[40], uint64_t *total, uint32_t count, const struct slurm_said *said)
{
	const size_t len = said->position_len < 39 ? said->position_len : 39;
	if (count && !*total)
		for (size_t i = 0; i < len; i++)
			first[i] =
				(char)(said->first[i] > ' ' && said->first[i] <= '~' ? said->first[i] : '?');
	*total += count;
}

/* ---- The line --------------------------------------------------------------------------------- */

static void more_said(struct sacct_job *job, const struct slurm_said *said)
{
	struct sl_job_attributes *more = &job->job;
	const struct sl_job_attributes *from = &said->more;
	more->name = more->name ? more->name : from->name;
	more->qos = more->qos ? more->qos : from->qos;
	more->dependency = more->dependency ? more->dependency : from->dependency;
	more->begin = from->begin;
	more->deadline = from->deadline;
	more->time_min = from->time_min;
	more->nice = from->nice;
	more->requeue = from->requeue;
	more->kill_invalid_dep = from->kill_invalid_dep;
	more->held = from->held;
	more->array_limit = from->array_limit;
	if (!job->more.account)
		job->more.account = said->account;
	if (job->row.col[SL_COL_LIMIT] == SL_NONE && said->time_limit != SL_NEVER)
		job->row.col[SL_COL_LIMIT] = said->time_limit;
}

/* True: its options were read. */
static bool sacct_desc_line_in(
	struct sacct *s, struct sacct_job *job, const struct sacct_cell *line, bool *hidden)
{
	struct slurm_said said;
	struct sl_err ignored;
	if (!line->p)
		return false;
	ignored.status = SL_OK;
	ignored.text[0] = '\0';
	job->job.submit_line = sacct_keep(&job->text, line->p, line->len);
	char *space = sacct_text_reserve(&job->text, slurm_options_size(line->len));
	if (!space)
		return false;
	const struct slurm_line options = { line->p, line->len, job->row.col[SL_COL_SUBMIT], space };
	if (slurm_options(&options, s->spare, &said, &ignored))
		return false;
	sacct_desc_note(s->unknown_first, &s->unknown, said.unknown, &said);
	sacct_desc_note(s->unread_first, &s->unread, said.unknown ? 0 : said.unread, &said);
	for (uint32_t i = 0; i < SLURM_DROPPED_MAX && job->component <= 0; i++)
		s->dropped[i] += said.dropped >> i & 1;
	const size_t component = job->component > 0 ? (size_t)job->component : 0;
	if (component < said.desc_count)
		job->desc[0] = s->spare[component];
	more_said(job, &said);
	*hidden = said.hidden;
	return true;
}

/* ---- The columns -------------------------------------------------------------------------------- */

static int64_t first_known(int64_t a, int64_t b) { return a != SL_NONE && a > 0 ? a : b; }

/* What the columns say of one record. */
struct asked {
	struct sacct_tres req, other;
	const struct sacct_tres *got;   /* One of the two. */
	int64_t cpus, nodes, nodes_got; /* SL_NONE: nothing says. */
};

static void fill_tasks(struct sl_job_desc *desc, const struct asked *asked)
{
	const int64_t cpus = asked->cpus;
	const bool per_gpu = desc->cpus_per_gpu != SL_NONE || desc->tasks_per_gpu != SL_NONE;
	if (cpus == SL_NONE || cpus <= 0 || per_gpu)
		return;
	if (desc->tasks == SL_NONE && desc->tasks_per_node == SL_NONE) {
		const int64_t each = desc->cpus_per_task > 0 ? desc->cpus_per_task : 1;
		desc->cpus_per_task = cpus % each ? 1 : each;
		desc->tasks = cpus / desc->cpus_per_task;
	} else if (desc->tasks > 0 && desc->cpus_per_task == SL_NONE && cpus % desc->tasks == 0) {
		desc->cpus_per_task = cpus / desc->tasks;
	}
}

/* Before fill_tasks: tasks are the line's. ReqTRES and ReqNodes have the least number of nodes. One that got
 * more asked for a range (-N 2-4). 1 is there also where no number was asked for: `sbatch -n 64` gets as many
 * nodes as its tasks need. */
static void fill_nodes(struct sl_job_desc *desc, const struct asked *asked)
{
	if (desc->nodes_min != SL_NONE || asked->nodes == SL_NONE)
		return;
	const bool more = asked->nodes_got != SL_NONE && asked->nodes_got > asked->nodes;
	if (asked->nodes == 1 && (more || desc->tasks > 1))
		return;
	desc->nodes_min = asked->nodes;
	desc->nodes_max = more ? asked->nodes_got : asked->nodes;
}

/* "4G" is of the whole job, "4Gn" of a node, "4Gc" of a cpu. "0n" is all of the node's, "0" of none. */
static void fill_memory(struct sl_job_desc *desc, const struct sacct_cell *cell, const struct asked *asked)
{
	int64_t mem = SL_NONE;
	char letter = '\0';
	if (desc->mem_per_node != SL_NONE || desc->mem_per_cpu != SL_NONE || desc->mem_per_gpu != SL_NONE)
		return;
	if (cell->p) {
		letter = (char)(cell->p[cell->len - 1] | 0x20);
		if (letter != 'n' && letter != 'c')
			letter = '\0';
		if (!sl_get_memory(cell->p, cell->len - (letter ? 1 : 0), true, &mem) ||
			mem > SL_MEM_UNBOUNDED)
			mem = SL_NONE;
	}
	if (letter == 'n' && mem != SL_NONE)
		desc->mem_per_node = mem;
	else if (letter == 'c' && mem > 0)
		desc->mem_per_cpu = mem;
	if (letter && mem != SL_NONE)
		return;
	if (mem == SL_NONE)
		mem = asked->req.mem;
	const int64_t nodes = first_known(desc->nodes_min, first_known(asked->nodes, asked->nodes_got));
	if (mem > 0)
		desc->mem_per_node = nodes > 0 ? (mem - 1) / nodes + 1 : mem;
}

/* ---- GPUs, other devices, licenses ----------------------------------------------------------------- */

struct list {
	char text[1200];
	size_t len;
};

static void list_add(struct list *list, const struct sacct_cell *name, size_t skip, int64_t count)
{
	if (list->len + name->len + 32 > sizeof(list->text))
		return;
	if (list->len)
		list->text[list->len++] = ',';
	memcpy(list->text + list->len, name->p + skip, name->len - skip);
	list->len += name->len - skip;
	if (name->len > skip)
		list->text[list->len++] = ':';
	list->len = (size_t)(sl_put_i64(list->text + list->len, count) - list->text);
}

static const char *list_keep(struct sacct_job *job, const struct list *list)
{
	return list->len ? sacct_keep(&job->text, list->text, list->len) : NULL;
}

static bool is_gpu(const struct sacct_cell *name)
{
	return name->len > 4 && strncasecmp(name->p, "gpu:", 4) == 0;
}

/* GPUs by type where all have one: the entry without a type counts the same ones once more. */
static void fill_gpus(
	struct sacct_job *job, struct sl_job_desc *desc, const struct sacct_tres *tres, int64_t nodes)
{
	static const struct sacct_cell none = { "", 0 };
	int64_t typed = 0;
	for (size_t i = 0; i < tres->item_count; i++)
		if (!tres->item[i].license && is_gpu(&tres->item[i].name) &&
			__builtin_add_overflow(typed, tres->item[i].count, &typed))
			return;
	const bool by_type = typed > 0 && (tres->gpu == SL_NONE || tres->gpu == typed);
	struct list list;
	list.len = 0; /* The text is filled as it grows. */
	bool even = nodes > 0;
	for (size_t i = 0; i < tres->item_count && by_type; i++)
		even = even && (!is_gpu(&tres->item[i].name) || tres->item[i].count % nodes == 0);
	even = even && (by_type || tres->gpu % nodes == 0);
	const int64_t share = even ? nodes : 1;
	for (size_t i = 0; i < tres->item_count && by_type; i++)
		if (!tres->item[i].license && is_gpu(&tres->item[i].name) && tres->item[i].count)
			list_add(&list, &tres->item[i].name, 4, tres->item[i].count / share);
	if (!by_type && tres->gpu > 0)
		list_add(&list, &none, 0, tres->gpu / share);
	if (even)
		desc->gpus_per_node = list_keep(job, &list);
	else
		desc->gpus = list_keep(job, &list);
}

/* Devices other than GPUs, of a node: what is not the same on each is requested of each. */
static void fill_gres(
	struct sacct_job *job, struct sl_job_desc *desc, const struct sacct_tres *tres, int64_t nodes)
{
	struct list gres, licenses;
	gres.len = licenses.len = 0;
	const bool gpus = desc->gpus || desc->gpus_per_node || desc->gpus_per_socket || desc->gpus_per_task;
	for (size_t i = 0; i < tres->item_count; i++) {
		const struct sacct_cell *name = &tres->item[i].name;
		const int64_t count = tres->item[i].count;
		if (tres->item[i].license)
			list_add(&licenses, name, 0, count);
		else if (!is_gpu(name) && count)
			list_add(&gres, name, 0, nodes > 0 ? (count - 1) / nodes + 1 : count);
	}
	if (!desc->licenses)
		desc->licenses = list_keep(job, &licenses);
	if (desc->gres || desc->gres_per_task)
		return;
	if (!gpus)
		fill_gpus(job, desc, tres, nodes);
	desc->gres = list_keep(job, &gres);
}

/* Counts that are there and cannot be read: they are taken for not known, which is to be reported. */
static bool counts_read(const struct sacct_cell *cell, const struct asked *asked)
{
	static const enum sacct_column counts[] = { SACCT_NNODES, SACCT_REQNODES, SACCT_NCPUS,
		SACCT_REQCPUS };
	for (size_t i = 0; i < SL_LEN(counts); i++)
		if (cell[counts[i]].p && sacct_number(&cell[counts[i]]) == SL_NONE)
			return false;
	return !asked->req.unread && !asked->got->unread;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void asked_in(const struct sacct_job *job, const struct sacct_cell *cell, struct asked *asked)
{
	const struct sacct_cell *req = &cell[SACCT_REQTRES];
	const struct sacct_cell *got = &cell[SACCT_ALLOCTRES];
	(void)sacct_tres_of(req, &asked->req);
	if (req->p && got->p && req->len == got->len && memcmp(req->p, got->p, got->len) == 0)
		asked->got = &asked->req; /* It got what it requested. */
	else
		asked->got = sacct_tres_of(got, &asked->other);
	const bool started = job->job.start_recorded != SL_NONE;
	const int64_t nodes = sacct_number(&cell[SACCT_NNODES]);
	const int64_t cpus = sacct_number(&cell[SACCT_NCPUS]);
	asked->cpus = first_known(sacct_number(&cell[SACCT_REQCPUS]), first_known(asked->req.cpu, cpus));
	asked->nodes = first_known(sacct_number(&cell[SACCT_REQNODES]),
		first_known(asked->req.node, first_known(nodes, SL_NONE)));
	asked->nodes_got = started ? first_known(asked->got->node, first_known(nodes, SL_NONE)) : SL_NONE;
}

/* What the line alone says: tasks of so many cpus. */
static int64_t cpus_said(const struct sl_job_desc *desc)
{
	int64_t cpus;
	const int64_t each = desc->cpus_per_task > 0 ? desc->cpus_per_task : 1;
	return desc->tasks > 0 && !__builtin_mul_overflow(desc->tasks, each, &cpus) ? cpus : SL_NONE;
}

static void size_in(struct sacct_job *job, const struct sacct_cell *cell, const struct asked *asked)
{
	int64_t *col = job->row.col;
	const int64_t got = first_known(asked->got->cpu, sacct_number(&cell[SACCT_NCPUS]));
	col[SL_COL_REQ_CPUS] = first_known(asked->cpus, cpus_said(&job->desc[0]));
	if (job->job.start_recorded != SL_NONE)
		col[SL_COL_CPUS] = first_known(got, SL_NONE);
	if (asked->req.mem > 0 && asked->cpus > 0)
		col[SL_COL_REQ_MEM] = sl_mul_div(asked->req.mem, 1024, asked->cpus);
}

/* What exports other than sacct have columns for. */
static void others_in(struct sacct_job *job, struct sl_job_desc *desc, const struct sacct_cell *cell)
{
	const int64_t tasks = sacct_number(&cell[SACCT_TASKS]);
	const int64_t per_node = sacct_number(&cell[SACCT_TASKS_PER_NODE]);
	const int64_t cpus = sacct_number(&cell[SACCT_CPUS_PER_TASK]);
	if (tasks > 0)
		desc->tasks = tasks;
	if (per_node > 0)
		desc->tasks_per_node = per_node;
	if (cpus > 0)
		desc->cpus_per_task = cpus;
	if (cell[SACCT_GRES].p)
		desc->gres = sacct_keep(&job->text, cell[SACCT_GRES].p, cell[SACCT_GRES].len);
	if (sacct_is(&cell[SACCT_SHARED], "0"))
		desc->exclusive = SL_EXCLUSIVE_NODE;
	if (cell[SACCT_DEPENDENCY].p && !sacct_is(&cell[SACCT_DEPENDENCY], "(null)"))
		job->job.dependency =
			sacct_keep(&job->text, cell[SACCT_DEPENDENCY].p, cell[SACCT_DEPENDENCY].len);
}

static const char *sacct_desc_text_of(struct sacct_job *job, const char *said, const struct sacct_cell *cell)
{
	if (said || !cell->p || sacct_is(cell, "(null)") || sacct_is(cell, "None"))
		return said;
	return sacct_keep(&job->text, cell->p, cell->len);
}

int sacct_desc_in(struct sacct *s, struct sacct_job *job, const struct sacct_cells *cells)
{
	const struct sacct_cell *cell = cells->cell;
	struct sl_job_desc *desc = &job->desc[0];
	struct asked asked;
	bool hidden = true; /* Without a line all is. */
	sl_job_desc_clear(desc);
	(void)sacct_desc_line_in(s, job, &cell[SACCT_SUBMITLINE], &hidden);
	others_in(job, desc, cell);
	asked_in(job, cell, &asked);
	if (!counts_read(cell, &asked) && !job->repair)
		job->repair = sacct_unreadable;
	size_in(job, cell, &asked);
	if (hidden) {
		fill_nodes(desc, &asked);
		fill_tasks(desc, &asked);
	}
	fill_memory(desc, &cell[SACCT_REQMEM], &asked);
	const struct sacct_tres *tres = cell[SACCT_REQTRES].p ? &asked.req : asked.got;
	fill_gres(job, desc, tres, first_known(desc->nodes_min, first_known(tres->node, asked.nodes)));
	desc->partition = sacct_desc_text_of(job, desc->partition, &cell[SACCT_PARTITION]);
	desc->constraint = sacct_desc_text_of(job, desc->constraint, &cell[SACCT_CONSTRAINTS]);
	desc->reservation = sacct_desc_text_of(job, desc->reservation, &cell[SACCT_RESERVATION]);
	job->more.desc = job->desc;
	job->more.desc_count = 1;
	job->more.job = &job->job;
	return SL_OK;
}
