/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric.c - the model fabric: jobs that run on several nodes share an InfiniBand fabric, and slow each other
 * down.
 *
 * A job comes with its flows, goes, and at the end of each instant the part of the fabric that this touches
 * is computed anew; only jobs whose rate changed get an event.
 */
#include <stdlib.h>
#include <strings.h>

#include "models/fabric/model.h"

static void fabric_release(void *state)
{
	struct fabric_model *m = state;
	fabric_share_free(m->share);
	if (m->net)
		fabric_net_free(m->net);
	free(m->load);
	free(m->client);
	free(m->spot);
	free(m->packed);
}

static void read_choices(struct fabric_model *m, const struct sl_model_setup *setup)
{
	const struct sl_value *value = setup->values;
	const size_t count = setup->value_count;
	m->contention = (enum fabric_contention)sl_value_of(value, count, "contention")->number;
	m->reference = (enum fabric_reference)sl_value_of(value, count, "reference")->number;
	m->sens = (double)sl_value_of(value, count, "sens")->number / 1e6;
	m->pattern = (enum sl_pattern)(sl_value_of(value, count, "pattern")->number + SL_PATTERN_RING);
}

static int unknown_key(const struct sl_setting *setting, const char *const *known, struct sl_err *err)
{
	const char *similar = sl_nearest(setting->key, known);
	return sl_fail_at(err, &setting->at, "fabric: unknown key '%s'%s%s: schedlab-fabric(7) has all",
		setting->key, similar ? ", did you mean " : "", similar ? similar : "");
}

/* An entry of the section that has a name: cables of a switch. */
static int check_entry(const struct sl_cluster *cluster, const struct sl_setting *setting, struct sl_err *err)
{
	static const char *const keys[] = { "uplinks", "rate", NULL };
	bool known = false, drawn = false;
	for (size_t i = 0; keys[i]; i++)
		known |= strcasecmp(keys[i], setting->key) == 0;
	for (uint32_t i = 0; i < cluster->switch_count; i++)
		drawn |= strcasecmp(cluster->sw[i].name, setting->name) == 0;
	if (!known)
		return unknown_key(setting, keys, err);
	return drawn ? SL_OK
		     : sl_fail_at(err, &setting->at,
			       "fabric: the cluster's files have no switch '%s': entries give cables of switches",
			       setting->name);
}

/* Keys that nothing reads are reported: a misspelt one would be a default in silence. */
static int check_section(const struct sl_model_setup *setup, struct sl_err *err)
{
	const char *known[64] = { NULL };
	SL_CHECK(setup->value_count < SL_LEN(known));
	for (size_t i = 0; i < setup->value_count; i++)
		known[i] = setup->values[i].key;
	int status = SL_OK;
	for (uint32_t i = 0; i < setup->cluster->setting_count && !status; i++) {
		const struct sl_setting *setting = &setup->cluster->setting[i];
		if (strcasecmp(setting->kind, "fabric") != 0)
			continue;
		if (setting->name[0])
			status = check_entry(setup->cluster, setting, err);
		else if (!sl_value_of(setup->values, setup->value_count, setting->key))
			status = unknown_key(setting, known, err);
	}
	return status;
}

static int fabric_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct fabric_model *m = sl_alloc(setup->arena, 1, sizeof(*m));
	if (!m)
		return sl_fail_memory(err);
	*state = m;
	m->arena = setup->arena;
	m->jobs = setup->jobs;
	m->cluster = setup->cluster;
	m->first = SL_NONE;
	read_choices(m, setup);
	int status = check_section(setup, err);
	status = status ? status : fabric_net_new(&m->net, setup, err);
	if (status)
		return status;
	m->links = fabric_net_links(m->net, &m->link);
	m->share = fabric_share_new(m->link, m->links, m->contention);
	m->load = calloc((size_t)m->links + 1, sizeof(*m->load));
	m->held = sl_alloc(setup->arena, (size_t)m->jobs->count + 1, sizeof(*m->held));
	m->worked = sl_alloc(setup->arena, (size_t)m->jobs->count + 1, sizeof(*m->worked));
	if (!m->share || !m->load || !m->held || !m->worked)
		return sl_fail_memory(err);
	return SL_OK;
}

