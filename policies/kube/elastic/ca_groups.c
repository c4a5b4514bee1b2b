/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca_groups.c - cluster-autoscaler's node groups and flags, the loop, and the backoff of groups whose nodes
 * never came (cluster-autoscaler/clusterstate, utils/backoff/exponential_backoff.go).
 */
#include "policies/kube/elastic/ca.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MINUTE (60 * SL_SECOND)

/* ---- Groups -------------------------------------------------------------------------------------- */

struct naming {
	struct kube_scaler *s;
	struct elastic_pool *pool;
	struct sl_place at;
	struct sl_err *err;
};

static int take_name(void *self, const char *name, size_t len)
{
	struct naming *naming = self;
	struct kube_scaler *s = naming->s;
	const uint32_t node = elastic_find(s, name, len);
	if (node == KUBE_NO)
		return sl_fail_at(naming->err, &naming->at, "node '%.*s' is not in the cluster: add it there",
			(int)len, name);
	if (s->node[node].pool != KUBE_NO)
		return sl_fail_at(
			naming->err, &naming->at, "node '%s' is in two groups", s->k->node[node].name);
	s->node[node].pool = (uint32_t)(naming->pool - s->pool);
	naming->pool->node[naming->pool->nodes++] = node;
	return SL_OK;
}

/* Those of its template: the reader calls them NAME-1, NAME-2... */
static int take_template(struct kube_scaler *s, const struct sl_object *object, struct elastic_pool *pool,
	int64_t max, const struct sl_place *at, struct sl_err *err)
{
	for (int64_t i = 1; i <= max; i++) {
		char name[300];
		const int len = snprintf(name, sizeof(name), "%s-%lld", object->name, (long long)i);
		const uint32_t node = elastic_find(s, name, (size_t)len);
		if (node == KUBE_NO || !s->node[node].template)
			return sl_fail_at(err, at,
				"group '%s' has a template, whose nodes are not in the cluster: give this file as the "
				"cluster (-c), not as cluster.objects",
				object->name);
		s->node[node].pool = (uint32_t)(pool - s->pool);
		pool->node[pool->nodes++] = node;
	}
	return SL_OK;
}

static int take_nodes(struct kube_scaler *s, const struct sl_object *object, struct elastic_pool *pool,
	int64_t max, struct sl_err *err)
{
	const char *nodes = kube_text(object->doc, object->node, "spec.nodes");
	const struct sl_place place = sl_doc_place(object->doc, object->node);
	struct naming naming = { s, pool, place, err };
	pool->node = sl_alloc(s->k->arena, (size_t)s->k->nodes + 1, sizeof(*pool->node));
	if (!pool->node)
		return sl_fail_memory(err);
	if (nodes)
		return sl_hosts_each(nodes, strlen(nodes), &place, err, take_name, &naming);
	if (sl_doc_at(object->doc, object->node, "spec.template"))
		return take_template(s, object, pool, max, &place, err);
	return sl_fail_at(err, &place,
		"a NodeGroup has spec.nodes, a list of nodes (\"cloud[1-20]\"), or spec.template, one node");
}

static int take_amounts(
	struct kube_scaler *s, struct ca_group *group, const struct sl_object *object, struct sl_err *err)
{
	struct elastic_pool *pool = &s->pool[group->pool];
	const struct {
		const char *path;
		int64_t *value;
	} number[] = { { "spec.min", &group->min }, { "spec.max", &group->max },
		{ "spec.size", &group->size }, { "spec.available", &group->available },
		{ "spec.priority", &group->priority } };
	int status = SL_OK;
	*group = (struct ca_group){ .pool = group->pool,
		.max = -1,
		.size = -1,
		.available = INT64_MAX,
		.threshold = -1,
		.unneeded = SL_NONE,
		.failed = SL_NONE };
	for (size_t i = 0; i < SL_LEN(number) && !status; i++)
		status = kube_int(object->doc, object->node, number[i].path, number[i].value, err);
	if (!status)
		status = elastic_provisioning(object, &pool->provisioning, err);
	if (!status)
		status = elastic_time(object, "spec.scaleDownAfter", false, &group->unneeded, err);
	if (!status)
		status = elastic_micro(object, "spec.price", &group->price, err);
	return status ? status
		      : elastic_micro(object, "spec.scaleDownUtilizationThreshold", &group->threshold, err);
}

