/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_changes.c - two replicas job by job: who waits less or longer, who is cut, who is not there; and how
 * much of what is known stops at an old limit.
 *
 * Jobs of two replicas are matched by their ids (several of one id in their order), so that what is dropped
 * in one moves nobody else. Sums are of whole microseconds; the interval of the mean change is a paired t
 * over batches of jobs, and orders nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/whatif/whatif_changes.h"

/* A job of the base, and the same in another replica. */
struct match {
	uint32_t base, replica; /* UINT32_MAX: it is not there. */
};

/* ---- Matching --------------------------------------------------------------------------------------- */

struct keyed {
	const char *name; /* NULL: the number is all. */
	int64_t id;
	uint32_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	return ids_order(x->name, x->id, y->name, y->id);
}

static int by_key_and_row(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	const int key = by_key(a, b);
	return key ? key : (x->row > y->row) - (x->row < y->row);
}

static struct keyed *keyed_of(const struct sl_jobs *jobs)
{
	struct keyed *all = calloc((size_t)jobs->count + 1, sizeof(*all));
	for (uint32_t row = 0; all && row < jobs->count; row++) {
		const char *name = jobs->id_name ? jobs->id_name[row] : NULL;
		all[row] = (struct keyed){ name, name ? 0 : jobs->id[row], row };
	}
	if (all)
		qsort(all, jobs->count, sizeof(*all), by_key_and_row);
	return all;
}

/* Every job of either, those of both as one. The caller frees it; NULL: no memory. */
static struct match *matches(const struct sl_jobs *base, const struct sl_jobs *replica, size_t *count)
{
	struct keyed *a = keyed_of(base);
	struct keyed *b = keyed_of(replica);
	struct match *all = calloc((size_t)base->count + replica->count + 1, sizeof(*all));
	*count = 0;
	for (uint32_t i = 0, k = 0; a && b && all && (i < base->count || k < replica->count);) {
		const int order = i == base->count ? 1 : k == replica->count ? -1 : by_key(&a[i], &b[k]);
		all[(*count)++] = (struct match){ order <= 0 ? a[i].row : UINT32_MAX,
			order >= 0 ? b[k].row : UINT32_MAX };
		i += order <= 0;
		k += order >= 0;
	}
	if (!a || !b) {
		free(all);
		all = NULL;
	}
	free(a);
	free(b);
	return all;
}

/* ---- What changed ------------------------------------------------------------------------------------ */

static int by_wait(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;
	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return (x->of > y->of) - (x->of < y->of);
}

static int whatif_changes_by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a;
	const int32_t y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* One for each number that there is, ascending: numbers of SWF may be any. */
static struct group *groups_new(const int32_t *of, uint32_t count, size_t *groups)
{
	int32_t *number = malloc(((size_t)count + 1) * sizeof(*number));
	struct group *all = NULL;
	*groups = 0;
	if (!number)
		return NULL;
	memcpy(number, of, count * sizeof(*number));
	qsort(number, count, sizeof(*number), whatif_changes_by_number);
	for (uint32_t i = 0; i < count; i++)
		if (number[i] >= 0 && (!*groups || number[i] != number[*groups - 1]))
			number[(*groups)++] = number[i];
	all = calloc(*groups + 1, sizeof(*all));
	for (size_t i = 0; all && i < *groups; i++)
		all[i].of = number[i];
	free(number);
	return all;
}

static int find_group(const void *key, const void *group)
{
	return whatif_changes_by_number(key, &((const struct group *)group)->of);
}

/* Those with jobs, the largest gain first. */
static size_t groups_sort(struct group *all, size_t count, const char *const *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (!all[i].jobs)
			continue;
		all[kept] = all[i];
		all[kept].name = name ? name[all[i].of] : NULL;
		(void)snprintf(all[kept].number, sizeof(all[kept].number), "%d", (int)all[i].of);
		kept++;
	}
	qsort(all, kept, sizeof(*all), by_wait);
	return kept;
}

static void group_add(struct group *all, size_t count, int32_t of, sl_time wait)
{
	struct group *group = bsearch(&of, all, count, sizeof(*all), find_group);
	if (!group)
		return;
	group->jobs++;
	group->wait += wait;
}

/* As Slurm writes them: bare numbers are minutes. SL_NEVER: none. */
static sl_time wall_of(const char *text)
{
	int64_t minutes;
	sl_time time;
	if (sl_get_i64(text, strlen(text), &minutes))
		return minutes > 0 && minutes < SL_NEVER / (60 * SL_SECOND) ? minutes * 60 * SL_SECOND
									    : SL_NEVER;
	return sl_get_duration(text, strlen(text), &time) ? time : SL_NEVER;
}

