/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_node.c - nodes that are drained, down or come back: by command, by the trace's outages, by
 * ReturnToService.
 *
 * What is available follows from a node's flags, its power and the outages in force, and is kept as a set. A
 * node that goes down ends its jobs (slurmctld's set_node_down, kill_running_job_by_node_name): batch jobs
 * go back into the queue unless they may not.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_bits.h"
#include "policies/slurm/control/ctl_node.h"

/* ---- What follows ---------------------------------------------------------------------------- */

void node_settle(struct ctl *c, uint32_t n)
{
	struct ctl_nodes *all = c->nodes;
	const struct ctl_node *node = &all->node[n];
	const bool there = !(node->flags & (NODE_DOWN | NODE_OUT)) && !node->outages;
	/* A node that is being powered down cannot be allocated until SuspendTimeout is over. */
	const bool may = there && !(node->flags & (NODE_DRAIN | NODE_FAIL)) && !node->closures &&
			 node->power != POWER_GOING_DOWN;
	if (there == nset_has(all->up, n) && may == nset_has(all->avail, n))
		return;
	(there ? nset_add : nset_drop)(all->up, n);
	(may ? nset_add : nset_drop)(all->avail, n);
	c->node_changes++;
	if (!there)
		ctl_complete_lost(c, n);
}

const uint64_t *ctl_nodes_avail(const struct ctl *c) { return c->nodes->avail; }

const uint64_t *ctl_nodes_up(const struct ctl *c) { return c->nodes->up; }

const char *ctl_node_reason(const struct ctl *c, uint32_t node) { return c->nodes->node[node].reason; }

static int64_t ctl_node_cpus_of(const struct ctl *c, uint32_t n)
{
	return c->cluster->type[c->cluster->node_type[n]].amount[SL_KIND_CPUS];
}

/* ---- Jobs come and go ------------------------------------------------------------------------ */

static void node_keep(struct ctl *c, const struct select_node_alloc *node_alloc, bool begins)
{
	struct ctl_node *node = &c->nodes->node[node_alloc->node];
	if (begins) {
		node->jobs++;
		node->cpus += node_alloc->cpus;
		return;
	}
	SL_CHECK(node->jobs); /* A job released a node that was not allocated to it. */
	node->jobs--;
	node->cpus -= node_alloc->cpus;
	if (!node->jobs) /* make_node_idle(): last_busy. A node that is off has none. */
		node->idle_since = node->power == POWER_OFF ? CTL_NONE : c->now;
}

void ctl_node_started(struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		node_keep(c, &job->alloc->node_alloc[i], true);
	power_note(c);
}

void ctl_node_ended(struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		node_keep(c, &job->alloc->node_alloc[i], false);
	power_note(c);
}

bool node_fail_jobs(struct ctl *c, const uint64_t *nodes)
{
	/* The list changes as they go: its jobs are collected first, in the list's order. */
	uint32_t *row = malloc((c->running_count + 1) * sizeof(*row));
	uint32_t count = 0;
	if (!row) {
		controller_no_memory(&c->engine);
		return false;
	}
	for (uint32_t j = c->running_first; j != CTL_NO_ROW && count < c->running_count; j = c->job[j].next)
		if (ctl_job_on(&c->job[j], nodes))
			row[count++] = j;
	const struct order_by was = ctl_cause(c, SL_RULE_NODE, CTL_NO_ROW);
	for (uint32_t i = 0; i < count; i++) {
		struct ctl_job *job =
			ctl_leader(c, &c->job[row[i]]); /* All components go (_het_job_on_node()). */
		if (job->requeue_ok) {
			ctl_expedite_begin(c, job);
			ctl_requeue(c, job, SL_NODE_FAIL, false);
		} else
			ctl_end(c, job, SL_NODE_FAIL, false);
	}
	c->engine.cause = was;
	free(row);
	return count > 0;
}

/* ---- Down, and by itself up again ------------------------------------------------------------ */

static void returns_renew(struct ctl_nodes *all, uint32_t count)
{
	all->returns = CTL_NEVER;
	for (uint32_t n = 0; n < count; n++)
		if (all->node[n].returns < all->returns)
			all->returns = all->node[n].returns;
}

/* With ReturnToService=2 a node whose daemon answers is up again as it is [run 94]. The daemon answers when
 * it is sent a job's kill request: within the second, behind the pass that the command triggers; as recorded
 * of 24.11 and 26.05, two seconds later, so that what waits for less than that node goes before. Else it
 * answers when it is pinged, each third of SlurmdTimeout. */
static ctl_time comes_back(const struct ctl *c, bool had_jobs)
{
	enum { ANSWER_LATER = 2 };
	const struct ctl_nodes *all = c->nodes;
	if (all->return_to_service != 2)
		return CTL_NEVER;
	if (had_jobs) /* Now: ctl_run has it behind that pass. */
		return c->now + (c->params.version >= CTL_24_11 ? ANSWER_LATER : 0);
	if (!all->ping)
		return CTL_NEVER;
	const ctl_time since = c->now - c->params.tick_phase;
	return since - (since % all->ping + all->ping) % all->ping + all->ping + c->params.tick_phase;
}

static void node_comes_back(struct ctl *c, uint32_t n)
{
	struct ctl_node *node = &c->nodes->node[n];
	node->returns = CTL_NEVER;
	if (!(node->flags & NODE_DOWN))
		return;
	node->flags &= ~(unsigned)NODE_DOWN;
	node->reason = NULL;
	node->idle_since = c->now;
	node_settle(c, n);
}

/* ---- States by command ----------------------------------------------------------------------- */

static void set_down(struct ctl *c, const uint64_t *nodes)
{
	struct ctl_nodes *all = c->nodes;
	for (uint32_t n = nset_next(nodes, all->words, 0); n != CTL_NO_ROW;
		n = nset_next(nodes, all->words, n + 1)) {
		all->node[n].flags |= NODE_DOWN;
		all->node[n].returns = comes_back(c, all->node[n].jobs > 0);
		node_settle(c, n);
	}
	(void)node_fail_jobs(c, nodes);
	returns_renew(all, c->cluster->node_count);
}

/* resume: whatever kept it off is over. */
static void set_up(struct ctl *c, uint32_t n)
{
	struct ctl_node *node = &c->nodes->node[n];
	node->flags &= ~(unsigned)(NODE_DOWN | NODE_DRAIN | NODE_FAIL | NODE_OUT);
	node->reason = NULL;
	node->returns = CTL_NEVER;
	if (!node->jobs && node->power != POWER_OFF)
		node->idle_since = c->now;
}

static void set_one(struct ctl *c, uint32_t n, enum sl_node_state state)
{
	static const unsigned flag[SL_NODE_STATES] = {
		[SL_NODE_DRAIN] = NODE_DRAIN,
		[SL_NODE_MAINT] = NODE_DRAIN,
		[SL_NODE_FUTURE] = NODE_OUT,
		[SL_NODE_POWERED_DOWN] = NODE_DOWN_ASKED,
	};
	if (state == SL_NODE_UP)
		set_up(c, n);
	c->nodes->node[n].flags |= flag[state];
}

static void ctl_node_set(struct ctl *c, const uint64_t *nodes, enum sl_node_state state, const char *reason)
{
	struct ctl_nodes *all = c->nodes;
	for (uint32_t n = nset_next(nodes, all->words, 0); n != CTL_NO_ROW;
		n = nset_next(nodes, all->words, n + 1)) {
		if (reason && *reason)
			all->node[n].reason = reason;
		if (state == SL_NODE_DOWN)
			continue;
		set_one(c, n, state);
		node_settle(c, n);
	}
	if (state == SL_NODE_DOWN)
		set_down(c, nodes);
	c->node_changes++;
	power_note(c);
	ctl_want_pass(c); /* _slurm_rpc_update_node() triggers one, whatever was changed. */
}

/* ---- Commands -------------------------------------------------------------------------------- */

struct naming {
	const struct ctl *c;
	uint64_t *set;
	bool unknown;
};

static int name_one(void *self, const char *name, size_t len)
{
	struct naming *n = self;
	for (uint32_t i = 0; i < n->c->cluster->node_count; i++) {
		const char *known = n->c->cluster->node_name[i];
		if (strncmp(known, name, len) == 0 && !known[len]) {
			nset_add(n->set, i);
			return 0;
		}
	}
	n->unknown = true;
	return 0;
}

bool node_list(const struct ctl *c, const char *text, size_t len, uint64_t *set)
{
	if (len == 3 && strncasecmp(text, "ALL", 3) == 0) {
		nset_fill(set, c->cluster->node_count);
		return true;
	}
	struct naming naming = { .c = c, .set = set };
	struct sl_err err = { 0 };
	return sl_hosts_each(text, len, NULL, &err, name_one, &naming) == SL_OK && !naming.unknown;
}

/* Words for which there is no state of sl_node_state. */
static bool set_special(struct ctl *c, const uint64_t *nodes, const char *state, const char *reason)
{
	static const struct {
		const char *word;
		unsigned set, clear;
	} words[] = {
		{ "undrain", 0, NODE_DRAIN },
		{ "fail", NODE_FAIL, 0 },
		{ "failing", NODE_FAIL, 0 },
		{ "power_up", NODE_UP_ASKED, 0 },
		{ "power_down_asap", NODE_DOWN_ASKED | NODE_DRAIN, 0 },
		{ "power_down_force", NODE_DOWN_ASKED, 0 },
	};
	struct ctl_nodes *all = c->nodes;
	size_t i = 0;
	while (i < SL_LEN(words) && strcasecmp(words[i].word, state) != 0)
		i++;
	if (i == SL_LEN(words))
		return false;
	for (uint32_t n = nset_next(nodes, all->words, 0); n != CTL_NO_ROW;
		n = nset_next(nodes, all->words, n + 1)) {
		all->node[n].flags = (all->node[n].flags | words[i].set) & ~words[i].clear;
		if (reason && *reason)
			all->node[n].reason = reason;
		node_settle(c, n);
	}
	if (strcasecmp(state, "power_down_force") == 0)
		(void)node_fail_jobs(c, nodes);
	c->node_changes++;
	power_note(c);
	ctl_want_pass(c);
	return true;
}

static bool ctl_node_state_of(const char *word, enum sl_node_state *state)
{
	static const struct {
		const char *word;
		enum sl_node_state state;
	} words[] = { { "resume", SL_NODE_UP }, { "idle", SL_NODE_UP }, { "drain", SL_NODE_DRAIN },
		{ "drained", SL_NODE_DRAIN }, { "draining", SL_NODE_DRAIN }, { "down", SL_NODE_DOWN },
		{ "future", SL_NODE_FUTURE }, { "power_down", SL_NODE_POWERED_DOWN },
		{ "maint", SL_NODE_MAINT } };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(words[i].word, word) == 0) {
			*state = words[i].state;
			return true;
		}
	return false;
}

