/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heard.c - see heard.h. */
#include "tests/world/heard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

void heard_put(struct heard *h, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	h->len += (size_t)vsnprintf(h->text + h->len, sizeof(h->text) - h->len, format, args);
	va_end(args);
	SL_CHECK(h->len < sizeof(h->text));
}

static void put_time(struct heard *h, const char *before, int64_t value)
{
	if (value == SL_NEVER)
		heard_put(h, "%snever", before);
	else if (value != SL_NONE)
		heard_put(h, "%s%.10g", before, (double)value / 1e6);
}

static void put_length(struct heard *h, const char *before, int64_t value)
{
	if (value)
		put_time(h, before, value);
}

static void put_number(struct heard *h, const char *before, int64_t value)
{
	if (value != SL_NONE)
		heard_put(h, "%s%" PRId64, before, value);
}

static void put_text(struct heard *h, const char *before, const char *text)
{
	if (text)
		heard_put(h, "%s%s", before, text);
}

static void put_flag(struct heard *h, const char *name, bool set)
{
	if (set)
		heard_put(h, " %s", name);
}

void heard_desc(struct heard *h, const struct sl_job_desc *a)
{
	put_number(h, " N", a->nodes_min);
	if (a->nodes_max != a->nodes_min)
		put_number(h, "-", a->nodes_max == SL_NONE ? 0 : a->nodes_max);
	put_number(h, " n", a->tasks);
	put_number(h, " n/N", a->tasks_per_node);
	put_number(h, " n/S", a->tasks_per_socket);
	put_number(h, " n/core", a->tasks_per_core);
	put_number(h, " n/gpu", a->tasks_per_gpu);
	put_number(h, " c", a->cpus_per_task);
	put_number(h, " c/gpu", a->cpus_per_gpu);
	put_number(h, " mincpus", a->cpus_min);
	put_number(h, " S", a->sockets_per_node);
	put_number(h, " C", a->cores_per_socket);
	put_number(h, " T", a->threads_per_core);
	put_number(h, " mem", a->mem_per_node);
	put_number(h, " mem/c", a->mem_per_cpu);
	put_number(h, " mem/gpu", a->mem_per_gpu);
	put_number(h, " tmp", a->tmp);
	put_number(h, " segment", a->segment);
	put_number(h, " switches", a->switches);
	put_time(h, "@", a->switches_wait);
	put_text(h, " p=", a->partition);
	put_text(h, " gres=", a->gres);
	put_text(h, " gpus=", a->gpus);
	put_text(h, " gpus/N=", a->gpus_per_node);
	put_text(h, " gpus/S=", a->gpus_per_socket);
	put_text(h, " gpus/n=", a->gpus_per_task);
	put_text(h, " gres/n=", a->gres_per_task);
	put_text(h, " sizes=", a->node_sizes);
	put_text(h, " prefer=", a->prefer);
	put_text(h, " extra=", a->extra);
	put_text(h, " gflags=", a->gres_flags);
	put_text(h, " C=", a->constraint);
	put_text(h, " w=", a->nodelist);
	put_text(h, " x=", a->exclude);
	put_text(h, " m=", a->distribution);
	put_text(h, " L=", a->licenses);
	put_text(h, " res=", a->reservation);
	put_text(h, " A=", a->account);
	put_text(h, " q=", a->qos);
	put_time(h, " t=", a->limit);
	put_time(h, " tmin=", a->time_min);
	if (a->exclusive)
		heard_put(h, " exclusive%d", (int)a->exclusive);
	put_flag(h, "oversubscribe", a->oversubscribe);
	put_flag(h, "overcommit", a->overcommit);
	put_flag(h, "contiguous", a->contiguous);
	put_flag(h, "spread", a->spread);
	put_flag(h, "minnodes", a->use_min_nodes);
	put_flag(h, "nomt", a->no_multithread);
}

