/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_nodes.c - nodes fail one by one, are noticed, drained, mended; spares stand in for them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/failures/failures.h"

static const char *failures_nodes_name_of(const struct failures *f, uint32_t node, char *text, size_t size)
{
	const struct sl_cluster *cluster = f->setup.cluster;
	if (cluster->node_name && cluster->node_name[node])
		return cluster->node_name[node];
	snprintf(text, size, "%" PRIu32, node);
	return text;
}

/* The same, for good. */
static const char *name_kept(const struct failures *f, uint32_t node)
{
	char text[32];
	const char *name = failures_nodes_name_of(f, node, text, sizeof(text));
	return name == text ? sl_strdup(f->setup.arena, text, strlen(text)) : name;
}

static struct sl_rng stream_of(const struct failures *f, const char *kind, const char *name)
{
	char path[SL_HOST_NAME_MAX + 64];
	snprintf(path, sizeof(path), "models/failures/%s/%s", kind, name);
	return sl_rng_stream(f->setup.seed, path);
}

static int mark_lemons(struct failures *f, struct sl_err *err)
{
	const struct sl_value *listed = sl_value_of(f->setup.values, f->setup.value_count, "lemon_nodes");
	if (listed && listed->text) {
		const uint32_t *node = NULL;
		uint32_t count = 0;
		if (failures_hosts(f, listed->text, NULL, &node, &count, err))
			return err->status;
		for (uint32_t i = 0; i < count; i++)
			f->node[node[i]].lemon = true;
	}
	for (uint32_t i = 0; i < f->node_count; i++) {
		char text[32];
		struct sl_rng rng = stream_of(f, "lemon", failures_nodes_name_of(f, i, text, sizeof(text)));
		if (sl_rng_unit(&rng) < f->options.lemon_share)
			f->node[i].lemon = true;
	}
	return SL_OK;
}

static int make_node(struct failures *f, uint32_t row, struct sl_err *err)
{
	struct fail_node *node = &f->node[row];
	char text[32];
	const char *name = failures_nodes_name_of(f, row, text, sizeof(text));
	node->rng = stream_of(f, "node", name);
	node->alarm_rng = stream_of(f, "alarm", name);
	node->hurt_rng = stream_of(f, "hurt", name);
	node->alarm = node->back = SL_NEVER;
	node->stands_for = node->stand_in = node->record = UINT32_MAX;
	node->role = row + f->options.spares >= f->node_count ? FAIL_ROLE_SPARE : FAIL_ROLE_PLAIN;
	return failures_process_of(&f->options, &f->setup, row, &node->process, err);
}

int failures_nodes_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	f->node_count = setup->cluster->node_count;
	if (f->options.spares >= f->node_count && f->options.spares)
		return sl_fail(err, SL_USAGE, "failures: %u spares of %u nodes: leave some for jobs",
			f->options.spares, f->node_count);
	if (!f->node_count)
		return SL_OK;
	f->node = sl_alloc(setup->arena, f->node_count, sizeof(*f->node));
	if (!f->node)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < f->node_count; i++)
		if (make_node(f, i, err))
			return err->status;
	if (mark_lemons(f, err))
		return err->status;
	for (uint32_t i = 0; i < f->node_count; i++) {
		if (!f->node[i].lemon)
			continue;
		if (f->options.lemon_factor > 0)
			f->node[i].process.scale /= f->options.lemon_factor;
		else
			f->node[i].process.scale = 0;
	}
	return SL_OK;
}

static void next_alarm(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	const struct fail_options *o = &f->options;
	if (!(o->false_alarms > 0))
		return;
	const int64_t checks = failures_checks(o->false_alarms, sl_rng_unit(&node->alarm_rng));
	const int64_t first = sl_now(sim) / o->check + 1;
	node->alarm = checks > SL_NEVER / o->check - first ? SL_NEVER : (first + checks - 1) * o->check;
	failures_wake(sim, node->alarm, FAIL_T_ALARM, row);
}

void failures_nodes_begin(struct failures *f, struct sim *sim)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		f->node[i].next = failures_next(f, &f->node[i], f->begun);
		failures_wake(sim, f->node[i].next.at, FAIL_T_NODE, i);
		next_alarm(f, sim, i);
		if (f->node[i].role == FAIL_ROLE_SPARE)
			sl_model_node_drain(sim, i, true);
	}
}

/* ---- Spares ------------------------------------------------------------------- */

static void stand_in_for(struct failures *f, struct sim *sim, uint32_t row)
{
	const uint32_t *type = f->setup.cluster->node_type;
	const uint32_t first = f->node_count - f->options.spares;
	for (uint32_t i = first; i < f->node_count; i++) {
		struct fail_node *spare = &f->node[i];
		if (spare->role != FAIL_ROLE_SPARE || spare->state > FAIL_FAULTY || type[i] != type[row] ||
			!sl_node_is_up(sim, i))
			continue;
		spare->role = FAIL_ROLE_SERVING;
		spare->stands_for = row;
		spare->serving_since = sl_now(sim);
		f->node[row].stand_in = i;
		f->served++;
		sl_model_node_drain(sim, i, false);
		return;
	}
	f->wanted += f->options.spares > 0;
}

