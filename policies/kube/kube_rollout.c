/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_rollout.c - rolling updates of LeaderWorkerSets, by an operator's command (replay.commands):
 *
 *   kubectl rollout restart leaderworkerset NAMESPACE/NAME [ready=TIME]
 *
 * Its groups are replaced whole, the highest number first, down to the partition; no more than
 * maxUnavailable of them wait to be ready, which a group is `ready` after it has started.
 * spec.rolloutStrategy of kubernetes-sigs/lws; maxSurge is not modelled: there are no groups beyond the
 * replicas.
 */
#include "policies/kube/kube.h"

#include <string.h>

enum { WORDS_MAX = 6 };

struct rollout {
	sl_time at, ready;
	uint32_t *row; /* In the order in which they are replaced. */
	uint32_t count, next;
	int64_t unavailable; /* At most. */
};

struct kube_rollouts {
	struct rollout *at;
	uint32_t count;
	sl_time *ready; /* By job, of those that were replaced: when it is ready; SL_NEVER: it has not
			 * started; SL_NONE: it is, or was not replaced. */
};

/* ---- Commands ------------------------------------------------------------------------------------------ */

static int bad(const struct sl_command *from, struct sl_err *err)
{
	return sl_fail_at(err, &from->where,
		"'%.200s' is no command that policy 'kube' knows: write kubectl rollout restart leaderworkerset "
		"NAMESPACE/NAME, and ready=TIME behind it if a group takes that long",
		from->text);
}

/* Its number, if it is a group of that set; -1. */
static int64_t kube_rollout_group_of(const struct kube *k, uint32_t job, const char *set)
{
	const char *id = k->jobs->id_name ? k->jobs->id_name[job] : NULL;
	const uint32_t more = k->jobs->more_of ? k->jobs->more_of[job] : 0;
	const char *manifest = more ? k->jobs->more[more].manifest : NULL;
	const size_t len = strlen(set);
	int64_t number = -1;
	if (!id || !manifest || strncmp(id, set, len) != 0 || id[len] != '-' ||
		!strstr(manifest, "\"LeaderWorkerSet\"") ||
		!sl_get_i64(id + len + 1, strlen(id + len + 1), &number))
		return -1;
	return number;
}

/* A number, or percents of the groups, rounded down; at least 1. */
static int64_t unavailable_of(const char *text, int64_t groups)
{
	int64_t value = 1;
	const size_t len = text ? strlen(text) : 0;
	if (len && text[len - 1] == '%' && sl_get_i64(text, len - 1, &value))
		value = value < 0 || value > 100 ? 1 : groups * value / 100;
	else if (len && !sl_get_i64(text, len, &value))
		value = 1;
	return value < 1 ? 1 : value;
}

static void sort_in(struct kube *k, struct rollout *rollout, uint32_t job, const char *set)
{
	uint32_t at = rollout->count++;
	for (; at && kube_rollout_group_of(k, rollout->row[at - 1], set) < kube_rollout_group_of(k, job, set);
		at--)
		rollout->row[at] = rollout->row[at - 1];
	rollout->row[at] = job;
}

/* By the manifest of any of them. */
static int take_strategy(struct kube *k, struct rollout *rollout, const char *set, struct sl_err *err)
{
	static const char path[] = "spec.rolloutStrategy.rollingUpdateConfiguration";
	const struct sl_pods *pods = sl_pods_of(k->arena, k->jobs, k->cluster, rollout->row[0], err);
	if (!pods)
		return err->status;
	const struct sl_doc_node *map = sl_doc_at(pods->doc, &pods->doc->node[0], path);
	const char *partition = map ? kube_text(pods->doc, map, "partition") : NULL;
	int64_t least = 0;
	if (partition && !sl_get_i64(partition, strlen(partition), &least))
		least = 0;
	rollout->unavailable =
		unavailable_of(map ? kube_text(pods->doc, map, "maxUnavailable") : NULL, rollout->count);
	while (rollout->count && kube_rollout_group_of(k, rollout->row[rollout->count - 1], set) < least)
		rollout->count--;
	return SL_OK;
}

