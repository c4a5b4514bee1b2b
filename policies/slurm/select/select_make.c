/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_make.c - the nodes, partitions and settings that the selection works
 * with, from the cluster as its files describe it.
 */
#include "policies/slurm/select/select_pick.h"

#include <stdlib.h>
#include <strings.h>

static uint32_t name_in(const char **names, uint32_t *count, uint32_t capacity, const char *name)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcasecmp(names[i], name) == 0)
			return i;
	if (*count == capacity)
		return UINT32_MAX;
	names[*count] = name;
	return (*count)++;
}

/* Sockets with a core of these. */
static uint64_t sockets_of(const struct sel_shape *shape, const uint64_t *cores)
{
	uint64_t sockets = 0;
	for (uint32_t s = 0; s < shape->sockets; s++)
		if (bit_count_range(cores, s * shape->cores, (s + 1) * shape->cores))
			sockets |= UINT64_C(1) << s;
	return sockets;
}

static int add_group(
	struct select *s, struct sel_shape *shape, const struct sl_gres *gres, struct sl_err *err)
{
	const uint32_t name = name_in(s->gres_name, &s->gres_name_count, SEL_GRES, gres->name);
	const uint32_t type =
		gres->type ? name_in(s->type_name, &s->type_count, SEL_TYPES, gres->type) : UINT32_MAX;
	if (name == UINT32_MAX || shape->group_count == SEL_GROUPS || (gres->type && type == UINT32_MAX))
		return sl_fail(err, SL_INPUT, "too many kinds of gres: at most %d names, %d groups of a node",
			SEL_GRES, SEL_GROUPS);
	struct sel_group *group = &shape->group[shape->group_count++];
	*group = (struct sel_group){ .name = name,
		.type = type,
		.count = gres->count,
		.no_consume = gres->no_consume,
		.adjacent_all = true };
	shape->gres_count[name] += gres->count;
	shape->device_types[name] = shape->device_types[name] || gres->type;
	shape->shared[name] = strcasecmp(gres->name, "mps") == 0 || strcasecmp(gres->name, "shard") == 0;
	const bool devices = strcasecmp(gres->name, "gpu") == 0 || gres->cores;
	if (!devices || shape->shared[name] || shape->device_count[name] + gres->count > SEL_DEVICES)
		return SL_OK;
	const uint32_t first = shape->device_count[name];
	for (uint32_t d = first; d < first + gres->count; d++)
		group->devices |= UINT64_C(1) << d;
	shape->device_count[name] += (uint32_t)gres->count;
	if (gres->cores) {
		group->sockets = sockets_of(shape, gres->cores);
		s->gres_adjacent = true;
		group->adjacent_all =
			group->sockets == 0 || bits_of(group->sockets) == (int64_t)shape->sockets;
	}
	return SL_OK;
}

/* Devices of a name are numbered in the order of the hardware's gres. */
static int type_devices(
	struct select *s, struct sel_shape *shape, const struct sl_hardware *h, struct sl_err *err)
{
	uint32_t device[SEL_GRES] = { 0 };
	shape->typed = sl_alloc(s->arena, (size_t)SEL_GRES * SEL_TYPES, sizeof(*shape->typed));
	if (!shape->typed)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < h->gres_count; i++) {
		const struct sl_gres *gres = &h->gres[i];
		const uint32_t name = name_in(s->gres_name, &s->gres_name_count, SEL_GRES, gres->name);
		const uint32_t type =
			gres->type ? name_in(s->type_name, &s->type_count, SEL_TYPES, gres->type) : 0;
		for (int64_t k = 0; k < gres->count && device[name] < SEL_DEVICES; k++, device[name]++)
			if (gres->type)
				shape->typed[name * SEL_TYPES + type] |= UINT64_C(1) << device[name];
	}
	return SL_OK;
}

