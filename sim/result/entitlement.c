/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entitlement.c - what accounts and users were entitled to, where it is configured: shares in the cluster's
 * accounts (Slurm's, normalised through their tree: an account's share among its siblings, of what its parent
 * has), the quotas of a policy, the weights of its share holders, or what the policy reported as the run was
 * over: metrics "entitled{account=NAME}", of the whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/plugin.h"

enum { DEPTH_MAX = 64 };

/* Of whom, and where the answer goes: by number of the name, of the whole; negative: not configured. */
struct asked {
	const struct sl_document_run *reported;
	const char *by; /* "account" */
	const char *const *name;
	uint32_t count;
	double *share;
};

/* ---- Slurm's accounts -------------------------------------------------------------------------------- */

/* name: "physics", or "physics/anna" (and perhaps "/debug") of a user. */
struct association {
	const char *name, *parent;
	struct association *up; /* NULL: at the root. */
	double shares, below;   /* Its own, of its siblings'; those of its children in sum. */
};

struct tree {
	struct association *all; /* By name. */
	size_t count;
	double below; /* The root. */
};

/* Names without case, as Slurm has them; the first `length` bytes against the whole of the other. */
static int by_part(const char *part, size_t length, const char *name)
{
	const int order = strncasecmp(part, name, length);
	return order ? order : -(name[length] != '\0');
}

