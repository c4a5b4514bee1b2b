/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_power.c - power saving: nodes are powered down when idle, and up when allocated (CLAUSES.md 12;
 * power_save.c).
 *
 * slurmctld's power thread wakes each second and checks the nodes if one of them changed since its last
 * check, or more than power_save_interval ago. How long ResumeProgram takes to boot a node is not in
 * slurm.conf: it is the policy's parameter `boot`. A check that finds nothing due changes nothing, so only
 * those are made that do.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_bits.h"
#include "policies/slurm/control/ctl_node.h"

/* Of SuspendExcNodes: so many of these stay on. */
struct spared {
	uint64_t *nodes;
	uint32_t count;
};

/* SuspendTime of one node: the longest of its partitions', else slurm.conf's. Seconds; CTL_NEVER: never. */
struct times {
	int64_t suspend, suspend_timeout, resume_timeout;
};

/* SuspendRate or ResumeRate, from 24.05 on: a bucket of what may be done, filled by and by. */
struct bucket {
	int64_t tokens, most;
	int64_t period_ms; /* One token more. */
	int64_t filled;    /* Periods since 1970, when it was last looked into; CTL_NONE: never. */
};

struct ctl_power {
	bool on;
	int64_t boot;                      /* Seconds; CTL_NONE: half of the node's ResumeTimeout. */
	int64_t interval, interval_min;    /* power_save_interval, power_save_min_interval: seconds. */
	int64_t suspend_rate, resume_rate; /* Nodes a minute; 0: any number. */
	bool idle_on_suspend;              /* idle_on_node_suspend */
	struct times *times;               /* By node. */
	uint64_t *spared;                  /* SuspendExcNodes, SuspendExcParts: wholly. */
	struct spared *partly;
	uint32_t partly_count;
	uint64_t *avoid;           /* Of this look: spared, and what is picked of the partly spared. */
	double suspended, resumed; /* How many in the last minute or so: up to 23.11. */
	struct bucket suspends, resumes;
	ctl_time scanned; /* Last. */
	ctl_time due;     /* Something is to be done then; CTL_NEVER. */
	ctl_time boots;   /* The first boot that ends; CTL_NEVER. */
	bool dirty;       /* Something changed since. */
	bool changed;     /* By this look. */
};

/* A node is powered down for the order of nodes: it ranks behind all others (NODE_SET_POWER_DN). */
static void power_rank(struct ctl *c, uint32_t n)
{
	select_set_rank(c->select, n, c->nodes->node[n].power == POWER_OFF ? 1 : 0);
}

/* ---- When something is due ------------------------------------------------------------------- */

static ctl_time sum(ctl_time at, int64_t more) { return more >= CTL_NEVER - at ? CTL_NEVER : at + more; }

static bool may_suspend(const struct ctl_node *node)
{
	return node_is_idle(node) && !(node->flags & NODE_OUT) && node->power != POWER_BOOTING &&
	       node->power != POWER_GOING_DOWN;
}

/* The first second at which a look would change this node. */
static ctl_time due_of(const struct ctl_power *p, const struct ctl_node *node, uint32_t n)
{
	const struct times *t = &p->times[n];
	ctl_time due = CTL_NEVER;
	switch (node->power) {
	case POWER_GOING_DOWN:
		return sum(node->power_asked, t->suspend_timeout + 1);
	case POWER_BOOTING:
		return sum(node->power_asked, t->resume_timeout + 1);
	case POWER_OFF:
		if (node->flags & NODE_UP_ASKED)
			return p->scanned;
		break;
	case POWER_ON:
		break;
	}
	if (!may_suspend(node))
		return CTL_NEVER;
	if (node->flags & NODE_DOWN_ASKED)
		return p->scanned;
	if (node->idle_since != CTL_NONE && t->suspend != CTL_NEVER && !nset_has(p->spared, n))
		due = sum(node->idle_since, t->suspend + 1);
	return due;
}

/* Looks without anything due are left out, but keep their beat. */
static ctl_time beat_from(const struct ctl_power *p, ctl_time due)
{
	const int64_t step = p->interval + 1;
	ctl_time first = p->scanned + (p->interval_min >= step ? p->interval_min + 1 : step);
	if (due == CTL_NEVER)
		return CTL_NEVER;
	return due <= first ? first : first + (due - first + step - 1) / step * step;
}