static int make_shape(
	struct select *s, struct sel_shape *shape, const struct sl_node_type *type, struct sl_err *err)
{
	const struct sl_hardware *h = type->hardware;
	shape->cpus = type->amount[0];
	shape->mem = type->amount[1];
	shape->sockets = h && h->sockets ? h->sockets : 1;
	shape->threads = h && h->threads ? h->threads : 1;
	shape->cores =
		h && h->cores ? h->cores : (uint32_t)max64(shape->cpus / shape->sockets / shape->threads, 1);
	shape->core_count = shape->sockets * shape->cores;
	/* The cluster counts the cpus that jobs may have; here the specialised cores exist, and are
	 * allocated. */
	if (h && h->cores_kept && h->cores_kept < shape->core_count)
		shape->cpus += h->cores_kept * (shape->cpus / (shape->core_count - h->cores_kept));
	/* CPUs alone are as many sockets of a core: no such node exists, nor is it known where a socket ends.
	 */
	if (shape->sockets > SEL_SOCKETS) {
		shape->cores = shape->core_count;
		shape->sockets = 1;
	}
	/* Where a cpu is a core, its threads are of no account. */
	if (shape->cpus == shape->core_count)
		shape->threads = 1;
	if (shape->core_count > SL_CORES_MAX)
		return sl_fail(err, SL_INPUT, "node type '%s': at most %d cores are modelled", type->name,
			SL_CORES_MAX);
	shape->words = (shape->core_count + 63) / 64;
	shape->weight = h && h->weight != SL_NONE && h->weight > 0 ? h->weight : 1;
	shape->tmp = h && h->tmp_disk > 0 ? h->tmp_disk : 0;
	if (!h)
		return SL_OK;
	shape->feature = h->feature;
	shape->feature_count = h->feature_count;
	/* The last cores of the last sockets are kept. */
	for (uint32_t kept = 0, c = shape->core_count; kept < h->cores_kept && c-- > 0; kept++) {
		const uint32_t socket = shape->sockets - 1 - kept % shape->sockets;
		const uint32_t core = shape->cores - 1 - kept / shape->sockets % shape->cores;
		bit_set(shape->spec, socket * shape->cores + core);
	}
	for (uint32_t g = 0; g < h->gres_count; g++)
		if (add_group(s, shape, &h->gres[g], err))
			return err->status;
	return type_devices(s, shape, h, err);
}

/* GPUs that the cluster counts by kind, but that the hardware's description leaves out. */
static int add_plain_gpus(
	struct select *s, struct sel_shape *shape, const struct sl_node_type *type, struct sl_err *err)
{
	for (uint32_t k = 2; k < s->cluster->kind_count; k++) {
		const char *kind = s->cluster->kind_name[k];
		bool known = false;
		for (uint32_t g = 0; type->hardware && g < type->hardware->gres_count; g++)
			known = known || strcasecmp(type->hardware->gres[g].name, "gpu") == 0;
		const struct sl_gres gres = { .name = "gpu",
			.type = strcasecmp(kind, "gpu") == 0 ? NULL : kind,
			.count = type->amount[k] };
		if (!known && gres.count > 0 && add_group(s, shape, &gres, err))
			return err->status;
	}
	return SL_OK;
}

static int select_make_compare_names(const void *a, const void *b, void *names)
{
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const char *const *name = names;
	const int order = strcmp(name[left], name[right]);
	return order ? order : left < right ? -1 : 1;
}