static struct association *entitlement_find(const struct tree *tree, const char *name, size_t length)
{
	for (size_t low = 0, high = tree->count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		const int order = by_part(name, length, tree->all[middle].name);
		if (!order)
			return &tree->all[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Of its parent's: an account below another, a user below its account; NULL: at the root. */
static struct association *parent_of(const struct tree *tree, const struct association *child)
{
	const char *slash = strchr(child->name, '/');
	const char *name = slash ? child->name : child->parent;
	if (!name)
		return NULL;
	return entitlement_find(tree, name, slash ? (size_t)(slash - name) : strlen(name));
}

static void take_setting(struct association *association, const struct sl_setting *setting)
{
	static const char *const keys[] = { "Share", "Shares", "RawShares", "Fairshare" };
	int64_t shares;
	if (strcasecmp(setting->key, "ParentName") == 0)
		association->parent = setting->value;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (strcasecmp(setting->key, keys[i]) == 0 &&
			sl_get_i64(setting->value, strlen(setting->value), &shares) && shares >= 0)
			association->shares = (double)shares;
}

static bool is_association(const struct sl_setting *setting)
{
	return strcasecmp(setting->kind, "association") == 0 && *setting->name;
}

static int entitlement_by_name(const void *a, const void *b)
{
	const struct association *x = a;
	const struct association *y = b;
	return strcasecmp(x->name, y->name);
}

/* False: not configured. */
static bool entitlement_gather(const struct asked *asked, struct tree *tree, bool *failed)
{
	const struct sl_cluster *cluster = asked->reported->result->cluster;
	const uint32_t settings = cluster && cluster->node_count ? cluster->setting_count : 0;
	size_t count = 0;
	tree->all = calloc((size_t)settings + 1, sizeof(*tree->all));
	*failed = !tree->all;
	for (uint32_t i = 0; tree->all && i < settings; i++)
		if (is_association(&cluster->setting[i]))
			tree->all[count++] =
				(struct association){ .name = cluster->setting[i].name, .shares = 1 };
	if (!count)
		return false;
	qsort(tree->all, count, sizeof(*tree->all), entitlement_by_name);
	for (size_t i = 0; i < count; i++) /* Each name once. */
		if (!i || entitlement_by_name(&tree->all[tree->count - 1], &tree->all[i]) != 0)
			tree->all[tree->count++] = tree->all[i];
	for (uint32_t i = 0; i < settings; i++)
		if (is_association(&cluster->setting[i])) {
			const char *name = cluster->setting[i].name;
			take_setting(entitlement_find(tree, name, strlen(name)), &cluster->setting[i]);
		}
	return true;
}

static bool is_root(const struct association *association)
{
	return strcasecmp(association->name, "root") == 0;
}

static void entitlement_grow(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct association *child = &tree->all[i];
		struct association *up = parent_of(tree, child);
		child->up = up && !is_root(up) ? up : NULL;
		if (!is_root(child))
			*(child->up ? &child->up->below : &tree->below) += child->shares;
	}
}

/* Of the whole. */
static double normal(const struct tree *tree, const struct association *of)
{
	double share = is_root(of) ? 0 : 1;
	for (unsigned depth = 0; of && depth < DEPTH_MAX; of = of->up, depth++) {
		const double siblings = of->up ? of->up->below : tree->below;
		share *= siblings > 0 ? of->shares / siblings : 0;
	}
	return share;
}

/* One that is asked about, to be found by name. */
struct share_holder {
	const char *name;
	uint32_t number;
};

static int by_share_holder(const void *a, const void *b)
{
	const struct share_holder *x = a;
	const struct share_holder *y = b;
	const int order = strcasecmp(x->name, y->name);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* All of that name, in whatever case. */
static void give(const struct share_holder *share_holder, uint32_t count, const char *name, size_t length,
	double more, double *share)
{
	uint32_t low = 0;
	for (uint32_t high = count; low < high;) {
		const uint32_t middle = low + (high - low) / 2;
		if (by_part(name, length, share_holder[middle].name) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && by_part(name, length, share_holder[low].name) == 0; low++) {
		double *mine = &share[share_holder[low].number];
		*mine = (*mine < 0 ? 0 : *mine) + more;
	}
}

/* A user's is that of all its accounts together. */
static bool by_accounts(const struct asked *asked, bool *failed)
{
	struct tree tree = { 0 };
	const bool users = strcmp(asked->by, "user") == 0;
	if (!users && strcmp(asked->by, "account") != 0)
		return false;
	struct share_holder *share_holder = calloc((size_t)asked->count + 1, sizeof(*share_holder));
	const bool reported = entitlement_gather(asked, &tree, failed) && share_holder;
	*failed = *failed || !share_holder;
	for (uint32_t i = 0; reported && i < asked->count; i++)
		share_holder[i] = (struct share_holder){ asked->name[i], i };
	if (reported)
		qsort(share_holder, asked->count, sizeof(*share_holder), by_share_holder);
	entitlement_grow(&tree);
	for (size_t i = 0; reported && i < tree.count; i++) {
		const char *name = tree.all[i].name;
		const char *slash = strchr(name, '/');
		const double share = normal(&tree, &tree.all[i]);
		if (users && slash)
			give(share_holder, asked->count, slash + 1, strcspn(slash + 1, "/"), share,
				asked->share);
		else if (!users && !slash)
			give(share_holder, asked->count, name, strlen(name), share, asked->share);
	}
	free(share_holder);
	free(tree.all);
	return reported;
}

/* ---- A policy's share holders
 * ----------------------------------------------------------------------------------
 */

static const char *fact_of(const struct asked *asked, const char *key)
{
	for (size_t i = 0; i < asked->reported->fact_count; i++)
		if (strcmp(asked->reported->fact[i].key, key) == 0)
			return asked->reported->fact[i].value;
	return "";
}

/* What "NAME=NUMBER,...,*=NUMBER" says of that name; otherwise as nobody is named. */
static double amount_in(const char *text, const char *name, double otherwise)
{
	double rest = otherwise;
	while (*text) {
		const size_t length = strcspn(text, ",");
		const char *sign = memrchr(text, '=', length);
		int64_t micro;
		if (sign && sl_get_micro(sign + 1, (size_t)(text + length - sign - 1), &micro)) {
			const size_t named = (size_t)(sign - text);
			if (strlen(name) == named && memcmp(text, name, named) == 0)
				return (double)micro / 1e6;
			if (named == 1 && *text == '*')
				rest = (double)micro / 1e6;
		}
		text += length + (text[length] == ',');
	}
	return rest;
}

static void by_quotas(const struct asked *asked)
{
	const struct sl_result *result = asked->reported->result;
	const struct sl_cluster *cluster = result->cluster;
	const char *text = fact_of(asked, "policy.quotas");
	const double capacity =
		cluster && cluster->gpus
			? (double)cluster->gpus / (double)sl_parts(cluster->gpu_parts)
			: (double)result->cpus / (double)sl_parts(cluster ? cluster->cpu_parts : 1);
	for (uint32_t i = 0; i < asked->count; i++)
		asked->share[i] = strcmp(text, "equal") == 0 ? 1.0 / asked->count
							     : amount_in(text, asked->name[i], 0) / capacity;
}

static bool by_weights(const struct asked *asked)
{
	const char *text = fact_of(asked, "policy.weights");
	double sum = 0;
	for (uint32_t i = 0; i < asked->count; i++)
		sum += asked->share[i] = amount_in(text, asked->name[i], 1);
	for (uint32_t i = 0; i < asked->count; i++)
		asked->share[i] = sum > 0 ? asked->share[i] / sum : -1;
	return sum > 0;
}

static int by_metric(const void *a, const void *b)
{
	const struct sl_named *x = *(const struct sl_named *const *)a,
			      *y = *(const struct sl_named *const *)b;
	return strcmp(x->name, y->name);
}

static int by_key(const void *key, const void *one)
{
	return strcmp(key, (*(const struct sl_named *const *)one)->name);
}

/* False: it reported nothing of these. */
static bool by_reported(const struct asked *asked, bool *failed)
{
	const struct sl_result *result = asked->reported->result;
	const size_t length = strlen(asked->by);
	const struct sl_named **metric =
		malloc((result->reported_metric_count + 1) * sizeof(const struct sl_named *));
	char key[400];
	size_t count = 0;
	bool any = false;
	*failed = !metric;
	for (size_t i = 0; metric && i < result->reported_metric_count; i++) {
		const char *name = result->reported_metric[i].name;
		if (strncmp(name, "entitled{", 9) == 0 && strncmp(name + 9, asked->by, length) == 0 &&
			name[9 + length] == '=')
			metric[count++] = &result->reported_metric[i];
	}
	if (count)
		qsort(metric, count, sizeof(const struct sl_named *), by_metric);
	for (uint32_t i = 0; count && i < asked->count; i++) {
		(void)snprintf(key, sizeof(key), "entitled{%s=%.255s}", asked->by, asked->name[i]);
		const struct sl_named *const *found =
			bsearch(key, metric, count, sizeof(const struct sl_named *), by_key);
		asked->share[i] = found ? (double)(*found)->micro / 1e6 : -1;
		any |= found != NULL;
	}
	free(metric);
	return any;
}

const char *sl_entitlement(const struct sl_document_run *reported, const char *by, const char *const *name,
	uint32_t count, double *share)
{
	static const char *const fair_share[] = { "fairshare", "drf", "lottery", "stride" };
	const struct asked asked = { reported, by, name, count, share };
	bool failed = false;
	for (uint32_t i = 0; i < count; i++)
		share[i] = -1;
	if (strcmp(fact_of(&asked, "policy.by"), by) == 0) {
		if (strcmp(fact_of(&asked, "policy.plan"), "quota") == 0) {
			by_quotas(&asked);
			return "Entitled: what the policy guarantees (quotas).";
		}
		for (size_t i = 0; i < SL_LEN(fair_share); i++)
			if (strcmp(fact_of(&asked, "policy.order"), fair_share[i]) == 0)
				return by_weights(&asked)
					       ? "Entitled: in proportion to the weights of those in the trace."
					       : "";
	}
	if (by_reported(&asked, &failed))
		return "Entitled: the fair share that the policy told, on the average over time.";
	if (!failed && by_accounts(&asked, &failed))
		return "Entitled: shares of the cluster's accounts, normalised through their tree.";
	return failed ? NULL : "";
}