/* ---- How a link is loaded over time: bytes a second, integrated in whole numbers. ---- */

void fabric_load_close(struct fabric_load *load, sl_time now)
{
	if (now > load->since) {
		load->sum += (__int128)load->now * (now - load->since);
		if (load->now > load->peak) /* What lasted no time is no peak. */
			load->peak = load->now;
	}
	load->since = now;
}

static void fabric_load_move(struct fabric_load *load, sl_time now, int64_t by)
{
	fabric_load_close(load, now);
	load->now += by;
}

void fabric_load_full(struct fabric_load *load, sl_time now, bool full)
{
	if (full)
		load->full_since = now;
	else
		load->full_time += now - load->full_since;
}

/* ---- A job and its links ------------------------------------------------------------------------ */

/* Of a job that is on the fabric. */
static struct fabric_client *client_of(struct fabric_model *m, uint32_t job)
{
	return &m->client[fabric_share_slot(m->share, job)];
}

static void carry(struct fabric_model *m, uint32_t job, int64_t by, sl_time now)
{
	uint32_t uses;
	const struct fabric_use *use = fabric_share_uses(m->share, job, &uses);
	for (uint32_t i = 0; i < uses; i++)
		fabric_load_move(&m->load[use[i].link], now, by * use[i].flows);
}

/* What it held and worked since its rate last changed. */
static void settle_job(struct fabric_model *m, uint32_t job, struct fabric_client *client, sl_time now)
{
	const sl_time held = now - client->since;
	m->held[job] += held;
	m->worked[job] += (sl_time)(((unsigned __int128)(uint64_t)held * client->rate) >> 32);
	client->since = now;
}

static void fabric_leave(struct fabric_model *m, sl_job job, sl_time now)
{
	if (fabric_share_slot(m->share, job.row) == UINT32_MAX)
		return;
	struct fabric_client *client = client_of(m, job.row);
	settle_job(m, job.row, client, now);
	carry(m, job.row, -client->load, now);
	fabric_share_remove(m->share, job.row);
	m->on_it--;
	m->last = now;
}

static void fabric_enter(
	struct fabric_model *m, sl_job job, sl_time now, const struct fabric_says *says, uint32_t spots)
{
	struct fabric_there there;
	if (!fabric_job_on(m, job, says, spots, &there))
		return;
	if (!fabric_share_add(m->share, job.row, &there.path, &there.speed)) {
		m->failed = true;
		return;
	}
	if (SL_GROW(m->client, m->clients, (size_t)fabric_share_slot(m->share, job.row) + 1, NULL)) {
		fabric_share_remove(m->share, job.row);
		m->failed = true;
		return;
	}
	*client_of(m, job.row) =
		(struct fabric_client){ .speed = there.speed, .reference = there.reference, .since = now };
	m->on_it++;
	if (m->on_it > m->on_it_most)
		m->on_it_most = m->on_it;
	if (m->first == SL_NONE)
		m->first = now;
}

static void fabric_started(void *state, struct sim *sim, sl_job job)
{
	struct fabric_model *m = state;
	const sl_time now = sl_now(sim);
	fabric_leave(m, job, now); /* Of another size, it has other nodes. */
	const struct sl_node_tasks *alloc;
	const size_t allocs = sl_node_tasks_of(sim, job, &alloc);
	struct fabric_says says;
	if (allocs < 2 || !fabric_says_of(m, job, &says))
		return;
	const uint32_t spots = fabric_spots_of(m, job, alloc, allocs);
	if (spots)
		fabric_enter(m, job, now, &says, spots);
}

static void fabric_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	(void)how; /* One that stands still sends nothing. */
	fabric_leave(state, job, sl_now(sim));
}

/* ---- The end of an instant ---------------------------------------------------------------------- */

