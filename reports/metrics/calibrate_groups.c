/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate_groups.c - the comparison by partition, user, account and QOS, as far as the trace reports them.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/metrics/calibrate_parts.h"
#include "reports/metrics/metrics.h"

const char *const calibrate_kind_name[CALIBRATE_KINDS] = { "partition", "user", "account", "qos" };

/* What a job is called by in one kind of groups. */
struct label {
	const char *name; /* NULL: a number. */
	int64_t number;   /* -1: it reports none. */
};

struct labelled {
	struct label label;
	const struct calibrate_job *job;
};

static struct label calibrate_groups_named(const int32_t *number, const char *const *name, uint32_t row)
{
	const int32_t at = number ? number[row] : -1;
	return (struct label){ at >= 0 && name ? name[at] : NULL, at };
}

static struct label label_of(const struct sl_jobs *jobs, enum calibrate_kind kind, uint32_t row)
{
	const uint32_t more = jobs->more_of ? jobs->more_of[row] : 0;
	if (kind == CALIBRATE_PARTITION)
		return calibrate_groups_named(jobs->partition, jobs->partition_name, row);
	if (kind == CALIBRATE_USER)
		return calibrate_groups_named(jobs->user, jobs->user_name, row);
	if (kind == CALIBRATE_ACCOUNT)
		return calibrate_groups_named(jobs->account, jobs->account_name, row);
	const char *qos = more ? jobs->more[more].qos : NULL;
	return (struct label){ qos, qos ? 0 : -1 };
}

static int calibrate_groups_compare(const struct label *a, const struct label *b)
{
	if (a->name && b->name)
		return strcmp(a->name, b->name);
	return (a->number > b->number) - (a->number < b->number);
}

static int by_label(const void *a, const void *b)
{
	const struct labelled *x = a;
	const struct labelled *y = b;
	const int order = calibrate_groups_compare(&x->label, &y->label);
	return order ? order : (x->job->row > y->job->row) - (x->job->row < y->job->row);
}

static size_t runs_of(const struct labelled *list, size_t count)
{
	size_t runs = count > 0;
	for (size_t i = 1; i < count; i++)
		runs += calibrate_groups_compare(&list[i - 1].label, &list[i].label) != 0;
	return runs;
}

/* NOLINTNEXTLINE(readability-function-size): six things that belong together, once. */
static int add_groups(struct calibration *all, const struct labelled *list, size_t count,
	enum calibrate_kind kind, const struct calibrate_job **some, int64_t *scratch, struct sl_err *err)
{
	const size_t wanted = all->group_count + runs_of(list, count);
	if (SL_RESIZE(all->group, wanted + 1, err))
		return SL_SYSTEM;
	for (size_t from = 0; from < count;) {
		size_t end = from;
		while (end < count && calibrate_groups_compare(&list[from].label, &list[end].label) == 0) {
			some[end - from] = list[end].job;
			end++;
		}
		all->group[all->group_count++] = (struct calibrate_group){ .kind = kind,
			.name = list[from].label.name,
			.number = list[from].label.number,
			.jobs = end - from,
			.wait = calibrate_both_of(some, end - from, CALIBRATE_WAIT, scratch) };
		struct calibrate_group *group = &all->group[all->group_count - 1];
		group->jobs_again =
			calibrate_again_of(some, end - from, &group->mean_shared, &group->mean_again);
		from = end;
	}
	return SL_OK;
}

int calibrate_groups(struct calibration *all, const struct sl_jobs *jobs, const struct calibrate_job **some,
	int64_t *scratch, struct sl_err *err)
{
	struct labelled *list = calloc(all->jobs + 1, sizeof(*list));
	const struct calibrate_job **kept = calloc(all->jobs + 1, sizeof(const struct calibrate_job *));
	int status = list && kept ? SL_OK : sl_fail_memory(err);
	if (!status && all->jobs)
		memcpy(kept, some, all->jobs * sizeof(const struct calibrate_job *));
	for (unsigned kind = 0; kind < CALIBRATE_KINDS && !status; kind++) {
		size_t count = 0;
		for (size_t i = 0; i < all->jobs; i++) {
			const struct label label = label_of(jobs, kind, kept[i]->row);
			if (label.number >= 0)
				list[count++] = (struct labelled){ label, kept[i] };
		}
		qsort(list, count, sizeof(*list), by_label);
		status = add_groups(all, list, count, kind, some, scratch, err);
	}
	free(list);
	free(kept);
	return status;
}