/* A node changed. 24.11 looks only if that was after its last look by the second: a change behind the look of
 * its own second waits for the next beat (_power_save_thread). Before, it was seen in the next second. */
void power_note(struct ctl *c)
{
	struct ctl_power *p = c->power;
	if (!p)
		return;
	if (c->params.version < CTL_24_11 || c->now > p->scanned) {
		p->dirty = true;
		return;
	}
	const ctl_time beat = beat_from(p, p->scanned);
	p->due = beat < p->due ? beat : p->due;
}

static void due_renew(struct ctl *c)
{
	struct ctl_power *p = c->power;
	ctl_time due = CTL_NEVER;
	for (uint32_t n = 0; n < c->cluster->node_count; n++) {
		const ctl_time at = due_of(p, &c->nodes->node[n], n);
		due = at < due ? at : due;
	}
	p->due = beat_from(p, due);
}

ctl_time ctl_power_next(const struct ctl *c)
{
	const struct ctl_power *p = c->power;
	if (!p->on)
		return CTL_NEVER;
	const ctl_time boots = p->boots; /* Boots end when they end, not at a look. */
	const ctl_time look = p->dirty ? p->scanned + p->interval_min + 1 : p->due;
	/* What changes in this second is seen in the next. */
	const ctl_time at = p->dirty && look <= c->now ? c->now + 1 : look;
	return boots < at ? boots : at;
}

/* ---- A look ---------------------------------------------------------------------------------- */

static void set_power(struct ctl *c, uint32_t n, enum node_power power)
{
	c->nodes->node[n].power = power;
	c->power->changed = true;
	node_settle(c, n);
	power_rank(c, n);
}

/* Up to 23.11 rates are of the last minute: what was done fades with the time since (_do_power_work()). */
static void fade(struct ctl_power *p, ctl_time now)
{
	const int64_t since = now - p->scanned;
	const double left = since >= 60 ? 0.0 : (double)(60 - since) / 60.0;
	p->suspended *= left;
	p->resumed *= left;
}

static bool ctl_power_capacity(int64_t rate, double done) { return !rate || (int64_t)(done + 0.5) < rate; }

/* power_save_rl_setup(): it holds what is due in the longest time between two looks, and begins full. */
static void bucket_make(const struct ctl_power *p, struct bucket *b, int64_t rate)
{
	enum { RATE_MAX = 60000 };
	const int64_t longest = p->interval > p->interval_min ? p->interval : p->interval_min;
	const int64_t held = rate > RATE_MAX ? RATE_MAX : rate;
	if (!rate)
		return;
	b->most = held * (longest > 1 ? longest : 1) / 60;
	b->most = b->most > 1 ? b->most : 1;
	b->period_ms = RATE_MAX / held;
	b->filled = CTL_NONE;
}

/* _rl_get_tokens() */
static void bucket_fill(struct bucket *b, ctl_time now)
{
	if (!b->period_ms)
		return;
	const int64_t periods = now * 1000 / b->period_ms;
	const int64_t more = b->filled == CTL_NONE ? b->most : periods - b->filled;
	b->tokens = more > b->most - b->tokens ? b->most : b->tokens + more;
	b->filled = periods;
}

static bool bucket_may(const struct bucket *b) { return !b->period_ms || b->tokens > 0; }

static bool may_do(const struct ctl *c, int64_t rate, double done, const struct bucket *b)
{
	return c->params.version >= CTL_24_05 ? bucket_may(b) : ctl_power_capacity(rate, done);
}

static void is_done(double *done, struct bucket *b)
{
	(*done)++;
	b->tokens -= b->tokens > 0;
}

static void look_resume(struct ctl *c, uint32_t n)
{
	struct ctl_power *p = c->power;
	struct ctl_node *node = &c->nodes->node[n];
	if (node->power == POWER_ON || node->power == POWER_BOOTING)
		node->flags &= ~(unsigned)NODE_UP_ASKED;
	if (node->power != POWER_OFF || !(node->flags & NODE_UP_ASKED) ||
		!may_do(c, p->resume_rate, p->resumed, &p->resumes))
		return;
	is_done(&p->resumed, &p->resumes);
	node->flags &= ~(unsigned)NODE_UP_ASKED;
	node->power_asked = c->now;
	node->boots = sum(c->now, p->boot == CTL_NONE ? p->times[n].resume_timeout / 2 : p->boot);
	p->boots = node->boots < p->boots ? node->boots : p->boots;
	set_power(c, n, POWER_BOOTING);
}

