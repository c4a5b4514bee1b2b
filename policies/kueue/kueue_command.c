/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_command.c - what an operator changes at a time (replay.commands):
 *
 *   kubectl patch clusterqueue NAME stopPolicy=None|Hold|HoldAndDrain
 *   kubectl patch clusterqueue NAME FLAVOR/RESOURCE [nominalQuota=N] [borrowingLimit=N] [lendingLimit=N]
 *   kubectl patch localqueue NAMESPACE/NAME stopPolicy=None|Hold|HoldAndDrain
 *   kubectl patch multikueuecluster NAME connected=True|False
 *
 * "none" removes a limit. Pending workloads of the queue's cohort tree are looked at again, and those that
 * hold its quota.
 */
#include "policies/kueue/kueue.h"

#include <string.h>

enum { WORDS_MAX = 8 };

struct kueue_command {
	sl_time at;
	bool of_local;
	bool of_cluster, connected;
	uint32_t row; /* The ClusterQueue's node, the LocalQueue, or the worker cluster. */
	int stop;     /* enum kq_stop; -1: stays. */
	struct kq_quota *quota;
	int64_t nominal, borrowing, lending; /* SL_NONE: stays. */
};

static int bad(const struct sl_command *from, struct sl_err *err)
{
	return sl_fail_at(err, &from->where,
		"'%.200s' is no command that policy 'kueue' knows: write kubectl patch clusterqueue NAME "
		"stopPolicy=None|Hold|HoldAndDrain, or kubectl patch clusterqueue NAME FLAVOR/RESOURCE nominalQuota=N "
		"borrowingLimit=N lendingLimit=N, or kubectl patch localqueue NAMESPACE/NAME stopPolicy=..., or kubectl "
		"patch multikueuecluster NAME connected=True|False",
		from->text);
}

/* The value behind "key="; NULL: another word. */
static const char *kueue_command_value_of(const char *word, const char *key)
{
	const size_t len = strlen(key);
	return strncmp(word, key, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}

static bool take_stop(const char *word, struct kueue_command *command)
{
	static const char *const words[] = { "None", "Hold", "HoldAndDrain" };
	const char *value = kueue_command_value_of(word, "stopPolicy");
	for (int i = 0; value && i < 3; i++)
		if (strcmp(value, words[i]) == 0)
			command->stop = i;
	return value && command->stop >= 0;
}

static bool take_amount(const char *word, const char *resource, struct kueue_command *command)
{
	static const char *const keys[] = { "nominalQuota", "borrowingLimit", "lendingLimit" };
	int64_t *const to[] = { &command->nominal, &command->borrowing, &command->lending };
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const char *value = kueue_command_value_of(word, keys[i]);
		if (!value)
			continue;
		if (i && strcmp(value, "none") == 0) {
			*to[i] = KQ_NO_LIMIT;
			return true;
		}
		return sl_get_amount(resource, value, strlen(value), to[i]) && *to[i] >= 0;
	}
	return false;
}

/* The rules see quotas as const; the policy that made them changes them here. */
static struct kq_quota *quota_of(const struct kq *kq, uint32_t node, const char *flavor, const char *resource)
{
	for (uint32_t g = 0; g < kq->node[node].group_count; g++) {
		const struct kq_group *group = &kq->node[node].group[g];
		for (uint32_t f = 0; f < group->flavor_count; f++)
			for (uint32_t q = 0; q < group->flavor[f].count; q++)
				if (strcmp(kq->flavor[group->flavor[f].flavor].name, flavor) == 0 &&
					strcmp(kq->resource[group->flavor[f].quota[q].resource], resource) ==
						0)
					/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
					return (struct kq_quota *)(uintptr_t)&group->flavor[f].quota[q];
	}
	return NULL;
}

static int read_quota(struct kueue *k, const struct sl_command *from, const char *const *word, uint32_t count,
	struct kueue_command *command, struct sl_err *err)
{
	const char *slash = strchr(word[4], '/');
	char *flavor = slash ? sl_strdup(k->arena, word[4], (size_t)(slash - word[4])) : NULL;
	if (!flavor || count < 6)
		return bad(from, err);
	command->quota = quota_of(k->kq, command->row, flavor, slash + 1);
	if (!command->quota)
		return sl_fail_at(err, &from->where,
			"the ClusterQueue '%s' has no quota of '%s' for the flavor '%s'", word[3], slash + 1,
			flavor);
	for (uint32_t i = 5; i < count; i++)
		if (!take_amount(word[i], slash + 1, command))
			return bad(from, err);
	return SL_OK;
}