bool ctl_node_command(struct ctl *c, const char *names, const char *state, const char *reason)
{
	enum sl_node_state to;
	uint64_t *set = calloc(c->nodes->words, sizeof(*set));
	if (!set) {
		controller_no_memory(&c->engine);
		return false;
	}
	/* As slurmctld: nodes of the list that there are not fail the whole of it. */
	bool done = node_list(c, names, strlen(names), set);
	if (done && ctl_node_state_of(state, &to))
		ctl_node_set(c, set, to, reason);
	else
		done = done && set_special(c, set, state, reason);
	free(set);
	return done;
}

/* ---- Outages of the files -------------------------------------------------------------------- */

static int interval_order(const void *a, const void *b)
{
	const struct node_interval *x = a;
	const struct node_interval *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1; /* What ends frees resources for what begins. */
	return x->window < y->window ? -1 : x->window > y->window;
}

/* Nodes that are kept off by their own state are flagged: that window is no event. */
static bool is_event(const struct sl_window *window)
{
	return (window->kind == SL_WINDOW_OUTAGE || window->kind == SL_WINDOW_STATE) && window->node_count &&
	       !(window->kind == SL_WINDOW_STATE && window->until == SL_NEVER &&
		       window->from <= INT64_MIN / 4);
}

static int boundaries_make(struct ctl *c, struct ctl_nodes *all)
{
	const struct sl_cluster *cluster = c->cluster;
	all->interval = sl_alloc(c->arena, 2 * (size_t)cluster->window_count + 1, sizeof(*all->interval));
	if (!all->interval)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < cluster->window_count; i++) {
		const struct sl_window *window = &cluster->window[i];
		if (!is_event(window))
			continue;
		all->interval[all->interval_count++] =
			(struct node_interval){ ctl_time_of(c, window->from), i, true };
		if (window->until != SL_NEVER)
			all->interval[all->interval_count++] =
				(struct node_interval){ ctl_time_of(c, window->until), i, false };
	}
	qsort(all->interval, all->interval_count, sizeof(*all->interval), interval_order);
	return SL_OK;
}