static int make_nodes(struct select *s, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	s->shape_count = c->type_count;
	s->shape = sl_alloc(s->arena, s->shape_count, sizeof(*s->shape));
	s->node = sl_alloc(s->arena, s->node_count, sizeof(*s->node));
	s->by_name = sl_alloc(s->arena, s->node_count, sizeof(*s->by_name));
	if (!s->shape || !s->node || !s->by_name)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < s->shape_count; i++)
		if (make_shape(s, &s->shape[i], &c->type[i], err) ||
			add_plain_gpus(s, &s->shape[i], &c->type[i], err))
			return err->status;
	bool shares = false;
	for (uint32_t n = 0; n < s->node_count; n++) {
		s->node[n].shape = c->node_type[n];
		s->node[n].core_at = (uint32_t)s->core_words;
		s->core_words += shape_of(s, n)->words;
		s->cpus += (int64_t)shape_of(s, n)->core_count * shape_of(s, n)->threads;
		s->threads_least = min64(n ? s->threads_least : INT64_MAX, shape_of(s, n)->threads);
		s->by_name[n] = n;
		for (uint32_t g = 0; g < SEL_GRES; g++)
			shares = shares || shape_of(s, n)->shared[g];
	}
	union {
		const char *const *names;
		void *plain;
	} context = { c->node_name };
	qsort_r(s->by_name, s->node_count, sizeof(*s->by_name), select_make_compare_names, context.plain);
	s->gpu = UINT32_MAX;
	for (uint32_t g = 0; g < s->gres_name_count; g++)
		if (strcasecmp(s->gres_name[g], "gpu") == 0)
			s->gpu = g;
	s->ones = sel_ones_made(s);
	if (shares)
		s->share_used = sl_alloc(s->arena, s->node_count, SEL_DEVICES * sizeof(*s->share_used));
	return shares && !s->share_used ? sl_fail_memory(err) : SL_OK;
}

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);
	for (const char *at = list; at && *at;) {
		const size_t here = strcspn(at, ", =");
		if (here == len && strncasecmp(at, word, len) == 0)
			return true;
		at += strcspn(at, ", ");
		at += strspn(at, ", ");
	}
	return false;
}

static bool starts(const char *list, const char *word) { return list && strcasestr(list, word); }

static void make_settings(struct select *s)
{
	const struct sl_cluster *c = s->cluster;
	const char *params = sl_setting_of(c, "cluster", "", "SelectTypeParameters");
	const char *sched = sl_setting_of(c, "cluster", "", "SchedulerParameters");
	const char *preempt = sl_setting_of(c, "cluster", "", "PreemptType");
	const char *topology = sl_setting_of(c, "cluster", "", "TopologyParam");
	s->linear = c->select == SL_SELECT_LINEAR;
	s->cr_mem = params ? starts(params, "Memory") != false : c->mem_counts || !s->linear;
	s->cr_core = !s->linear && (!params || starts(params, "CR_Core") || c->select == SL_SELECT_OURS);
	s->cr_socket = !s->linear && starts(params, "CR_Socket");
	if (params && (has_word(params, "CR_CPU") || has_word(params, "CR_CPU_Memory") || s->cr_socket))
		s->cr_core = false;
	else if (!s->linear && !s->cr_socket)
		s->cr_core = true;
	s->cr_lln = has_word(params, "CR_LLN");
	s->one_task_per_core = has_word(params, "CR_ONE_TASK_PER_CORE");
	s->block_cores = has_word(params, "CR_CORE_DEFAULT_DIST_BLOCK");
	s->pack_serial = has_word(sched, "pack_serial_at_end");
	s->busy_nodes = has_word(sched, "bf_busy_nodes");
	const char *linear = sched ? strcasestr(sched, "bf_window_linear=") : NULL;
	if (linear) {
		linear += strlen("bf_window_linear=");
		(void)sl_get_i64(linear, strspn(linear, "0123456789"), &s->window_linear);
	}
	s->gang = has_word(sl_setting_of(c, "cluster", "", "PreemptMode"), "GANG");
	s->preempt_by_partition = starts(preempt, "partition");
	s->preempt_by_qos = starts(preempt, "qos");
	s->qos_row = s->preempt_by_qos && s->gang;
	s->topo_optional = has_word(topology, "TopoOptional");
	const char *kill = sl_setting_of(c, "cluster", "", "KillWait");
	if (!kill || !sl_get_i64(kill, strlen(kill), &s->kill_wait))
		s->kill_wait = 30;
}

static int64_t number_set(const struct sl_cluster *c, const char *partition, const char *key)
{
	const char *text = sl_setting_of(c, "partition", partition, key);
	int64_t value;
	return text && sl_get_i64(text, strlen(text), &value) && value >= 0 ? value : SL_NONE;
}

