/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_words.c - words of lists in slurm.conf that Slurm has and that nothing here follows: each is said by
 * itself, as SelectTypeParameters.LL_SHARED_GRES, beside what is said of its key.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

static const struct {
	const char *key, *word, *instead;
} words[] = {
	{ "SelectTypeParameters", "ENFORCE_BINDING_GRES", "cores near devices are preferred, not enforced" },
	{ "SelectTypeParameters", "MULTIPLE_SHARING_GRES_PJ", "shares of a job are where they fit" },
	{ "SelectTypeParameters", "ONE_TASK_PER_SHARING_GRES", "tasks may share a device" },
	{ "SelectTypeParameters", "CR_Pack_Nodes", "does not move a start: steps alone are packed" },
	{ "PreemptParameters", "suspend_grace_time", "a suspended job stands at once" },
	{ "PreemptParameters", "send_user_signal", "a preempted job runs on until its grace time is over" },
	{ "TopologyParam", "BlockAsNodeRank", "with topology/block nodes are always in the order of blocks" },
	{ "TopologyParam", "Dragonfly", "switches are taken as a tree" },
	{ "TopologyParam", "TopoMaxSizeUnroll", "a range of nodes is tried as without it" },
};

static const char *instead_of(const char *key, const char *word, size_t len)
{
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (conf_same(words[i].key, key) && strlen(words[i].word) == len &&
			strncasecmp(words[i].word, word, len) == 0)
			return words[i].instead;
	return NULL;
}

int conf_words_report(struct conf *conf, const struct conf_pair *pair)
{
	int status = SL_OK;
	size_t len;
	for (const char *at = pair->value; *at && !status; at += len + (at[len] != '\0')) {
		len = strcspn(at, ", ");
		const size_t name = strcspn(at, ",= ");
		const char *instead = instead_of(pair->key, at, name);
		if (!instead)
			continue;
		const char *key = conf_printf(&conf->mem, "%s.%.*s", pair->key, (int)name, at);
		if (!key)
			return sl_fail_memory(conf->err);
		status = conf_report_other(conf, &(struct sl_setting){ .kind = "cluster",
							 .name = "",
							 .key = key,
							 .value = "",
							 .at = conf_at(pair),
							 .coverage = SL_IGNORED,
							 .note = instead });
	}
	return status;
}