static void interval_apply(struct ctl *c, const struct node_interval *interval)
{
	const struct sl_window *window = &c->cluster->window[interval->window];
	const bool down = window->kind == SL_WINDOW_OUTAGE;
	struct ctl_nodes *all = c->nodes;
	memset(all->scratch, 0, all->words * sizeof(*all->scratch));
	for (uint32_t i = 0; i < window->node_count; i++) {
		struct ctl_node *node = &all->node[window->node[i]];
		uint32_t *count = down ? &node->outages : &node->closures;
		*count += interval->begins ? 1 : UINT32_MAX;
		if (!node->jobs && !interval->begins && node->power != POWER_OFF)
			node->idle_since = c->now;
		nset_add(all->scratch, window->node[i]);
		node_settle(c, window->node[i]);
	}
	if (down && interval->begins)
		(void)node_fail_jobs(c, all->scratch);
}

/* ---- What models do -------------------------------------------------------------------------- */

static void count_change(uint32_t *count, bool *was, bool is)
{
	*count = *count + is - *was;
	*was = is;
}

/* As an operator's set_node_down() and resume; the engine has ended what ran there, and jobs that wait for
 * the node to boot are left. */
void ctl_node_reported(struct ctl *c, uint32_t n, bool down, bool drained)
{
	struct ctl_nodes *all = c->nodes;
	struct ctl_node *node = &all->node[n];
	if (node->failed == down && node->kept == drained)
		return;
	const bool falls = down && !node->failed;
	count_change(&node->outages, &node->failed, down);
	count_change(&node->closures, &node->kept, drained);
	if (!down && !node->jobs && node->power != POWER_OFF)
		node->idle_since = c->now;
	node_settle(c, n);
	if (falls) {
		memset(all->scratch, 0, all->words * sizeof(*all->scratch));
		nset_add(all->scratch, n);
		(void)node_fail_jobs(c, all->scratch);
	}
	c->node_changes++;
	power_note(c);
	ctl_want_pass(c);
}