static int make_partition(struct select *s, uint32_t row, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	struct sel_partition *p = &s->partition[row];
	*p = (struct sel_partition){ .cpus_per_node_max = SL_NONE,
		.cpus_per_socket_max = SL_NONE,
		.nodes_max = SL_NONE,
		.tier = 1,
		.rows = 1 };
	p->nodes = sl_alloc(s->arena, s->words, sizeof(uint64_t));
	if (!p->nodes)
		return sl_fail_memory(err);
	const struct sl_partition *spec = row < c->partition_count ? &c->partition[row] : NULL;
	if (!spec || !spec->nodes || strcasecmp(spec->nodes, "ALL") == 0) {
		for (uint32_t n = 0; n < s->node_count; n++)
			bit_set(p->nodes, n);
	} else {
		bool missing;
		(void)sel_node_list(s, spec->nodes, p->nodes, &missing);
	}
	if (!spec)
		return SL_OK;
	p->cpus_per_node_max = spec->cpus_per_node_max;
	p->cpus_per_socket_max = number_set(c, spec->name, "MaxCPUsPerSocket");
	p->nodes_max = spec->nodes_max;
	p->tier = spec->tier == SL_NONE ? 1 : spec->tier;
	p->exclusive = spec->share == SL_SHARE_EXCLUSIVE;
	p->topology = sel_topologies_find(s, sl_setting_of(c, "partition", spec->name, "Topology"));
	p->exclusive_user = spec->exclusive_user;
	const char *topo = sl_setting_of(c, "partition", spec->name, "ExclusiveTopo");
	p->exclusive_topo = topo && strcasecmp(topo, "YES") == 0;
	p->least_loaded = spec->least_loaded;
	const int64_t shares = spec->shares == SL_NONE || spec->shares < 1 ? 4 : spec->shares;
	p->force = spec->share == SL_SHARE_FORCE;
	p->shares = spec->share == SL_SHARE_YES && shares > 1;
	p->rows = p->force || p->shares ? shares : 1;
	s->any_shares = s->any_shares || p->rows > 1;
	const char *mode = sl_setting_of(c, "partition", spec->name, "PreemptMode");
	p->preempt_off = mode && strcasecmp(mode, "OFF") == 0;
	const char *params = sl_setting_of(c, "partition", spec->name, "SelectTypeParameters");
	p->by_socket = starts(params, "CR_Socket");
	p->by_core = starts(params, "CR_Core");
	p->by_mem = starts(params, "Memory");
	return SL_OK;
}

/* The log of changes: so many for each node, as long as that is no more than so many. */
#ifdef SL_TINY
enum { CHANGES_EACH = 1, CHANGES_MOST = 1 };
#else
enum { CHANGES_EACH = 16, CHANGES_MOST = 1 << 18 };
#endif

static int make_scratch(struct select *s, struct sl_err *err)
{
	s->used = sl_alloc(s->arena, s->core_words, sizeof(*s->used));
	s->idle = sl_alloc(s->arena, s->words, sizeof(*s->idle));
	for (uint32_t n = 0; s->idle && n < s->node_count; n++)
		bit_set(s->idle, n);
	s->map = sl_alloc(s->arena, s->core_words, sizeof(*s->map));
	s->map_copy = sl_alloc(s->arena, s->core_words, sizeof(*s->map_copy));
	s->avail = sl_alloc(s->arena, s->node_count, sizeof(*s->avail));
	size_t switches = 0;
	for (uint32_t i = 0; i < s->topology_count; i++)
		switches = s->topology[i].count > switches ? s->topology[i].count : switches;
	s->usable = sl_alloc(s->arena, s->node_count + 4 * switches + 1, sizeof(*s->usable));
	s->run = sl_alloc(s->arena, s->node_count + 1, sizeof(*s->run));
	for (size_t i = 0; i < SL_LEN(s->set); i++)
		if (!(s->set[i] = sl_alloc(s->arena, s->words, sizeof(uint64_t))))
			return sl_fail_memory(err);
	/* Tries that are taken back change each node a few times. */
	s->change_capacity = 1;
	while (s->change_capacity < s->node_count ||
		(s->change_capacity < CHANGES_MOST &&
			s->change_capacity < CHANGES_EACH * (uint64_t)s->node_count))
		s->change_capacity *= 2;
	s->change_log = sl_alloc(s->arena, s->change_capacity, sizeof(*s->change_log));
	s->change_was = sl_alloc(s->arena, s->change_capacity, sizeof(*s->change_was));
	const bool made = s->used && s->idle && s->map && s->map_copy && s->avail && s->usable && s->run &&
			  s->change_log && s->change_was;
	return made ? SL_OK : sl_fail_memory(err);
}