static bool is_suspend_due(const struct ctl *c, const struct ctl_node *node, uint32_t n)
{
	const struct ctl_power *p = c->power;
	if (!may_suspend(node) || !may_do(c, p->suspend_rate, p->suspended, &p->suspends))
		return false;
	if (node->flags & NODE_DOWN_ASKED)
		return true;
	return node->idle_since != CTL_NONE && p->times[n].suspend != CTL_NEVER &&
	       node->idle_since < c->now - p->times[n].suspend && !nset_has(p->avoid, n);
}

static void look_suspend(struct ctl *c, uint32_t n)
{
	struct ctl_power *p = c->power;
	struct ctl_node *node = &c->nodes->node[n];
	if (!is_suspend_due(c, node, n))
		return;
	is_done(&p->suspended, &p->suspends);
	if (node->flags & NODE_DOWN_ASKED) /* power_down_asap drained it until now. */
		node->flags &= ~(unsigned)(NODE_DRAIN | NODE_DOWN_ASKED);
	if (p->idle_on_suspend)
		node->flags &= ~(unsigned)(NODE_DOWN | NODE_DRAIN | NODE_FAIL);
	node->power_asked = c->now;
	set_power(c, n, POWER_GOING_DOWN);
}

static void look_off(struct ctl *c, uint32_t n)
{
	struct ctl_node *node = &c->nodes->node[n];
	if (node->power != POWER_GOING_DOWN ||
		sum(node->power_asked, c->power->times[n].suspend_timeout) >= c->now)
		return;
	node->idle_since = CTL_NONE;
	set_power(c, n, POWER_OFF);
}

/* "ResumeTimeout reached": down, and off. Its jobs go back into the queue. */
static void look_late(struct ctl *c, uint32_t n)
{
	struct ctl_nodes *all = c->nodes;
	struct ctl_node *node = &all->node[n];
	if (node->power != POWER_BOOTING ||
		c->now <= sum(node->power_asked, c->power->times[n].resume_timeout))
		return;
	node->flags |= NODE_DOWN;
	node->reason = "ResumeTimeout reached";
	node->idle_since = CTL_NONE;
	set_power(c, n, POWER_OFF);
	memset(all->scratch, 0, all->words * sizeof(*all->scratch));
	nset_add(all->scratch, n);
	(void)node_fail_jobs(c, all->scratch);
}

/* Of some nodes so many are to stay on: those that run something count, then the first idle ones
 * (_pick_exc_nodes()). */
static void pick_spared(struct ctl *c, const struct spared *s)
{
	struct ctl_power *p = c->power;
	const size_t words = c->nodes->words;
	uint32_t want = s->count;
	for (uint32_t n = nset_next(s->nodes, words, 0); n != CTL_NO_ROW && want;
		n = nset_next(s->nodes, words, n + 1)) {
		const struct ctl_node *node = &c->nodes->node[n];
		if (!node_is_idle(node) && node->power == POWER_ON &&
			!(node->flags & (NODE_DRAIN | NODE_DOWN)))
			want--;
	}
	for (uint32_t n = nset_next(s->nodes, words, 0); n != CTL_NO_ROW && want;
		n = nset_next(s->nodes, words, n + 1)) {
		const struct ctl_node *node = &c->nodes->node[n];
		if (!may_suspend(node) || node->power != POWER_ON)
			continue;
		nset_add(p->avoid, n);
		want--;
	}
}

static void ctl_power_look(struct ctl *c)
{
	struct ctl_power *p = c->power;
	const size_t words = c->nodes->words;
	fade(p, c->now);
	bucket_fill(&p->suspends, c->now);
	bucket_fill(&p->resumes, c->now);
	p->scanned = c->now;
	p->dirty = false;
	memcpy(p->avoid, p->spared, words * sizeof(*p->avoid));
	for (uint32_t i = 0; i < p->partly_count; i++)
		pick_spared(c, &p->partly[i]);
	for (uint32_t n = 0; n < c->cluster->node_count; n++)
		look_resume(c, n);
	for (uint32_t n = 0; n < c->cluster->node_count; n++) {
		look_suspend(c, n);
		look_off(c, n);
		look_late(c, n);
	}
}

/* ---- Boots ----------------------------------------------------------------------------------- */