static void stand_down(struct failures *f, struct sim *sim, uint32_t spare)
{
	struct fail_node *node = &f->node[spare];
	f->serving += failures_times(1, sl_now(sim) - node->serving_since, 1);
	f->node[node->stands_for].stand_in = UINT32_MAX;
	node->stands_for = UINT32_MAX;
	node->role = FAIL_ROLE_SPARE;
	sl_model_node_drain(sim, spare, true);
}

static void out_of_service(struct failures *f, struct sim *sim, uint32_t row)
{
	const struct fail_node *node = &f->node[row];
	if (node->role == FAIL_ROLE_PLAIN)
		stand_in_for(f, sim, row);
	else if (node->role == FAIL_ROLE_SERVING) {
		const uint32_t beneficiary = node->stands_for;
		stand_down(f, sim, row);
		stand_in_for(f, sim, beneficiary);
	}
}

/* ---- A failure's progress -------------------------------------------------------- */

static void take_down(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	node->state = FAIL_DOWN;
	node->down_since = sl_now(sim);
	node->back = failures_later(sl_now(sim), node->now.mend);
	failures_hit_nodes(f, sim, &row, 1, node->record);
	sl_model_node_down(sim, row, f->options.return_known ? node->back : SL_NEVER);
	failures_wake(sim, node->back, FAIL_T_BACK, row);
}

/* What a check found: what runs there may end first. */
static void take_out(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	out_of_service(f, sim, row);
	if (!f->options.drain_waits || !failures_node_in_use(f, sim, row)) {
		take_down(f, sim, row);
		return;
	}
	node->state = FAIL_DRAINING;
	f->draining++;
	sl_model_node_drain(sim, row, true);
}

void failures_drained(struct failures *f, struct sim *sim)
{
	uint32_t left = f->draining;
	for (uint32_t i = 0; i < f->node_count && left; i++) {
		if (f->node[i].state != FAIL_DRAINING)
			continue;
		left--;
		if (failures_node_in_use(f, sim, i))
			continue;
		f->draining--;
		take_down(f, sim, i);
		sl_model_node_drain(sim, i, false);
	}
}

static void begin_failure(struct failures *f, struct sim *sim, uint32_t row, const struct fail_event *event)
{
	struct fail_node *node = &f->node[row];
	node->now = *event;
	node->record = failures_record(f, sl_now(sim), name_kept(f, row), event->cause);
	f->cause[event->cause].count++;
}

void failures_node_due(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	const struct fail_event event = node->next;
	if (event.at != sl_now(sim))
		return;
	node->next = failures_next(f, node, failures_after(f, &event));
	failures_wake(sim, node->next.at, FAIL_T_NODE, row);
	if (node->state != FAIL_UP) {
		f->passed_over++;
		return;
	}
	begin_failure(f, sim, row, &event);
	if (event.hidden) {
		node->state = FAIL_FAULTY;
		failures_wake(sim, event.seen, FAIL_T_SEEN, row);
		failures_hurt_node(f, sim, row);
	} else if (event.mend > 0) {
		out_of_service(f, sim, row);
		take_down(f, sim, row);
	} else {
		failures_hit_nodes(f, sim, &row, 1, node->record);
		if (node->record != UINT32_MAX)
			f->record[node->record].until = sl_now(sim);
	}
}

void failures_node_seen(struct failures *f, struct sim *sim, uint32_t row)
{
	if (f->node[row].state == FAIL_FAULTY && f->node[row].now.seen == sl_now(sim))
		take_out(f, sim, row);
}

void failures_node_alarm(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	if (node->alarm != sl_now(sim))
		return;
	next_alarm(f, sim, row);
	if (node->state != FAIL_UP)
		return;
	const sl_time away = f->options.alarm_time > 0 ? f->options.alarm_time : 1;
	begin_failure(f, sim, row,
		&(struct fail_event){
			.at = sl_now(sim), .seen = sl_now(sim), .mend = away, .cause = f->cause_alarm });
	take_out(f, sim, row);
}

void failures_node_back(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_node *node = &f->node[row];
	if (node->state != FAIL_DOWN || node->back != sl_now(sim))
		return;
	node->state = FAIL_UP;
	node->back = SL_NEVER;
	f->cause[node->now.cause].down += failures_times(1, sl_now(sim) - node->down_since, 1);
	if (node->record != UINT32_MAX)
		f->record[node->record].until = sl_now(sim);
	sl_model_node_up(sim, row);
	if (node->stand_in != UINT32_MAX)
		stand_down(f, sim, node->stand_in);
}