static int read_command(
	struct kueue *k, const struct sl_command *from, struct kueue_command *command, struct sl_err *err)
{
	const char *word[WORDS_MAX];
	const uint32_t count = sl_words(k->arena, from->text, word, WORDS_MAX);
	*command = (struct kueue_command){
		.at = from->at, .stop = -1, .nominal = SL_NONE, .borrowing = SL_NONE, .lending = SL_NONE
	};
	if (count < 5 || strcmp(word[0], "kubectl") != 0 || strcmp(word[1], "patch") != 0)
		return bad(from, err);
	if (strcmp(word[2], "localqueue") == 0) {
		const char *slash = strchr(word[3], '/');
		const char *namespace =
			slash ? sl_strdup(k->arena, word[3], (size_t)(slash - word[3])) : NULL;
		command->of_local = true;
		command->row = namespace ? kq_find_local(k->kq, namespace, slash + 1) : KQ_NO;
	} else if (strcmp(word[2], "multikueuecluster") == 0) {
		command->of_cluster = true;
		command->connected = strcmp(word[4], "connected=True") == 0;
		command->row = kueue_multi_find(k, word[3]);
	} else if (strcmp(word[2], "clusterqueue") == 0)
		command->row = kq_find_queue(k->kq, word[3]);
	else
		return bad(from, err);
	if (command->row == KQ_NO)
		return sl_fail_at(err, &from->where, "there is no %s '%s'", word[2], word[3]);
	if (command->of_cluster)
		return count == 5 && (command->connected || strcmp(word[4], "connected=False") == 0)
			       ? SL_OK
			       : bad(from, err);
	if (count == 5 && take_stop(word[4], command))
		return SL_OK;
	return command->of_local ? bad(from, err) : read_quota(k, from, word, count, command, err);
}

int kueue_commands_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	int status = SL_OK;
	k->command = sl_alloc(k->arena, setup->command_count + 1, sizeof(*k->command));
	if (!k->command)
		return sl_fail_memory(err);
	for (size_t i = 0; i < setup->command_count && !status; i++) {
		status = read_command(k, &setup->command[i], &k->command[k->command_count++], err);
		if (!status) {
			k->now = setup->command[i].at < k->now ? setup->command[i].at : k->now;
			kueue_due(k, setup->command[i].at, KUEUE_DUE_COMMAND, UINT32_MAX);
		}
	}
	return status;
}

static void change(int64_t *to, int64_t value)
{
	if (value != SL_NONE)
		*to = value;
}

/* Who waits in it leaves its ClusterQueue, or comes back. */
static void stop_local(struct kueue *k, uint32_t local, enum kq_stop stop)
{
	struct kq *kq = k->kq;
	kq->local[local].stop = stop;
	for (uint32_t i = 0; i < kq->workload_count; i++)
		if (kq->workload[i].local == local && !kq->workload[i].gone)
			kq_queue_update(kq, i);
}

static void do_command(struct kueue *k, const struct kueue_command *command)
{
	struct kq *kq = k->kq;
	if (command->of_cluster) {
		kueue_multi_lost(k, command->row, !command->connected);
		return;
	}
	const uint32_t node = command->of_local ? kq->local[command->row].queue : command->row;
	if (command->stop >= 0 && command->of_local)
		stop_local(k, command->row, (enum kq_stop)command->stop);
	else if (command->stop >= 0)
		kq->node[command->row].stop = (enum kq_stop)command->stop;
	if (command->quota) {
		change(&command->quota->nominal, command->nominal);
		change(&command->quota->borrowing, command->borrowing);
		change(&command->quota->lending, command->lending);
	}
	(void)kq_seal(kq);
	if (node != KQ_NO)
		kq_queue_notify(kq, node);
}

void kueue_commands_run(struct kueue *k)
{
	while (k->command_done < k->command_count && k->command[k->command_done].at <= k->now)
		do_command(k, &k->command[k->command_done++]);
	for (uint32_t row = 0; row < k->jobs->count; row++)
		kueue_reconcile(k, row);
	kueue_news(k);
	kueue_changed(k);
}