static void boots_end(struct ctl *c)
{
	struct ctl_power *p = c->power;
	if (p->boots > c->now)
		return;
	p->boots = CTL_NEVER;
	for (uint32_t n = 0; n < c->cluster->node_count; n++) {
		struct ctl_node *node = &c->nodes->node[n];
		if (node->power != POWER_BOOTING)
			continue;
		if (node->boots > c->now) {
			p->boots = node->boots < p->boots ? node->boots : p->boots;
			continue;
		}
		node->boots = CTL_NEVER;
		if (!node->jobs)
			node->idle_since = c->now;
		set_power(c, n, POWER_ON);
	}
}

/* A look that was left out in this second, as nothing was due: power_note() wants to know of it. */
static void note_beat(const struct ctl *c, struct ctl_power *p)
{
	const int64_t step = p->interval_min > p->interval ? p->interval_min + 1 : p->interval + 1;
	if (c->params.version >= CTL_24_11 && !p->dirty && c->now > p->scanned &&
		(c->now - p->scanned) % step == 0 && c->now < p->due)
		p->scanned = c->now;
}

void ctl_power_run(struct ctl *c)
{
	struct ctl_power *p = c->power;
	if (!p->on)
		return;
	p->changed = false;
	note_beat(c, p);
	boots_end(c);
	if (p->changed)
		power_note(c); /* They registered: that wakes the thread. */
	const bool beat = p->dirty ? c->now > p->scanned + p->interval_min : c->now >= p->due;
	if (beat && c->now > p->scanned) {
		ctl_power_look(c);
		due_renew(c);
	}
	if (p->changed)
		c->node_changes++;
}

ctl_time ctl_power_boot(struct ctl *c, const struct select_alloc *alloc)
{
	struct ctl_power *p = c->power;
	ctl_time up = c->now;
	for (uint32_t i = 0; p->on && i < alloc->node_count; i++) {
		const uint32_t n = alloc->node_alloc[i].node;
		struct ctl_node *node = &c->nodes->node[n];
		if (node->power == POWER_ON)
			continue;
		if (node->power == POWER_OFF) {
			node->flags |= NODE_UP_ASKED;
			power_note(c);
		}
		const int64_t boot = p->boot == CTL_NONE ? p->times[n].resume_timeout / 2 : p->boot;
		const ctl_time asked = p->dirty ? c->now + 1 : p->due;
		const ctl_time ready = node->power == POWER_OFF ? sum(asked, boot) : node->boots;
		up = ready > up ? ready : up;
	}
	return up;
}

bool ctl_power_ready(const struct ctl *c, const struct select_alloc *alloc)
{
	for (uint32_t i = 0; i < alloc->node_count; i++)
		if (c->nodes->node[alloc->node_alloc[i].node].power != POWER_ON)
			return false;
	return true;
}

/* ---- The beginning --------------------------------------------------------------------------- */

/* SuspendTime: -1 and INFINITE: never. */
static int64_t suspend_time(const char *text, int64_t otherwise)
{
	int64_t value;
	if (!text)
		return otherwise;
	if (strcasecmp(text, "INFINITE") == 0 || strcasecmp(text, "UNLIMITED") == 0 ||
		strcasecmp(text, "NONE") == 0)
		return CTL_NEVER;
	if (!sl_get_i64(text, strlen(text), &value))
		return otherwise;
	return value < 0 ? CTL_NEVER : value;
}

static int64_t part_time(const struct ctl *c, const char *part, const char *key)
{
	return suspend_time(sl_setting_of(c->cluster, "partition", part, key), CTL_NONE);
}

static void raise_to(int64_t *value, int64_t least) { *value = least > *value ? least : *value; }

/* The longest of its partitions that say anything (_set_partition_options()); CTL_NONE is less than any.
 * True: one of them has a SuspendTime. */
static bool times_by_part(struct ctl *c, struct ctl_power *p, uint32_t part)
{
	const char *name = c->cluster->partition[part].name;
	const struct times t = { part_time(c, name, "SuspendTime"), part_time(c, name, "SuspendTimeout"),
		part_time(c, name, "ResumeTimeout") };
	const uint64_t *nodes = select_partition_nodes(c->select, part);
	for (uint32_t n = nset_next(nodes, c->nodes->words, 0); n != CTL_NO_ROW;
		n = nset_next(nodes, c->nodes->words, n + 1)) {
		raise_to(&p->times[n].suspend, t.suspend);
		raise_to(&p->times[n].suspend_timeout, t.suspend_timeout);
		raise_to(&p->times[n].resume_timeout, t.resume_timeout);
	}
	return t.suspend != CTL_NONE && t.suspend != CTL_NEVER;
}

