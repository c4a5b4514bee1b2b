/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv.c - advance reservations: which jobs may use them, and which nodes they leave to a job
 * (job_test_resv()).
 *
 * A job that is in none may run on reserved nodes up to the reservation's start, by its limit: nodes of
 * those that it would overlap are excluded; of reservations by CoreCnt their cores alone, unless the job
 * wants whole nodes.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_node.h"
#include "policies/slurm/control/ctl_resv.h"

/* ---- Lists of names -------------------------------------------------------------------------- */

/* The list has the name; a minus before it does not count. */
static bool list_has(const char *list, const char *name)
{
	while (list && *list && name) {
		const size_t len = strcspn(list, ",");
		const size_t minus = *list == '-';
		if (len > minus && strncmp(list + minus, name, len - minus) == 0 && !name[len - minus])
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

static bool is_not(const char *list) { return list && *list == '-'; }

bool resv_users_mixed(const char *list)
{
	const bool minus = is_not(list);
	for (; list && *list; list += *list == ',') {
		if ((*list == '-') != minus)
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

struct resv *resv_named(const struct ctl *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		struct resv *r = &c->resvs->item[i];
		if (!r->deleted && strncmp(r->name, name, len) == 0 && !r->name[len])
			return r;
	}
	return NULL;
}

/* ---- Access ----------------------------------------------------------------------------------------- */

static const char *user_of(const struct ctl *c, const struct ctl_job *job)
{
	return job->user < c->user_count ? c->user_name[job->user] : NULL;
}

static const char *account_of(const struct ctl *c, const struct ctl_job *job)
{
	if (job->assoc < c->assoc_count)
		return c->assoc[job->assoc].account;
	const struct sl_jobs *jobs = c->jobs;
	if (!jobs || !jobs->account || !jobs->account_name || jobs->account[job->of] < 0)
		return NULL;
	return jobs->account_name[jobs->account[job->of]];
}

/* The job's account or one above it is on the list. */
static bool under_account(const struct ctl *c, const struct ctl_job *job, const char *list)
{
	for (uint32_t a = job->assoc; a < c->assoc_count; a = c->assoc[a].parent)
		if (list_has(list, c->assoc[a].account))
			return true;
	return false;
}

/* By associations (_set_assoc_list()): accounts stand for those below them, but beside users only themselves.
 */
static bool by_assoc(const struct ctl *c, const struct ctl_job *job, const struct resv *r)
{
	const bool user = list_has(r->users, user_of(c, job));
	if (user && is_not(r->users))
		return false;
	if (is_not(r->accounts) && under_account(c, job, r->accounts))
		return false;
	if (r->users && !is_not(r->users) && !user)
		return false;
	if (!r->accounts || is_not(r->accounts))
		return true;
	return r->users && !is_not(r->users) ? list_has(r->accounts, account_of(c, job))
					     : under_account(c, job, r->accounts);
}

static bool ctl_resv_by_name(const struct ctl *c, const struct ctl_job *job, const struct resv *r)
{
	if (r->users && list_has(r->users, user_of(c, job)) == is_not(r->users))
		return false;
	return !r->accounts || list_has(r->accounts, account_of(c, job)) != is_not(r->accounts);
}

static bool in_or_not(const char *list, const char *name)
{
	return !list || list_has(list, name) != is_not(list);
}

/* AllowedPartitions=: one of the job's. */
static bool of_part(const struct ctl *c, const struct ctl_job *job, const struct resv *r)
{
	bool any = !r->parts;
	for (uint32_t i = 0; i < job->part_count && !any; i++)
		any = in_or_not(r->parts, c->part[job->parts[i]].name);
	return any;
}

static bool resv_may_use(const struct ctl *c, const struct ctl_job *job, const struct resv *r)
{
	if (r->flags & RESV_TIME_FLOAT || (!r->users && !r->accounts && !r->parts && !r->qos))
		return false;
	if (c->params.version >= CTL_23_11 && strcmp(job->user_name, "root") == 0)
		return true; /* validate_slurm_user(): root, and SlurmUser, may use any. */
	if (!in_or_not(r->qos, job->qos < c->qos_count ? c->qos[job->qos].name : NULL) || !of_part(c, job, r))
		return false;
	return c->params.enforce_assoc && job->assoc < c->assoc_count ? by_assoc(c, job, r)
								      : ctl_resv_by_name(c, job, r);
}

/* ---- Which one a job is in ------------------------------------------------------------------- */

static struct resv *resv_of(const struct ctl *c, const struct ctl_job *job)
{
	return job->resv < c->resvs->count && !c->resvs->item[job->resv].deleted ? &c->resvs->item[job->resv]
										 : NULL;
}

/* job_test_resv_now() of one: OK; else it has not begun, or is over. */
static bool usable_now(const struct ctl *c, const struct ctl_job *job, struct resv *r)
{
	if (!resv_may_use(c, job, r))
		return false;
	if (r->flags & RESV_FLEX)
		return true;
	(void)resv_advance(c, r);
	return c->now >= r->start && c->now <= r->end && (r->node_count || r->flags & RESV_ANY_NODES);
}

/* All of a list are known and for the job. */
static bool all_may(struct ctl *c, const struct ctl_job *job, const char *names, uint32_t *first)
{
	*first = CTL_NO_ROW;
	for (const char *p = names; p && *p; p += *p == ',') {
		const size_t len = strcspn(p, ",");
		const struct resv *r = resv_named(c, p, len);
		p += len;
		if (!r || !resv_may_use(c, job, r))
			return false;
		if (*first == CTL_NO_ROW)
			*first = (uint32_t)(r - c->resvs->item);
	}
	return true;
}

bool ctl_resv_change(struct ctl *c, struct ctl_job *job, const char *names)
{
	uint32_t first;
	if (!all_may(c, job, names, &first))
		return false;
	job->resv = first;
	job->resv_gone = false;
	job->resv_names = NULL;
	if (first != CTL_NO_ROW) {
		c->resvs->item[first].idle_since = CTL_NONE;
		if (strchr(names, ','))
			job->resv_names = sl_strdup(c->arena, names, strlen(names));
	}
	return true;
}

enum sl_reason ctl_resv_submit(struct ctl *c, struct ctl_job *job)
{
	const char *names = job->desc.desc ? job->desc.desc->reservation : NULL;
	job->resv = CTL_NO_ROW;
	if (!names || !*names)
		return SL_REASON_NONE;
	if (!ctl_resv_change(c, job, names))
		return SL_REASON_RESERVATION;
	if (job->resv != CTL_NO_ROW)
		resv_nodes_renew(c, &c->resvs->item[job->resv]);
	return SL_REASON_NONE;
}

static uint32_t named_rows(struct ctl *c, const struct ctl_job *job, uint32_t *row, uint32_t capacity)
{
	uint32_t count = 0;
	for (const char *p = job->resv_names; p && *p && count < capacity; p += *p == ',') {
		const size_t len = strcspn(p, ",");
		const struct resv *r = resv_named(c, p, len);
		p += len;
		const uint32_t one = r ? (uint32_t)(r - c->resvs->item) : CTL_NO_ROW;
		bool had = !r;
		for (uint32_t i = 0; i < count; i++)
			had = had || row[i] == one;
		if (!had)
			row[count++] = one;
	}
	return count;
}

uint32_t ctl_resv_tried_in(struct ctl *c, const struct ctl_job *job, uint32_t *row, uint32_t capacity)
{
	uint32_t count = 0;
	if (!c->resvs->live)
		return 0;
	if (job->resv_names)
		return named_rows(c, job, row, capacity);
	/* A component is drawn by none (_job_queue_append()). */
	for (uint32_t i = 0; i < c->resvs->count && job->resv == CTL_NO_ROW && !job->het && count < capacity;
		i++) {
		const struct resv *r = &c->resvs->item[i];
		if (!r->deleted && r->flags & RESV_MAGNETIC && resv_may_use(c, job, r))
			row[count++] = i;
	}
	return count;
}

ctl_time ctl_resv_begins(const struct ctl *c, uint32_t row) { return c->resvs->item[row].start; }

bool ctl_resv_in_part(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	const struct resv *r = resv_of(c, job);
	int64_t more = job->nodes_min;
	for (size_t w = 0; r && r->nodes && w < c->resvs->words && more > 0; w++)
		more -= select_popcount(r->nodes[w] & c->part[part].nodes[w]);
	return !r || !r->nodes || more <= 0;
}

enum sl_reason ctl_resv_waits(struct ctl *c, struct ctl_job *job)
{
	if (job->resv_gone)
		return SL_REASON_RESERVATION_DELETED;
	/* One of several is tried in each of them, whatever their times: build_job_queue() forgets which it
	 * was last, and validate_job_resv() says no more than that it may use them. */
	struct resv *r = job->resv_names ? NULL : resv_of(c, job);
	return !r || usable_now(c, job, r) ? SL_REASON_NONE : SL_REASON_RESERVATION;
}

bool ctl_resv_timed_out(const struct ctl *c, const struct ctl_job *job)
{
	const struct resv *r = resv_of(c, job);
	return r && !(r->flags & RESV_FLEX) && c->resvs->over_run != CTL_NEVER &&
	       r->end < c->now - c->resvs->over_run;
}

void ctl_resv_claim(struct ctl *c, const struct ctl_job *job)
{
	struct resv *r = resv_of(c, job);
	if (r && r->flags & RESV_REPLACE)
		resv_nodes_renew(c, r);
}

uint32_t resv_running(const struct ctl *c, const struct resv *r)
{
	const uint32_t row = (uint32_t)(r - c->resvs->item);
	uint32_t count = 0;
	for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next)
		count += c->job[j].resv == row;
	return count;
}

/* ---- What it leaves to a job ----------------------------------------------------------------- */

void resv_range(const struct ctl *c, const struct resv *r, ctl_time *start, ctl_time *end)
{
	*start = r->start;
	*end = r->end;
	if (!(r->flags & RESV_TIME_FLOAT))
		return;
	*start += c->now;
	if (r->duration == CTL_NEVER)
		*end = *start + RESV_YEAR;
	else if (r->duration > 0)
		*end = *start + r->duration * 60;
	else if (*start > *end)
		*start = *end;
}

/* A test of job_test_resv(): where and when. */
struct trial {
	struct ctl *c;
	struct ctl_job *job;
	const uint64_t *part_nodes;
	ctl_time start, end;
	uint64_t *available;
	bool overlap;
	ctl_time next; /* When what it met is over; CTL_NEVER. */
};

/* _get_job_duration(), seconds. */
static int64_t duration_of(const struct ctl *c, const struct ctl_job *job, int64_t limit_min)
{
	if (limit_min == CTL_NEVER || limit_min >= INT64_MAX / 60)
		return RESV_YEAR;
	const struct sl_partition *part =
		job->part < c->cluster->partition_count ? &c->cluster->partition[job->part] : NULL;
	const bool shares =
		part && (part->share == SL_SHARE_FORCE || part->share == SL_SHARE_YES) && part->shares > 1;
	return limit_min * 60 * (shares && c->params.gang ? part->shares : 1);
}

static bool at_that_time(const struct trial *t, struct resv *r, ctl_time *until)
{
	ctl_time start;
	(void)resv_advance(t->c, r);
	resv_range(t->c, r, &start, until);
	return !r->deleted && start<t->end && * until> t->start;
}

static bool whole_nodes(const struct ctl *c, const struct ctl_job *job)
{
	return ctl_is_exclusive(c, job) ||
	       (job->part < c->cluster->partition_count &&
		       c->cluster->partition[job->part].share == SL_SHARE_EXCLUSIVE);
}

/* The nodes that it named: into the scratch. NULL: none. */
static const uint64_t *named_nodes(struct ctl *c, const struct ctl_job *job)
{
	struct ctl_resvs *all = c->resvs;
	const char *names = job->desc.desc ? job->desc.desc->nodelist : NULL;
	if (!names || !*names)
		return NULL;
	memset(all->a, 0, all->words * sizeof(*all->a));
	(void)node_list(c, names, strlen(names), all->a);
	return all->a;
}

/* A reservation that keeps the job from everything that it may use. */
static bool keeps_all(const struct trial *t, const struct resv *r)
{
	if (r->flags & RESV_ALL_NODES || (r->flags & RESV_PART_NODES && r->part == t->job->part))
		return true;
	return r->flags & RESV_MAINT && nset_within(t->part_nodes, r->nodes, t->c->resvs->words);
}

static void keep_gres(struct ctl *c, const struct resv *r, bool others)
{
	struct ctl_resvs *all = c->resvs;
	if (SL_GROW_IN(c->arena, all->kept_gres, all->kept_gres_capacity,
		    all->kept_gres_count + r->gres_count, NULL)) {
		controller_no_memory(&c->engine);
		return;
	}
	for (uint32_t i = 0; i < r->gres_count; i++) {
		struct select_kept_gres *kept = &all->kept_gres[all->kept_gres_count++];
		*kept = r->gres[i];
		kept->own = others;
	}
}

/* Its cores and devices are not the job's (exc_core_bitmap), or all others of its nodes are not. */
static void keep_parts(struct ctl *c, const struct resv *r, bool others)
{
	struct ctl_resvs *all = c->resvs;
	const size_t words = select_core_words(c->select);
	for (size_t w = 0; w < words; w++)
		all->kept[w] = (all->keeps ? all->kept[w] : 0) | (others ? ~r->cores[w] : r->cores[w]);
	all->keeps = true;
	keep_gres(c, r, others);
}

const uint64_t *ctl_resv_cores(const struct ctl *c) { return c->resvs->keeps ? c->resvs->kept : NULL; }

void ctl_resv_keep(struct ctl *c)
{
	select_keep_cores(c->select, ctl_resv_cores(c));
	select_keep_gres(c->select, c->resvs->kept_gres, c->resvs->kept_gres_count);
}

/* What one reservation leaves of it to a job that is in none. */
static enum ctl_status leave_outside(struct trial *t, struct resv *r, const uint64_t *named)
{
	const size_t words = t->c->resvs->words;
	ctl_time until;
	if (!r->nodes || !at_that_time(t, r, &until))
		return CTL_OK;
	t->next = until;
	if (keeps_all(t, r))
		return CTL_RESERVATION_MAINT;
	if (named && nset_meets(named, r->nodes, words) && whole_nodes(t->c, t->job))
		return CTL_NODES_BUSY;
	if (r->cores && !whole_nodes(t->c, t->job))
		keep_parts(t->c, r, false);
	for (size_t w = 0; w < words && (!r->cores || whole_nodes(t->c, t->job)); w++)
		t->available[w] &= ~r->nodes[w];
	if (nset_meets(t->part_nodes, r->nodes, words))
		t->overlap = true;
	return CTL_OK;
}

static enum ctl_status test_outside(struct trial *t)
{
	struct ctl_resvs *all = t->c->resvs;
	const uint64_t *named = named_nodes(t->c, t->job);
	ctl_time next = CTL_NEVER;
	for (uint32_t i = 0; i < all->count; i++) {
		t->next = CTL_NEVER;
		const enum ctl_status status = leave_outside(t, &all->item[i], named);
		if (status != CTL_OK)
			return status;
		next = t->next < next ? t->next : next;
	}
	t->next = next;
	return CTL_OK;
}

/* Nodes of other reservations at the same time are not the job's, unless its own is for maintenance, or may
 * overlap and the other is not for maintenance. */
static void leave_inside(struct trial *t, const struct resv *own, struct resv *other)
{
	const size_t words = t->c->resvs->words;
	ctl_time until;
	if (own == other || !other->nodes || other->cores || own->flags & RESV_MAINT ||
		(own->flags & RESV_OVERLAP && !(other->flags & RESV_MAINT)) ||
		!at_that_time(t, other, &until) || !nset_meets(t->available, other->nodes, words))
		return;
	t->overlap = true;
	for (size_t w = 0; w < words; w++)
		t->available[w] &= ~other->nodes[w];
}

static enum ctl_status test_inside(struct trial *t, struct resv *r)
{
	struct ctl *c = t->c;
	if (!resv_may_use(c, t->job, r))
		return CTL_RESERVATION_NOT_USABLE;
	if (!(r->flags & RESV_FLEX)) {
		(void)resv_advance(c, r);
		t->next = t->start < r->start ? r->start : CTL_NEVER;
		if (t->start < r->start || t->start > r->end)
			return CTL_RESERVATION_NOT_USABLE;
		if (!r->node_count && !(r->flags & RESV_ANY_NODES)) {
			t->next = c->now + 600;
			return CTL_RESERVATION_NOT_USABLE;
		}
		const uint64_t *named = named_nodes(c, t->job);
		if (!(r->flags & RESV_ANY_NODES)) {
			if (named && !nset_within(named, r->nodes, c->resvs->words))
				return CTL_RESERVATION_NOT_USABLE;
			for (size_t w = 0; w < c->resvs->words; w++)
				t->available[w] &= r->nodes[w];
		}
	}
	for (uint32_t i = 0; i < c->resvs->count; i++)
		leave_inside(t, r, &c->resvs->item[i]);
	if (r->cores && !(r->flags & RESV_FLEX))
		keep_parts(c, r, true);
	return CTL_OK;
}

static struct trial trial_of(struct ctl *c, struct ctl_job *job, ctl_time start, int64_t limit_min)
{
	struct trial t = { .c = c, .job = job, .start = start, .next = CTL_NEVER };
	t.end = start + duration_of(c, job, limit_min);
	t.part_nodes = select_partition_nodes(c->select, job->part);
	if (job->part < c->part_count && c->part[job->part].nodes)
		t.part_nodes = c->part[job->part].nodes;
	return t;
}

enum ctl_status ctl_resv_nodes(struct ctl *c, struct ctl_job *job, ctl_time start, int64_t limit_min,
	uint64_t *available, struct ctl_resv_left *left)
{
	*left = (struct ctl_resv_left){ .next = CTL_NEVER };
	c->resvs->keeps = false;
	c->resvs->kept_gres_count = 0;
	if (!c->resvs->live)
		return CTL_OK;
	struct trial t = trial_of(c, job, start, limit_min);
	t.available = available;
	struct resv *r = resv_of(c, job);
	const enum ctl_status status = r ? test_inside(&t, r) : test_outside(&t);
	*left = (struct ctl_resv_left){ t.overlap, t.next };
	if (status != CTL_OK)
		memset(available, 0, c->resvs->words * sizeof(*available));
	return status;
}

enum ctl_status ctl_resv_later(struct ctl *c, struct ctl_job *job, ctl_time *start, int64_t limit_min,
	uint64_t *available, bool *overlap)
{
	enum { MOVES = 10 };
	struct ctl_resvs *all = c->resvs;
	const bool may_move = all->live && !resv_of(c, job);
	struct ctl_resv_left left;
	memcpy(all->b, available, all->words * sizeof(*available));
	for (int i = 0;; i++) {
		const enum ctl_status status = ctl_resv_nodes(c, job, *start, limit_min, available, &left);
		*overlap = left.overlap;
		if (status == CTL_OK)
			return CTL_OK;
		if (left.next != CTL_NEVER) /* Of one that is in a reservation: when that begins. */
			*start = left.next;
		if (!may_move || i == MOVES)
			return status;
		memcpy(available, all->b, all->words * sizeof(*available));
	}
}

ctl_time ctl_resv_end(const struct ctl *c, ctl_time start, int64_t resolution)
{
	ctl_time end = CTL_NEVER;
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (!r->deleted && r->end >= start && r->end < RESV_FAR && r->end < end)
			end = r->end;
	}
	if (end == CTL_NEVER || resolution <= 0)
		return end;
	return (end + resolution - 1) / resolution * resolution;
}

/* ---- Licences -------------------------------------------------------------------------------- */

/* Of "name:4,other" so many of that name. */
static int64_t licenses_of(const char *list, const char *name)
{
	int64_t sum = 0;
	const size_t wanted = strlen(name);
	for (const char *p = list; p && *p; p += *p == ',') {
		const size_t len = strcspn(p, ",");
		const size_t own = strcspn(p, ":=,*");
		int64_t count = 1;
		if (own == wanted && strncmp(p, name, own) == 0) {
			if (own < len && !sl_get_i64(p + own + 1, len - own - 1, &count))
				count = 1;
			sum += count;
		}
		p += len;
	}
	return sum;
}

int64_t ctl_resv_licenses(struct ctl *c, const struct ctl_job *job, const char *name, ctl_time when)
{
	int64_t sum = 0;
	const struct resv *own = resv_of(c, job);
	const ctl_time end = when + duration_of(c, job, job->time_limit);
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted || r == own || !r->licenses || r->start >= end || r->end <= when)
			continue;
		sum += licenses_of(r->licenses, name);
	}
	return sum;
}