static bool is_wall(const struct sl_setting *setting)
{
	return strcasecmp(setting->key, "MaxWall") == 0 || strcasecmp(setting->key, "MaxWallPJ") == 0 ||
	       strcasecmp(setting->key, "MaxWallDurationPerJob") == 0;
}

/* How specific a limit is: 1 the account's, 2 its user's there, 3 the QOS's, which Slurm looks at first; 0:
 * not the job's. */
static unsigned nearness(
	const struct sl_setting *setting, const char *qos, const char *account, const char *user)
{
	const size_t len = account ? strlen(account) : 0;
	if (strcmp(setting->kind, "qos") == 0)
		return qos && strcasecmp(setting->name, qos) == 0 ? 3 : 0;
	if (strcmp(setting->kind, "association") != 0 || !account ||
		strncasecmp(setting->name, account, len) != 0)
		return 0;
	if (!setting->name[len])
		return 1;
	return user && setting->name[len] == '/' && strcasecmp(setting->name + len + 1, user) == 0 ? 2 : 0;
}

static const char *name_at(const char *const *names, int32_t at)
{
	return names && at >= 0 ? names[at] : NULL;
}

/* The MaxWall that applies to the job: the most specific one, of two settings the later one. */
static sl_time wall_allowed(const struct sl_cluster *cluster, const struct sl_jobs *jobs, uint32_t row)
{
	const struct sl_job_attributes *more =
		jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
	const char *account = name_at(jobs->account_name, jobs->account ? jobs->account[row] : -1);
	const char *user = name_at(jobs->user_name, jobs->user[row]);
	sl_time wall = SL_NEVER;
	unsigned nearest = 1;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		const unsigned similar =
			is_wall(setting) ? nearness(setting, more ? more->qos : NULL, account, user) : 0;
		if (similar < nearest)
			continue;
		wall = wall_of(setting->value);
		nearest = similar;
	}
	return wall;
}

/* What the replica's partition, QOS and account allow; SL_NEVER: there is no limit, or they are not the
 * cluster's. */
static sl_time allowed(const struct scenario *scenario, const struct sl_result *a, uint32_t row)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	const char *name = name_at(a->jobs->partition_name, a->jobs->partition[row]);
	const sl_time wall = wall_allowed(cluster, a->jobs, row);
	for (uint32_t i = 0; name && i < cluster->partition_count; i++)
		if (strcmp(cluster->partition[i].name, name) == 0)
			return cluster->partition[i].max_time < wall ? cluster->partition[i].max_time : wall;
	return wall;
}

static void match_add(struct changes *changes, const struct match *match, const struct sl_result *a,
	const struct sl_result *b, const struct scenario *scenario)
{
	if (match->base == UINT32_MAX || match->replica == UINT32_MAX) {
		const bool gone = match->replica == UINT32_MAX;
		const bool cut = gone && a->jobs->run[match->base] > allowed(scenario, a, match->base);
		changes->cut += cut;
		changes->cut_gone += cut;
		changes->only_base += gone;
		changes->only_replica += match->base == UINT32_MAX;
		return;
	}
	const uint32_t x = match->base;
	const uint32_t y = match->replica;
	changes->both++;
	changes->ended[a->state[x]][b->state[y]]++;
	changes->cut += a->state[x] != SL_TIMEOUT && b->state[y] == SL_TIMEOUT;
	if (b->start[y] == SL_NONE && a->start[x] != SL_NONE && a->jobs->run[x] > allowed(scenario, a, x)) {
		changes->cut++;
		changes->cut_gone++;
	}
	changes->resubmitted |= a->jobs->submit[x] != b->jobs->submit[y];
	if (a->start[x] == SL_NONE || b->start[y] == SL_NONE)
		return;
	const sl_time wait = (b->start[y] - b->jobs->submit[y]) - (a->start[x] - a->jobs->submit[x]);
	changes->earlier += wait < 0;
	changes->later += wait > 0;
	changes->same += wait == 0;
	changes->earlier_sum -= wait < 0 ? wait : 0;
	changes->later_sum += wait > 0 ? wait : 0;
	group_add(changes->user, changes->user_count, a->jobs->user[x], wait);
	group_add(changes->partition, changes->partition_count, a->jobs->partition[x], wait);
}

void whatif_changes_free(struct changes *changes)
{
	free(changes->user);
	free(changes->partition);
}