/* SuspendTime of a NodeName line, of 26.05: it goes before those of partitions. True: one has one. */
static bool times_by_node(struct ctl *c, struct ctl_power *p)
{
	uint64_t *set = sl_alloc(c->arena, c->nodes->words + 1, sizeof(*set));
	bool any = false;
	for (uint32_t i = 0; set && c->params.version >= CTL_26_05 && i < c->cluster->setting_count; i++) {
		const struct sl_setting *said = &c->cluster->setting[i];
		if (strcmp(said->kind, "node") != 0 || strcasecmp(said->key, "SuspendTime") != 0)
			continue;
		const int64_t time = suspend_time(said->value, CTL_NONE);
		memset(set, 0, c->nodes->words * sizeof(*set));
		(void)node_list(c, said->name, strlen(said->name), set);
		for (uint32_t n = nset_next(set, c->nodes->words, 0); n != CTL_NO_ROW && time != CTL_NONE;
			n = nset_next(set, c->nodes->words, n + 1))
			p->times[n].suspend = time;
		any = any || (time != CTL_NONE && time != CTL_NEVER);
	}
	return any;
}

static bool times_make(struct ctl *c, struct ctl_power *p)
{
	const struct times whole = { suspend_time(sl_setting_of(c->cluster, "cluster", "", "SuspendTime"),
					     CTL_NEVER),
		node_conf_number(c, "SuspendTimeout", 30), node_conf_number(c, "ResumeTimeout", 60) };
	bool any = whole.suspend != CTL_NEVER;
	for (uint32_t n = 0; n < c->cluster->node_count; n++)
		p->times[n] = (struct times){ CTL_NONE, CTL_NONE, CTL_NONE };
	for (uint32_t i = 0; i < c->cluster->partition_count; i++)
		any = times_by_part(c, p, i) || any;
	any = times_by_node(c, p) || any;
	for (uint32_t n = 0; n < c->cluster->node_count; n++) {
		struct times *t = &p->times[n];
		t->suspend = t->suspend == CTL_NONE ? whole.suspend : t->suspend;
		t->suspend_timeout =
			t->suspend_timeout == CTL_NONE ? whole.suspend_timeout : t->suspend_timeout;
		t->resume_timeout = t->resume_timeout == CTL_NONE ? whole.resume_timeout : t->resume_timeout;
		if (t->suspend_timeout == CTL_NEVER) /* Sums stay sums. */
			t->suspend_timeout = CTL_NEVER - 1;
		if (t->resume_timeout == CTL_NEVER)
			t->resume_timeout = CTL_NEVER - 1;
	}
	return any;
}

/* The end of an element of a list whose brackets hold commas of their own. */
static size_t element(const char *text)
{
	size_t i = 0;
	for (int depth = 0; text[i] && (depth || text[i] != ','); i++)
		depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
	return i;
}

/* "n[1-4]:2": two of these; "n9": all of it. */
static int spare_nodes(struct ctl *c, struct ctl_power *p, const char *text)
{
	const size_t words = c->nodes->words;
	while (text && *text) {
		const size_t len = element(text);
		const char *colon = memchr(text, ':', len);
		const size_t names = colon ? (size_t)(colon - text) : len;
		int64_t count = INT64_MAX;
		if (!colon || !sl_get_i64(colon + 1, len - names - 1, &count) || count < 1) {
			(void)node_list(c, text, names, p->spared);
		} else {
			uint64_t *set = sl_alloc(c->arena, words + 1, sizeof(*set));
			if (!set)
				return SL_SYSTEM;
			(void)node_list(c, text, names, set);
			p->partly[p->partly_count++] = (struct spared){ set,
				(uint32_t)(count < c->cluster->node_count ? count : c->cluster->node_count) };
		}
		text += len + (text[len] == ',');
	}
	return SL_OK;
}

static void spare_parts(struct ctl *c, struct ctl_power *p, const char *text)
{
	while (text && *text) {
		const size_t len = strcspn(text, ",");
		for (uint32_t i = 0; i < c->cluster->partition_count; i++) {
			const char *name = c->cluster->partition[i].name;
			const uint64_t *nodes = select_partition_nodes(c->select, i);
			if (strncmp(name, text, len) != 0 || name[len])
				continue;
			for (size_t w = 0; w < c->nodes->words; w++)
				p->spared[w] |= nodes[w];
		}
		text += len + (text[len] == ',');
	}
}