static int take_group(struct kube_scaler *s, const struct sl_object *object, struct sl_err *err)
{
	struct ca_group *group = &s->ca->group[s->ca->groups++];
	const struct sl_place place = sl_doc_place(object->doc, object->node);
	group->pool = s->pools;
	struct elastic_pool *pool = &s->pool[s->pools++];
	*pool = (struct elastic_pool){ .name = object->name };
	int status = elastic_spec(object, err);
	if (!status)
		status = take_amounts(s, group, object, err);
	if (!status)
		status = elastic_currency(s, object, err);
	if (!status)
		status = take_nodes(s, object, pool, group->max, err);
	if (status)
		return status;
	group->max = group->max < 0 ? pool->nodes : group->max;
	group->size = group->size < 0 ? group->min : group->size;
	if (group->min < 0 || group->min > group->max || group->max > pool->nodes ||
		group->size > group->max || group->available < 0)
		return sl_fail_at(err, &place,
			"group '%s' has %u nodes: 0 <= min <= max <= that, and size <= max, does not hold",
			object->name, pool->nodes);
	for (uint32_t i = 0; i < pool->nodes; i++) {
		const bool there = i < group->size;
		s->node[pool->node[i]].state = there ? ELASTIC_THERE : ELASTIC_ABSENT;
		s->node[pool->node[i]].price = group->price;
		s->k->node[pool->node[i]].there = there;
	}
	pool->there = (uint32_t)group->size;
	return SL_OK;
}

uint32_t ca_free_slot(const struct kube_scaler *s, const struct ca_group *group, uint32_t from)
{
	const struct elastic_pool *pool = &s->pool[group->pool];
	for (uint32_t i = from; i < pool->nodes; i++)
		if (s->node[pool->node[i]].state == ELASTIC_ABSENT && s->k->node[pool->node[i]].up &&
			!s->k->node[pool->node[i]].there)
			return i;
	return KUBE_NO;
}

const struct ca_group *ca_group_of(const struct kube_scaler *s, uint32_t node)
{
	const uint32_t pool = s->node[node].pool;
	for (uint32_t i = 0; pool != KUBE_NO && i < s->ca->groups; i++)
		if (s->ca->group[i].pool == pool)
			return &s->ca->group[i];
	return NULL;
}

/* ---- Flags --------------------------------------------------------------------------------------- */

/* --nodes=MIN:MAX:NAME */
static int take_nodes_flag(void *self, const char *text, const struct sl_place *at, struct sl_err *err)
{
	struct kube_scaler *s = self;
	const size_t first = strcspn(text, ":");
	const size_t second = text[first] ? first + 1 + strcspn(text + first + 1, ":") : first;
	int64_t min, max;
	if (!text[second] || !sl_get_i64(text, first, &min) ||
		!sl_get_i64(text + first + 1, second - first - 1, &max))
		return sl_fail_at(err, at, "--nodes is MIN:MAX:NAME, not '%.80s'", text);
	for (uint32_t i = 0; i < s->ca->groups; i++) {
		struct ca_group *group = &s->ca->group[i];
		if (strcmp(s->pool[group->pool].name, text + second + 1) != 0)
			continue;
		if (min < 0 || min > max || max > s->pool[group->pool].nodes)
			return sl_fail_at(err, at,
				"--nodes: group '%s' has %u nodes: 0 <= MIN <= MAX <= that does not hold",
				s->pool[group->pool].name, s->pool[group->pool].nodes);
		group->min = min;
		group->max = max;
		return SL_OK;
	}
	return sl_fail_at(err, at, "--nodes: there is no NodeGroup '%.80s'", text + second + 1);
}