static int read_command(
	struct kube *k, const struct sl_command *from, struct rollout *rollout, struct sl_err *err)
{
	static const char *const words[] = { "kubectl", "rollout", "restart", "leaderworkerset" };
	const char *word[WORDS_MAX];
	const uint32_t count = sl_words(k->arena, from->text, word, WORDS_MAX);
	bool good = count == 5 || count == 6;
	for (size_t i = 0; good && i < SL_LEN(words); i++)
		good = strcmp(word[i], words[i]) == 0;
	if (good && count == 6)
		good = strncmp(word[5], "ready=", 6) == 0 &&
		       sl_get_duration(word[5] + 6, strlen(word[5] + 6), &rollout->ready) &&
		       rollout->ready >= 0;
	if (!good)
		return bad(from, err);
	rollout->at = from->at;
	for (uint32_t job = 0; job < k->jobs->count; job++)
		rollout->count += kube_rollout_group_of(k, job, word[4]) >= 0;
	rollout->row = sl_alloc(k->arena, (size_t)rollout->count + 1, sizeof(*rollout->row));
	if (!rollout->row)
		return sl_fail_memory(err);
	if (!rollout->count)
		return sl_fail_at(err, &from->where, "there is no LeaderWorkerSet '%s' with groups", word[4]);
	rollout->count = 0;
	for (uint32_t job = 0; job < k->jobs->count; job++)
		if (kube_rollout_group_of(k, job, word[4]) >= 0)
			sort_in(k, rollout, job, word[4]);
	return take_strategy(k, rollout, word[4], err);
}

int kube_rollouts_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err)
{
	struct kube_rollouts *rollouts = sl_alloc(k->arena, 1, sizeof(*rollouts));
	if (!setup->command_count)
		return SL_OK;
	if (!rollouts)
		return sl_fail_memory(err);
	rollouts->at = sl_alloc(k->arena, setup->command_count, sizeof(*rollouts->at));
	rollouts->ready = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*rollouts->ready));
	if (!rollouts->at || !rollouts->ready)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < k->jobs->count; job++)
		rollouts->ready[job] = SL_NONE;
	k->rollouts = rollouts;
	int status = SL_OK;
	for (size_t i = 0; i < setup->command_count && !status; i++)
		status = read_command(k, &setup->command[i], &rollouts->at[rollouts->count++], err);
	return status;
}

/* ---- While they go on ---------------------------------------------------------------------------------- */

static const struct rollout *rollout_of(const struct kube_rollouts *rollouts, uint32_t job)
{
	for (uint32_t i = rollouts->count; i-- > 0;) /* The latest that has begun with it. */
		for (uint32_t j = 0; j < rollouts->at[i].next; j++)
			if (rollouts->at[i].row[j] == job)
				return &rollouts->at[i];
	return NULL;
}

void kube_rollout_started(struct kube *k, uint32_t job)
{
	struct kube_rollouts *rollouts = k->rollouts;
	if (!rollouts || rollouts->ready[job] == SL_NONE)
		return;
	const struct rollout *rollout = rollout_of(rollouts, job);
	rollouts->ready[job] = k->now + (rollout ? rollout->ready : 0);
}

/* Not ready by now; a group that is gone for good delays none. */
static bool is_unready(const struct kube *k, uint32_t job)
{
	const sl_time ready = k->rollouts->ready[job];
	return k->job[job].there && ready != SL_NONE && ready > k->now;
}

static uint32_t kube_rollout_take(struct kube *k, struct rollout *rollout)
{
	int64_t unready = 0;
	for (uint32_t i = 0; i < rollout->next; i++)
		unready += is_unready(k, rollout->row[i]);
	while (rollout->at <= k->now && rollout->next < rollout->count && unready < rollout->unavailable) {
		const uint32_t job = rollout->row[rollout->next++];
		if (!k->job[job].there) /* It ended, or has not come yet. */
			continue;
		k->rollouts->ready[job] = SL_NEVER;
		return job;
	}
	return KUBE_NO;
}

uint32_t kube_rollout_next(struct kube *k, sl_time now)
{
	k->now = now;
	for (uint32_t i = 0; k->rollouts && i < k->rollouts->count; i++) {
		const uint32_t job = kube_rollout_take(k, &k->rollouts->at[i]);
		if (job != KUBE_NO)
			return job;
	}
	return KUBE_NO;
}

sl_time kube_rollout_due(const struct kube *k)
{
	sl_time due = SL_NEVER;
	for (uint32_t i = 0; k->rollouts && i < k->rollouts->count; i++) {
		const struct rollout *rollout = &k->rollouts->at[i];
		if (rollout->next == rollout->count)
			continue;
		if (rollout->at > k->now && rollout->at < due)
			due = rollout->at;
		for (uint32_t j = 0; j < rollout->next; j++) {
			const sl_time ready = k->rollouts->ready[rollout->row[j]];
			if (is_unready(k, rollout->row[j]) && ready < due)
				due = ready;
		}
	}
	return due;
}