/* ---- By the clock ---------------------------------------------------------------------------- */

void ctl_node_run(struct ctl *c)
{
	struct ctl_nodes *all = c->nodes;
	const size_t done = all->interval_done;
	const bool back = all->returns <= c->now;
	while (all->interval_done < all->interval_count && all->interval[all->interval_done].at <= c->now)
		interval_apply(c, &all->interval[all->interval_done++]);
	for (uint32_t n = 0; back && n < c->cluster->node_count; n++)
		if (all->node[n].returns <= c->now)
			node_comes_back(c, n);
	if (back)
		returns_renew(all, c->cluster->node_count);
	if (!back && done == all->interval_done)
		return;
	c->node_changes++;
	power_note(c);
	ctl_want_pass(c);
}

ctl_time ctl_node_next(const struct ctl *c)
{
	const struct ctl_nodes *all = c->nodes;
	const ctl_time interval =
		all->interval_done < all->interval_count ? all->interval[all->interval_done].at : CTL_NEVER;
	return interval < all->returns ? interval : all->returns;
}

/* ---- The beginning --------------------------------------------------------------------------- */

int64_t node_conf_number(const struct ctl *c, const char *key, int64_t otherwise)
{
	const char *text = sl_setting_of(c->cluster, "cluster", "", key);
	int64_t value;
	if (!text)
		return otherwise;
	if (strcasecmp(text, "INFINITE") == 0 || strcasecmp(text, "UNLIMITED") == 0)
		return CTL_NEVER;
	return sl_get_i64(text, strlen(text), &value) ? value : otherwise;
}

static void node_begins(struct ctl *c, uint32_t n, bool unavailable)
{
	static const unsigned flags[SL_NODE_STATES] = {
		[SL_NODE_DRAIN] = NODE_DRAIN,
		[SL_NODE_DOWN] = NODE_DOWN,
		[SL_NODE_MAINT] = NODE_DRAIN,
		[SL_NODE_FUTURE] = NODE_OUT,
	};
	const struct sl_hardware *hardware = c->cluster->type[c->cluster->node_type[n]].hardware;
	struct ctl_node *node = &c->nodes->node[n];
	*node = (struct ctl_node){ .idle_since = c->epoch, .returns = CTL_NEVER, .boots = CTL_NEVER };
	if (hardware && hardware->state < SL_NODE_STATES) {
		node->flags = flags[hardware->state];
		node->reason = hardware->state_reason;
		if (hardware->state == SL_NODE_POWERED_DOWN) {
			node->power = POWER_OFF; /* ctl_power_make: on, where nothing could power it up. */
			node->idle_since = CTL_NONE;
		}
	}
	count_change(&node->closures, &node->kept, unavailable);
	node_settle(c, n);
}