int whatif_changes_find(struct changes *changes, const struct sl_result *a, const struct sl_result *b,
	const struct scenario *scenario, struct sl_err *err)
{
	size_t count;
	struct match *match = matches(a->jobs, b->jobs, &count);
	*changes = (struct changes){ .refused = b->refused };
	changes->user = groups_new(a->jobs->user, a->jobs->count, &changes->user_count);
	changes->partition = groups_new(a->jobs->partition, a->jobs->count, &changes->partition_count);
	if (!match || !changes->user || !changes->partition) {
		free(match);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		match_add(changes, &match[i], a, b, scenario);
	changes->user_count = groups_sort(changes->user, changes->user_count, a->jobs->user_name);
	changes->partition_count =
		groups_sort(changes->partition, changes->partition_count, a->jobs->partition_name);
	free(match);
	return SL_OK;
}

/* ---- Limits ------------------------------------------------------------------------------------------ */

static enum sl_state recorded(const struct sl_jobs *jobs, uint32_t row)
{
	const struct sl_job_attributes *more =
		jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
	return more ? (enum sl_state)more->state_recorded : SL_PENDING;
}

/* As long as its own limit: what a limit that was filled in says of nobody. */
static bool ran_to_limit(const struct scenario *scenario, uint32_t row)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	return !scenario_had_no_limit(scenario, row) && jobs->limit[row] > 0 &&
	       jobs->run[row] == jobs->limit[row];
}

/* Without states, limits that all were reached are estimates after the fact, and cut nobody. */
static bool all_exact(const struct scenario *scenario)
{
	enum { FEW = 10 }; /* So many may well be cut, all of them. */
	uint32_t limits = 0;
	for (uint32_t row = 0; row < scenario->jobs.count; row++) {
		const bool limited = !scenario_had_no_limit(scenario, row);
		if (limited && (recorded(&scenario->jobs, row) != SL_PENDING || !ran_to_limit(scenario, row)))
			return false;
		limits += limited;
	}
	return limits >= FEW;
}

static bool was_cut(const struct scenario *scenario, uint32_t row)
{
	const enum sl_state state = recorded(&scenario->jobs, row);
	return state != SL_PENDING ? state == SL_TIMEOUT : ran_to_limit(scenario, row);
}

struct censored censored_of(const struct scenario *scenario)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	const struct sl_result asked = { .jobs = jobs, .cluster = &scenario->cluster };
	const bool exact = all_exact(scenario);
	struct censored found = { .cpu_parts = sl_parts(scenario->cluster.cpu_parts),
		.gpu_parts = sl_parts(scenario->cluster.gpu_parts) };
	for (uint32_t row = 0; row < jobs->count; row++) {
		if (!was_cut(scenario, row))
			continue;
		if (exact) {
			found.exact++;
			continue;
		}
		found.jobs++;
		found.cpu += (__int128)jobs->run[row] * sl_cpus_of(&asked, row);
		found.gpu += (__int128)jobs->run[row] * sl_gpus_of(&asked, row);
	}
	return found;
}

static bool sets_limit(const struct replica *replica)
{
	static const char *const words[] = { "MaxTime", "max_time", "DefaultTime", "default_time", "MaxWall",
		"limit=", "OverTimeLimit" };
	for (size_t i = 0; i < replica->setting_count; i++)
		for (size_t k = 0; k < SL_LEN(words); k++)
			if (strcasestr(replica->setting[i], words[k]))
				return true;
	return false;
}

/* Partitions that both have, by name. */
static bool other_times(const struct sl_cluster *a, const struct sl_cluster *b)
{
	for (uint32_t i = 0; i < a->partition_count; i++)
		for (uint32_t k = 0; k < b->partition_count; k++)
			if (strcmp(a->partition[i].name, b->partition[k].name) == 0 &&
				(a->partition[i].max_time != b->partition[k].max_time ||
					a->partition[i].default_time != b->partition[k].default_time))
				return true;
	return false;
}

static const struct sl_setting *next_wall(const struct sl_cluster *cluster, uint32_t *at)
{
	while (*at < cluster->setting_count)
		if (is_wall(&cluster->setting[(*at)++]))
			return &cluster->setting[*at - 1];
	return NULL;
}

/* MaxWall of QOS and accounts, in the order of the files. */
static bool other_walls(const struct sl_cluster *a, const struct sl_cluster *b)
{
	for (uint32_t x = 0, y = 0;;) {
		const struct sl_setting *one = next_wall(a, &x);
		const struct sl_setting *other = next_wall(b, &y);
		if (!one || !other)
			return one != other;
		if (strcmp(one->kind, other->kind) != 0 || strcmp(one->name, other->name) != 0 ||
			strcmp(one->value, other->value) != 0)
			return true;
	}
}

bool limits_touched(const struct replica *replica, const struct scenario *base, const struct scenario *is)
{
	return sets_limit(replica) || other_times(&base->cluster, &is->cluster) ||
	       other_walls(&base->cluster, &is->cluster);
}