void heard_more(struct heard *h, const struct sl_job_attributes *more)
{
	put_text(h, " name=", more->name);
	put_text(h, " qos=", more->qos);
	put_text(h, " dep=", more->dependency);
	put_text(h, " exit=", more->exit_code);
	put_text(h, " on=", more->nodes_recorded);
	put_time(h, " begin=", more->begin);
	put_time(h, " deadline=", more->deadline);
	put_time(h, " timemin=", more->time_min);
	put_number(h, " nice=", more->nice);
	put_number(h, " array=", more->array);
	put_number(h, "_", more->array_task);
	put_number(h, "%", more->array_limit);
	put_time(h, " start=", more->start_recorded);
	put_time(h, " end=", more->end_recorded);
	if (more->attempts_recorded > 1)
		put_number(h, " attempts=", more->attempts_recorded);
	put_length(h, " earlier=", more->earlier_recorded);
	put_length(h, " before=", more->held_before_recorded);
	put_length(h, " requeued=", more->requeued_after_recorded);
	put_length(h, " eligible+", more->eligible_after_recorded);
	if (more->kill_invalid_dep >= 0)
		heard_put(h, " killdep=%d", more->kill_invalid_dep);
	if (more->requeue >= 0)
		heard_put(h, " requeue=%d", more->requeue);
	put_flag(h, "held", more->held);
	put_flag(h, "censored", more->censored);
}

static void put_name(struct heard *h, const char *before, const char *name, int64_t number)
{
	if (name)
		put_text(h, before, name);
	else
		put_number(h, before, number);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct heard *h = self;
	const struct sl_row_attributes *more = row->more;
	(void)err;
	if (h->wanted && !h->wanted(row))
		return SL_OK;
	heard_put(h, "%s%" PRIu64 ":", h->len ? "\n" : "", row->line);
	put_name(h, " ", more->id, row->col[SL_COL_ID]);
	put_time(h, " @", row->col[SL_COL_SUBMIT]);
	put_time(h, " run ", row->col[SL_COL_RUN]);
	put_time(h, " limit ", row->col[SL_COL_LIMIT]);
	put_time(h, " wait ", row->col[SL_COL_WAIT]);
	put_number(h, " cpus ", row->col[SL_COL_REQ_CPUS]);
	put_number(h, "/", row->col[SL_COL_CPUS]);
	put_number(h, " status ", row->col[SL_COL_STATUS]);
	put_name(h, " u=", more->user, row->col[SL_COL_USER]);
	put_name(h, " a=", more->account, row->col[SL_COL_GROUP]);
	put_name(h, " part=", more->partition, row->col[SL_COL_PARTITION]);
	put_time(h, " cancel ", more->cancel ? more->cancel : SL_NONE);
	heard_put(h, " %s", sl_state_name(more->job->state_recorded));
	heard_more(h, more->job);
	for (size_t i = 0; i < more->desc_count; i++) {
		heard_put(h, " [");
		heard_desc(h, &more->desc[i]);
		heard_put(h, "]");
	}
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	heard_put(h, "%s%" PRIu64 "#%s=%s", h->len ? "\n" : "", at->line, key, value);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	heard_put(h, "%s%" PRIu64 "! %s", h->len ? "\n" : "", at->line, cause);
	return SL_OK;
}

static int on_dated(void *self, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	heard_put(h, "%sdated", h->len ? "\n" : "");
	return SL_OK;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)at;
	(void)err;
	heard_put(h, "%s? %s", h->len ? "\n" : "", what);
	return SL_OK;
}

int heard_of(struct heard *h, const char *text) { return heard_some(h, text, NULL); }

int heard_some(struct heard *h, const char *text, bool (*wanted)(const struct sl_row *row))
{
	const struct sl_sink sink = { h, on_job, on_header, on_anomaly, on_dated, on_ignored, NULL, NULL };
	const struct sl_reader *reader = NULL;
	struct sl_input *in;
	memset(h, 0, sizeof(*h));
	h->wanted = wanted;
	int status = sl_input_open(&in, memfile(h->path, text, strlen(text)), &h->err);
	SL_CHECK(!status);
	status = reader_choose(builtin_registry(), &reader, in, &h->err);
	if (!status) {
		h->reader = reader->name;
		status = reader->read(in, &sink, &h->err);
	}
	sl_input_close(in);
	return status;
}