int ctl_node_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_nodes *all = sl_alloc(c->arena, 1, sizeof(*all));
	const uint32_t count = c->cluster->node_count;
	if (!all)
		return sl_fail_memory(err);
	c->nodes = all;
	all->words = select_node_words(c->select);
	all->node = sl_alloc(c->arena, (size_t)count + 1, sizeof(*all->node));
	all->avail = sl_alloc(c->arena, all->words + 1, sizeof(*all->avail));
	all->up = sl_alloc(c->arena, all->words + 1, sizeof(*all->up));
	all->scratch = sl_alloc(c->arena, all->words + 1, sizeof(*all->scratch));
	if (!all->node || !all->avail || !all->up || !all->scratch || boundaries_make(c, all) != SL_OK)
		return sl_fail_memory(err);
	all->return_to_service = node_conf_number(c, "ReturnToService", 0);
	const int64_t timeout = node_conf_number(c, "SlurmdTimeout", 300);
	all->ping = timeout == CTL_NEVER ? 0 : timeout / 3;
	all->returns = CTL_NEVER;
	for (uint32_t n = 0; n < count; n++)
		node_begins(c, n, c->unavailable && c->unavailable[n]);
	/* What began before the log did: nothing ran then. */
	while (all->interval_done < all->interval_count && all->interval[all->interval_done].at <= c->epoch)
		interval_apply(c, &all->interval[all->interval_done++]);
	return SL_OK;
}

/* ---- Reported -------------------------------------------------------------------------------- */

enum { TABLE_PLAIN, TABLE_OFF, TABLE_BOOTING, TABLE_GOING_DOWN, TABLE_MAINT, TABLE_SUFFIXES };
#define DISPLAYED(word)                                      \
	{                                                    \
		word, word "~", word "#", word "%", word "$" \
	}

static unsigned suffix_of(const struct ctl_node *node)
{
	static const unsigned by_power[] = { [POWER_ON] = TABLE_PLAIN,
		[POWER_GOING_DOWN] = TABLE_GOING_DOWN,
		[POWER_OFF] = TABLE_OFF,
		[POWER_BOOTING] = TABLE_BOOTING };
	return node->flags & NODE_MAINT ? TABLE_MAINT : by_power[node->power];
}

int64_t ctl_node_cpus(const struct ctl *c, uint32_t n) { return c->nodes->node[n].cpus; }

const char *ctl_node_state(const struct ctl *c, uint32_t n)
{
	static const char *const future[TABLE_SUFFIXES] = DISPLAYED("futr");
	static const char *const down[TABLE_SUFFIXES] = DISPLAYED("down");
	static const char *const drained[TABLE_SUFFIXES] = DISPLAYED("drain");
	static const char *const draining[TABLE_SUFFIXES] = DISPLAYED("drng");
	static const char *const fail[TABLE_SUFFIXES] = DISPLAYED("fail");
	static const char *const failing[TABLE_SUFFIXES] = DISPLAYED("failg");
	static const char *const mixed[TABLE_SUFFIXES] = DISPLAYED("mix");
	static const char *const full[TABLE_SUFFIXES] = DISPLAYED("alloc");
	static const char *const reserved[TABLE_SUFFIXES] = DISPLAYED("resv");
	static const char *const idle[TABLE_SUFFIXES] = DISPLAYED("idle");
	static const char *const completing[TABLE_SUFFIXES] = DISPLAYED("comp");
	const struct ctl_node *node = &c->nodes->node[n];
	const unsigned suffix = suffix_of(node);
	const bool busy = node->jobs > 0;
	const bool leaves = busy || node->completing;
	if (node->flags & NODE_OUT)
		return future[TABLE_PLAIN];
	if (node->flags & NODE_DOWN || node->outages)
		return down[suffix];
	if (node->flags & NODE_DRAIN || node->closures)
		return (leaves ? draining : drained)[suffix];
	if (node->flags & NODE_FAIL)
		return (leaves ? failing : fail)[suffix];
	if (busy)
		return (node->cpus < ctl_node_cpus_of(c, n) ? mixed : full)[suffix];
	if (leaves)
		return completing[suffix];
	if (node->flags & NODE_MAINT)
		return "maint";
	return (node->flags & NODE_RESV && node->power == POWER_ON ? reserved : idle)[suffix];
}
