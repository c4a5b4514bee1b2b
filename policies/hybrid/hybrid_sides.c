/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid_sides.c - the side of each job, and of each node at the beginning.
 *
 * A job with a manifest, a namespace or a queue is Kubernetes', as is one of the partitions, accounts and
 * users that are named; all others are Slurm's. Nodes: those that are listed, for one side or both; without a
 * list those with a Node object are Kubernetes', all others Slurm's.
 */
#include "policies/hybrid/hybrid.h"

#include <string.h>

/* ---- Jobs ------------------------------------------------------------------------------------ */

static bool has_word(const char *list, const char *word, size_t len)
{
	for (const char *at = list; at && *at; at += strspn(at, ", ")) {
		const size_t one = strcspn(at, ", ");
		if (one == len && memcmp(at, word, len) == 0)
			return true;
		at += one;
	}
	return false;
}

/* Its user, account or partition by name, or by its bare number. */
static bool is_listed(const char *list, const int32_t *column, const char *const *name, uint32_t row)
{
	char number[32];
	if (!list || column[row] < 0)
		return false;
	if (name)
		return has_word(list, name[column[row]], strlen(name[column[row]]));
	return has_word(list, number, (size_t)(sl_put_i64(number, column[row]) - number));
}

static bool is_of_kube(const struct sl_jobs *jobs, const struct hybrid_rules *rules, uint32_t row)
{
	const struct sl_job_attributes *more =
		jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
	if (more && (more->manifest || more->namespace || more->queue))
		return true;
	return is_listed(rules->partitions, jobs->partition, jobs->partition_name, row) ||
	       is_listed(rules->accounts, jobs->account, jobs->account_name, row) ||
	       is_listed(rules->users, jobs->user, jobs->user_name, row);
}

int hybrid_sides_jobs(struct hybrid *h, const struct hybrid_rules *rules, struct sl_err *err)
{
	(void)err;
	for (uint32_t row = 0; row < h->jobs->count; row++) {
		const bool of_kube = is_of_kube(h->jobs, rules, row);
		h->side[row] = of_kube ? HYBRID_KUBE : HYBRID_SLURM;
		h->foreign[row] = of_kube;
		h->native[row] = !of_kube;
	}
	return SL_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

enum { OF_SLURM = 1, OF_KUBE = 2 };

struct listing {
	struct hybrid *h;
	uint8_t bit;
	const char *key;
	struct sl_err *err;
};

static int each_host(void *self, const char *name, size_t len)
{
	const struct listing *listing = self;
	struct hybrid *h = listing->h;
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const char *its = h->cluster->node_name[n];
		if (strncmp(its, name, len) != 0 || its[len])
			continue;
		h->node[n].home |= listing->bit;
		return SL_OK;
	}
	return sl_fail(listing->err, SL_USAGE, "policy 'hybrid': %s: the cluster has no node '%.*s'",
		listing->key, (int)len, name);
}

static int take_list(struct hybrid *h, const char *text, uint8_t bit, const char *key, struct sl_err *err)
{
	struct listing listing = { h, bit, key, err };
	return text ? sl_hosts_each(text, strlen(text), NULL, err, each_host, &listing) : SL_OK;
}

/* A node at a time over all objects: as many comparisons as there are of both. Sorting would be quicker for
 * ten thousands of nodes, and is not worth it once a run. */
static bool has_object(const struct sl_cluster *cluster, uint32_t node)
{
	for (uint32_t i = 0; i < cluster->object_count; i++)
		if (strcmp(cluster->object[i].kind, "Node") == 0 &&
			strcmp(cluster->object[i].name, cluster->node_name[node]) == 0)
			return true;
	return false;
}

static int hybrid_sides_settle(
	struct hybrid *h, uint32_t n, const struct hybrid_rules *rules, struct sl_err *err)
{
	struct hybrid_node *node = &h->node[n];
	const bool both = rules->slurm_nodes && rules->kube_nodes;
	if (node->home == (OF_SLURM | OF_KUBE) || (both && !node->home))
		return sl_fail(err, SL_USAGE,
			"policy 'hybrid': node '%s' is in %s slurm-nodes and kube-nodes: name it once",
			h->cluster->node_name[n], node->home ? "both" : "neither of");
	bool of_kube = node->home == OF_KUBE || (rules->slurm_nodes && !node->home);
	if (!rules->slurm_nodes && !rules->kube_nodes)
		of_kube = has_object(h->cluster, n);
	*node = (struct hybrid_node){ .owner = of_kube ? HYBRID_KUBE : HYBRID_SLURM,
		.home = of_kube ? HYBRID_KUBE : HYBRID_SLURM,
		.idle_since = SL_NONE,
		.ready = SL_NEVER,
		.kill = SL_NEVER };
	h->child[HYBRID_SLURM].unavailable[n] = of_kube;
	h->child[HYBRID_KUBE].unavailable[n] = !of_kube;
	return SL_OK;
}

int hybrid_sides_nodes(struct hybrid *h, const struct hybrid_rules *rules, struct sl_err *err)
{
	uint32_t count[HYBRID_SIDES] = { 0 };
	int status = take_list(h, rules->slurm_nodes, OF_SLURM, "slurm-nodes", err);
	if (!status)
		status = take_list(h, rules->kube_nodes, OF_KUBE, "kube-nodes", err);
	for (uint32_t n = 0; n < h->cluster->node_count && !status; n++) {
		status = hybrid_sides_settle(h, n, rules, err);
		count[h->node[n].owner]++;
	}
	if (!status && (!count[HYBRID_SLURM] || !count[HYBRID_KUBE]))
		return sl_fail(err, SL_USAGE,
			"policy 'hybrid': all nodes are %s: say which are whose, with slurm-nodes=LIST or kube-nodes=LIST",
			count[HYBRID_SLURM] ? "Slurm's" : "Kubernetes'");
	return status;
}