/* Defaults are those of cluster-autoscaler/config/flags/flags.go. */
static int take_flags(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err)
{
	struct ca_flags *f = &s->ca->flags;
	*f = (struct ca_flags){ .scan_interval = 10 * SL_SECOND,
		.max_provision = 15 * MINUTE,
		.recheck = 5 * MINUTE,
		.delete_delay = 5 * SL_SECOND,
		.unneeded = 10 * MINUTE,
		.unready = 20 * MINUTE,
		.after_add = 10 * MINUTE,
		.after_failure = 3 * MINUTE,
		.backoff_initial = 5 * MINUTE,
		.backoff_max = 30 * MINUTE,
		.backoff_reset = 180 * MINUTE,
		.threshold = ELASTIC_MILLION / 2,
		.gpu_threshold = ELASTIC_MILLION / 2,
		.enabled = 1,
		.unready_enabled = 1,
		.system_pods = 1,
		.local_storage = 1,
		.parallelism = 10,
		.empty_bulk = 10,
		.drain_parallelism = 1,
		.per_scaleup = 1000,
		.cutoff = -10,
		.expander = "least-waste" };
	const struct elastic_flag flag[] = { { "scan-interval", ELASTIC_TIME, &f->scan_interval, NULL },
		{ "max-node-provision-time", ELASTIC_TIME, &f->max_provision, NULL },
		{ "new-pod-scale-up-delay", ELASTIC_TIME, &f->new_pod_delay, NULL },
		{ "unremovable-node-recheck-timeout", ELASTIC_TIME, &f->recheck, NULL },
		{ "node-delete-delay-after-taint", ELASTIC_TIME, &f->delete_delay, NULL },
		{ "scale-down-unneeded-time", ELASTIC_TIME, &f->unneeded, NULL },
		{ "scale-down-unready-time", ELASTIC_TIME, &f->unready, NULL },
		{ "scale-down-delay-after-add", ELASTIC_TIME, &f->after_add, NULL },
		{ "scale-down-delay-after-delete", ELASTIC_TIME, &f->after_delete, NULL },
		{ "scale-down-delay-after-failure", ELASTIC_TIME, &f->after_failure, NULL },
		{ "initial-node-group-backoff-duration", ELASTIC_TIME, &f->backoff_initial, NULL },
		{ "max-node-group-backoff-duration", ELASTIC_TIME, &f->backoff_max, NULL },
		{ "node-group-backoff-reset-timeout", ELASTIC_TIME, &f->backoff_reset, NULL },
		{ "scale-down-utilization-threshold", ELASTIC_SHARE, &f->threshold, NULL },
		{ "scale-down-gpu-utilization-threshold", ELASTIC_SHARE, &f->gpu_threshold, NULL },
		{ "scale-down-enabled", ELASTIC_BOOL, &f->enabled, NULL },
		{ "scale-down-unready-enabled", ELASTIC_BOOL, &f->unready_enabled, NULL },
		{ "skip-nodes-with-system-pods", ELASTIC_BOOL, &f->system_pods, NULL },
		{ "skip-nodes-with-local-storage", ELASTIC_BOOL, &f->local_storage, NULL },
		{ "max-scale-down-parallelism", ELASTIC_INT, &f->parallelism, NULL },
		{ "max-empty-bulk-delete", ELASTIC_INT, &f->empty_bulk, NULL },
		{ "max-drain-parallelism", ELASTIC_INT, &f->drain_parallelism, NULL },
		{ "max-nodes-total", ELASTIC_INT, &f->nodes_total, NULL },
		{ "max-nodes-per-scaleup", ELASTIC_INT, &f->per_scaleup, NULL },
		{ "expendable-pods-priority-cutoff", ELASTIC_INT, &f->cutoff, NULL },
		{ "expander", ELASTIC_WORD, NULL, &f->expander } };
	const struct sl_value *own = sl_value_of(setup->values, setup->value_count, "expander");
	int status = elastic_flags_read(
		s->k, setup, "cluster-autoscaler", flag, SL_LEN(flag), take_nodes_flag, s, err);
	if (!status && f->scan_interval <= 0)
		status = sl_fail(
			err, SL_INPUT, "flag --scan-interval of cluster-autoscaler has to be more than 0");
	return status ? status : ca_expanders_read(s->ca, own && own->text ? own->text : f->expander, err);
}

/* Groups none of whose nodes can ever come. */
static void warn(const struct kube_scaler *s, const struct sl_setup *setup)
{
	for (uint32_t g = 0; g < s->ca->groups; g++) {
		const struct ca_group *group = &s->ca->group[g];
		const struct elastic_pool *pool = &s->pool[group->pool];
		const sl_time given = s->ca->flags.max_provision;
		char text[320], takes[40], most[40];
		/* They are looked at in a loop. */
		const bool late = pool->provisioning > ca_tick(s, given > 0 ? given : 1);
		*sl_put_micro(takes, pool->provisioning) = *sl_put_micro(most, given) = '\0';
		if (group->max > group->size && group->available <= group->size)
			(void)snprintf(text, sizeof(text),
				"NodeGroup '%.60s' never grows: the cloud has none of its nodes left ('available' is %" PRId64
				")",
				pool->name, group->available);
		else if (group->max > group->size && late)
			(void)snprintf(text, sizeof(text),
				"NodeGroup '%.60s' never grows: a node of it comes after %s s ('provisioning'), and is given up "
				"after %s s (--max-node-provision-time)",
				pool->name, takes, most);
		else
			continue;
		sl_warning(setup, text);
	}
}

int elastic_ca_make(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = s->k->cluster;
	uint32_t count = 0;
	for (uint32_t i = 0; i < cluster->object_count; i++)
		count += strcmp(cluster->object[i].kind, "NodeGroup") == 0;
	struct elastic_ca *ca = sl_alloc(s->k->arena, 1, sizeof(*ca));
	if (!ca)
		return sl_fail_memory(err);
	ca->group = sl_alloc(s->k->arena, (size_t)count + 1, sizeof(*ca->group));
	ca->pod = sl_alloc(s->k->arena, ELASTIC_PODS_MAX, sizeof(*ca->pod));
	ca->option_pod = sl_alloc(s->k->arena, ELASTIC_PODS_MAX, sizeof(*ca->option_pod));
	ca->tries = sl_alloc(s->k->arena, (size_t)s->k->jobs->count + 1, sizeof(*ca->tries));
	if (!ca->group || !ca->pod || !ca->option_pod || !ca->tries)
		return sl_fail_memory(err);
	ca->scanned = ca->added = ca->deleted = ca->failed = ca->provisioned = SL_NONE;
	ca->due = SL_NEVER;
	s->ca = ca;
	int status = SL_OK;
	for (uint32_t i = 0; i < cluster->object_count && !status; i++)
		if (strcmp(cluster->object[i].kind, "NodeGroup") == 0)
			status = take_group(s, &cluster->object[i], err);
	if (!status)
		status = take_flags(s, setup, err);
	if (!status)
		warn(s, setup);
	if (!count)
		s->ca = NULL;
	return status;
}