/* A value of SlurmctldParameters; NULL: not set. */
static const char *parameter(const struct ctl *c, const char *key)
{
	const char *text = sl_setting_of(c->cluster, "cluster", "", "SlurmctldParameters");
	const size_t len = strlen(key);
	for (; text && *text; text += strcspn(text, ","), text += *text == ',')
		if (strncasecmp(text, key, len) == 0 && strchr("=,", text[len])) /* Its end too. */
			return text + len + (text[len] == '=');
	return NULL;
}

static int64_t parameter_number(const struct ctl *c, const char *key, int64_t otherwise)
{
	const char *text = parameter(c, key);
	int64_t value;
	return text && sl_get_i64(text, strcspn(text, ","), &value) && value >= 0 ? value : otherwise;
}

static int64_t boot_of(const struct sl_setup *setup)
{
	const struct sl_value *value = setup ? sl_value_of(setup->values, setup->value_count, "boot") : NULL;
	sl_time boot;
	if (!value || !value->text || !sl_get_duration(value->text, strlen(value->text), &boot) || boot < 0)
		return CTL_NONE;
	return (boot + SL_SECOND - 1) / SL_SECOND;
}

static int power_lists(struct ctl *c, struct ctl_power *p)
{
	const char *nodes = sl_setting_of(c->cluster, "cluster", "", "SuspendExcNodes");
	uint32_t most = 1;
	for (const char *t = nodes; t && *t; t += element(t), t += *t == ',')
		most++;
	p->times = sl_alloc(c->arena, (size_t)c->cluster->node_count + 1, sizeof(*p->times));
	p->spared = sl_alloc(c->arena, c->nodes->words + 1, sizeof(*p->spared));
	p->avoid = sl_alloc(c->arena, c->nodes->words + 1, sizeof(*p->avoid));
	p->partly = sl_alloc(c->arena, most, sizeof(*p->partly));
	if (!p->times || !p->spared || !p->avoid || !p->partly)
		return SL_SYSTEM;
	spare_parts(c, p, sl_setting_of(c->cluster, "cluster", "", "SuspendExcParts"));
	return spare_nodes(c, p, nodes);
}

/* Nodes that are powered down at the beginning. Without power saving, as where SuspendTime is not set, a
 * slurmctld that begins takes them for up, nodes of the cloud too (load_all_node_state without
 * power_save_mode). */
static void power_begins(struct ctl *c)
{
	for (uint32_t n = 0; n < c->cluster->node_count; n++) {
		struct ctl_node *node = &c->nodes->node[n];
		if (node->power == POWER_OFF && !c->power->on) {
			node->power = POWER_ON;
			node->idle_since = c->epoch;
		}
		node_settle(c, n);
		power_rank(c, n);
	}
}

int ctl_power_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	struct ctl_power *p = sl_alloc(c->arena, 1, sizeof(*p));
	if (!p || power_lists(c, p) != SL_OK)
		return sl_fail_memory(err);
	p->boot = boot_of(setup);
	p->interval = parameter_number(c, "power_save_interval", 10);
	p->interval_min = parameter_number(c, "power_save_min_interval", 0);
	p->idle_on_suspend = parameter(c, "idle_on_node_suspend") != NULL;
	p->suspend_rate = node_conf_number(c, "SuspendRate", 60);
	p->resume_rate = node_conf_number(c, "ResumeRate", 300);
	/* _init_power_config(): without these there is no thread. */
	p->on = times_make(c, p) && sl_setting_of(c->cluster, "cluster", "", "SuspendProgram") &&
		sl_setting_of(c->cluster, "cluster", "", "ResumeProgram") && p->suspend_rate >= 0 &&
		p->resume_rate >= 0;
	/* Of 24.11 not in the very second of time 0: what begins then is not behind a look. */
	p->scanned = c->epoch - (c->params.version >= CTL_24_11);
	bucket_make(p, &p->suspends, p->suspend_rate);
	bucket_make(p, &p->resumes, p->resume_rate);
	p->due = p->boots = CTL_NEVER;
	c->power = p;
	power_begins(c);
	if (p->on)
		due_renew(c);
	return SL_OK;
}