/* Highest first, then as they are written (part_data_create_array). */
static void order_by_tier(struct select *s)
{
	for (uint32_t i = 0; i < s->partition_count; i++) {
		uint32_t at = i;
		for (; at > 0 && s->partition[s->by_tier[at - 1]].tier < s->partition[i].tier; at--)
			s->by_tier[at] = s->by_tier[at - 1];
		s->by_tier[at] = i;
	}
	for (uint32_t at = 0; at < s->partition_count; at++)
		s->partition[s->by_tier[at]].rank = at;
}

struct select *select_new(const struct sl_cluster *cluster, struct sl_arena *arena, struct sl_err *err)
{
	if (!cluster->node_count) {
		(void)sl_fail(
			err, SL_USAGE, "the cluster is a counted pool: nodes are needed to select from");
		return NULL;
	}
	struct select *s = sl_alloc(arena, 1, sizeof(*s));
	if (!s)
		return (void)sl_fail_memory(err), NULL;
	s->cluster = cluster;
	s->version = SEL_22_05;
	s->arena = s->request_map.arena = arena;
	s->node_count = cluster->node_count;
	s->words = (s->node_count + 63) / 64;
	s->partition_count = cluster->partition_count ? cluster->partition_count : 1;
	make_settings(s);
	if (make_nodes(s, err) || sel_topo_make(s, err) || make_scratch(s, err))
		return NULL;
	s->partition = sl_alloc(arena, s->partition_count, sizeof(*s->partition));
	if (!s->partition)
		return (void)sl_fail_memory(err), NULL;
	for (uint32_t i = 0; i < s->partition_count; i++)
		if (make_partition(s, i, err) || (!sel_rows_make(s, i) && sl_fail_memory(err)))
			return NULL;
	s->by_tier = sl_alloc(arena, s->partition_count, sizeof(*s->by_tier));
	if (!s->by_tier)
		return (void)sl_fail_memory(err), NULL;
	order_by_tier(s);
	return s;
}

void select_set_version(struct select *s, int version)
{
	SL_CHECK(!s->request_count); /* Requests are filled in by the release's rules. */
	s->version = version;
	s->spread_shares =
		version >= SEL_23_02 &&
		has_word(sl_setting_of(s->cluster, "cluster", "", "SelectTypeParameters"), "LL_SHARED_GRES");
}

size_t select_node_words(const struct select *s) { return s->words; }
const uint64_t *select_partition_nodes(const struct select *s, uint32_t partition)
{
	return s->partition[partition].nodes;
}
uint32_t select_gres_count(const struct select *s) { return s->gres_name_count; }
const char *select_gres_name(const struct select *s, uint32_t gres) { return s->gres_name[gres]; }
int64_t select_threads_per_core(const struct select *s, uint32_t node) { return shape_of(s, node)->threads; }
uint32_t select_core_count(const struct select *s, uint32_t node) { return shape_of(s, node)->core_count; }
uint32_t select_cores_per_socket(const struct select *s, uint32_t node) { return shape_of(s, node)->cores; }
const char *select_why(const struct select *s) { return s->why; }
void select_plain(struct select *s, bool plain) { s->plain = plain; }

size_t select_core_words(const struct select *s) { return s->core_words; }

uint32_t select_core_at(const struct select *s, uint32_t node) { return s->node[node].core_at; }

void select_add_spec(const struct select *s, uint64_t *cores)
{
	for (uint32_t n = 0; n < s->node_count; n++)
		for (uint32_t w = 0; w < shape_of(s, n)->words; w++)
			cores[s->node[n].core_at + w] |= shape_of(s, n)->spec[w];
}