/* ---- Backoff ------------------------------------------------------------------------------------- */

/* Its last orders failed, each in the same state of all else: so would the next one, and for ever. */
static bool rests(const struct kube_scaler *s, const struct ca_group *group)
{
	return group->rests && group->failed_at == elastic_stamp(s);
}

bool ca_backs_off(const struct kube_scaler *s, const struct ca_group *group)
{
	return group->failed != SL_NONE && (group->backoff_until > s->k->now || rests(s, group));
}

sl_time ca_asked_again(const struct kube_scaler *s, const struct ca_group *group)
{
	return rests(s, group) ? SL_NEVER : group->backoff_until;
}

/* Doubled with each failure after the last backoff was over; forgotten after the reset timeout. A backoff
 * that grows no more, after failures between which nothing else happened, lasts until anything does: a run
 * in which nobody can do anything else ends. */
void ca_back_off(struct kube_scaler *s, struct ca_group *group)
{
	const struct ca_flags *f = &s->ca->flags;
	const sl_time now = s->k->now;
	sl_time length = f->backoff_initial;
	if (group->failed != SL_NONE && group->failed + f->backoff_reset >= now && group->backoff_until < now)
		length = 2 * group->backoff < f->backoff_max ? 2 * group->backoff : f->backoff_max;
	group->rests =
		group->failed != SL_NONE && group->failed_at == elastic_stamp(s) && length <= group->backoff;
	group->failed_at = elastic_stamp(s);
	group->backoff = length;
	group->backoff_until = now + length;
	group->failed = now;
}

/* Nodes that were ordered and did not come in time are given up, and their group backs off. */
static sl_time give_up(struct kube_scaler *s)
{
	sl_time next = SL_NEVER;
	for (uint32_t g = 0; g < s->ca->groups; g++) {
		const struct elastic_pool *pool = &s->pool[s->ca->group[g].pool];
		bool failed = false;
		for (uint32_t i = 0; i < pool->nodes; i++) {
			const struct elastic_node *node = &s->node[pool->node[i]];
			const sl_time until = node->made + s->ca->flags.max_provision;
			if (node->state != ELASTIC_ORDERED)
				continue;
			if (until > s->k->now) {
				next = node->at == SL_NEVER && until < next ? until : next;
				continue;
			}
			elastic_cancel(s, pool->node[i]);
			failed = true;
		}
		if (failed)
			ca_back_off(s, &s->ca->group[g]);
	}
	return next;
}

/* ---- The loop ------------------------------------------------------------------------------------ */

sl_time ca_tick(const struct kube_scaler *s, sl_time at)
{
	const sl_time interval = s->ca->flags.scan_interval;
	return at >= SL_NEVER - interval ? SL_NEVER : (at + interval - 1) / interval * interval;
}

static sl_time sooner(sl_time a, sl_time b) { return a < b ? a : b; }

/* RunOnce: nodes that never came, scale-up, and, where nothing was ordered, scale-down. */
static void scan(struct kube_scaler *s)
{
	struct elastic_ca *ca = s->ca;
	const uint64_t stamp = elastic_stamp(s);
	sl_time next = give_up(s);
	const struct ca_up up = ca_scale_up(s);
	next = sooner(next, up.next);
	if (!up.added && ca->flags.enabled)
		next = sooner(next, ca_scale_down(s, up.waits));
	ca->scanned = s->k->now;
	ca->stamp = stamp;
	ca->due = up.added ? s->k->now + 1 : next;
}

sl_time elastic_ca_run(struct kube_scaler *s)
{
	struct elastic_ca *ca = s->ca;
	const sl_time now = s->k->now;
	(void)ca_drains(s);
	const bool differs = ca->scanned == SL_NONE || ca->stamp != elastic_stamp(s);
	if (ca_tick(s, now) == now && ca->scanned != now && (differs || ca->due <= now))
		scan(s);
	const sl_time drain = ca_drains(s); /* Of what is decided just now, too. */
	const bool changed = ca->scanned == SL_NONE || ca->stamp != elastic_stamp(s);
	const sl_time due = changed ? now + 1 : ca->due > now ? ca->due : now + 1;
	return sooner(drain, ca_tick(s, due));
}