static uint64_t rate_of(const struct fabric_model *m, const struct fabric_speed *speed, double reference,
	const struct fabric_got *got)
{
	return fabric_speed_rate(reference, fabric_speed_time(speed, got->rate) * got->slowdown,
		m->reference == FABRIC_PACKED ? FABRIC_RATE_MOST : SL_SPEED_ONE);
}

static void hear_rate(void *self, uint32_t job, const struct fabric_got *got)
{
	struct fabric_model *m = self;
	struct fabric_client *client = client_of(m, job);
	const sl_time now = sl_now(m->sim);
	const uint64_t rate = rate_of(m, &client->speed, client->reference, got);
	const double time = fabric_speed_time(&client->speed, got->rate) * got->slowdown;
	const double load = time > 0 ? client->speed.volume / time : 0;
	const int64_t whole =
		load < 9e17 ? (int64_t)(load + 0.5) : 0; /* Beyond, nothing limits it: it counts nowhere. */
	if (whole != client->load)
		carry(m, job, whole - client->load, now);
	client->load = whole;
	if (rate == client->rate)
		return;
	settle_job(m, job, client, now);
	client->rate = rate;
	sl_model_speed(m->sim, (sl_job){ job }, rate);
}

static void hear_full(void *self, uint32_t link, bool full)
{
	struct fabric_model *m = self;
	fabric_load_full(&m->load[link], sl_now(m->sim), full);
}

static void fabric_settle(void *state, struct sim *sim)
{
	struct fabric_model *m = state;
	m->sim = sim;
	fabric_share_solve(
		m->share, &(struct fabric_listener){ .rate = hear_rate, .full = hear_full, .self = m });
}

static uint64_t fabric_predict(
	void *state, struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count)
{
	(void)sim;
	struct fabric_model *m = state;
	struct fabric_says says;
	struct fabric_there there;
	struct fabric_got got;
	if (count < 2 || !fabric_says_of(m, job, &says))
		return SL_SPEED_ONE;
	const uint32_t spots = fabric_spots_of(m, job, alloc, count);
	if (!spots || !fabric_job_on(m, job, &says, spots, &there) ||
		!fabric_share_predict(m->share, job.row, &there.path, &there.speed, &got))
		return SL_SPEED_ONE;
	return rate_of(m, &there.speed, there.reference, &got);
}

static uint32_t fabric_leaf(void *state, uint32_t node)
{
	const struct fabric_model *m = state;
	return fabric_net_leaf(m->net, node);
}

static const struct sl_param params[] = {
	{ .key = "contention",
		.kind = SL_PARAM_CHOICE,
		.fallback = "backlogged",
		.choices = "backlogged|meanfield|interleaved",
		.help = "how jobs meet on a link: as if they sent all the time, as often as they do on average, or by turns" },
	{ .key = "reference",
		.kind = SL_PARAM_CHOICE,
		.fallback = "placed",
		.choices = "placed|packed",
		.help = "where a job takes its traced time: alone where it is, or alone on nodes side by side" },
	{ .key = "sens",
		.kind = SL_PARAM_REAL,
		.fallback = "0",
		.choices = "0..1",
		.help = "communication's share of an iteration, of jobs on several nodes that say nothing",
		.min = 0,
		.max = 1000000 },
	{ .key = "pattern",
		.kind = SL_PARAM_CHOICE,
		.fallback = "hier",
		.choices = "ring|tree|hier|rs_ag|alltoall|neighbour|broadcast|server",
		.help = "who sends to whom, of jobs that say nothing of that" },
	FABRIC_NET_PARAMS,
};

const struct sl_model model_fabric = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "fabric",
	.summary = "jobs share an InfiniBand fabric, and slow each other down",
	.paper =
		"Bertsekas and Gallager, Data Networks (max-min fairness); Casanova et al., SimGrid, JPDC 2014 (flows in place of packets)",
	.params = params,
	.param_count = SL_LEN(params),
	.on_nodes = true,
	.init = fabric_init,
	.release = fabric_release,
	.started = fabric_started,
	.left = fabric_left,
	.settle = fabric_settle,
	.predict = fabric_predict,
	.report = fabric_report,
	.leaf = fabric_leaf,
};