/* license_list_overlap(): any that the job asks for is the reservation's. */
static bool wants_license_of(const struct ctl *c, const struct ctl_job *job, const struct resv *r)
{
	int64_t tres[CTL_TRES_MAX] = { 0 };
	ctl_license_tres(c, job, tres);
	for (uint32_t k = CTL_TRES_FIRST; k < c->tres_count; k++)
		if (tres[k] && c->tres[k].license != CTL_NO_ROW &&
			licenses_of(r->licenses, c->cluster->license[c->tres[k].license].name))
			return true;
	return false;
}

int64_t ctl_resv_minutes(
	const struct ctl *c, const struct ctl_job *job, const uint64_t *nodes, int64_t minutes)
{
	const ctl_time end = c->now + minutes * 60;
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted || i == job->resv)
			continue;
		ctl_time start;
		ctl_time until;
		resv_range(c, r, &start, &until);
		const bool meets = (r->nodes && nset_meets(r->nodes, nodes, c->resvs->words)) ||
				   (r->licenses && wants_license_of(c, job, r));
		if (start <= c->now || start >= end || !meets)
			continue; /* One that has begun was tested when the nodes were chosen. */
		const int64_t left = (start - c->now) / 60;
		minutes = left < minutes ? left : minutes;
	}
	return minutes;
}
