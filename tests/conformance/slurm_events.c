/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_events.c - what an administrator did during a recorded scenario, as far as it decides where jobs go:
 * nodes taken out and given back, reservations made and deleted, a partition's MaxNodes. Other commands are
 * passed over: a placement is not wrong because of what we do not know.
 */
#include "tests/conformance/slurm_case.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FOREVER = 1 << 30 };

/* Of "key=value" among words, in any case. NULL: there is none. */
static const char *word_of(const struct slurm_case *c, const char *command, const char *key)
{
	const size_t len = strlen(key);
	for (const char *at = command; *at;) {
		at += strspn(at, " ");
		const size_t word = strcspn(at, " ");
		if (word > len && strncasecmp(at, key, len) == 0 && at[len] == '=')
			return sl_strdup(c->arena, at + len + 1, word - len - 1);
		at += word;
	}
	return NULL;
}

static bool has(const char *command, const char *word) { return strcasestr(command, word) != NULL; }

static int64_t number(const char *text, int64_t otherwise)
{
	int64_t value;
	const size_t digits = text ? strspn(text, "0123456789") : 0;
	return digits && sl_get_i64(text, digits, &value) ? value : otherwise;
}

static struct slurm_window *add_window(struct slurm_case *c)
{
	struct slurm_window *list = sl_alloc(c->arena, c->window_count + 1, sizeof(*list));
	if (c->window_count)
		memcpy(list, c->window, c->window_count * sizeof(*list));
	c->window = list;
	list[c->window_count] = (struct slurm_window){ .until = FOREVER };
	return &list[c->window_count++];
}

static void close_windows(struct slurm_case *c, int64_t at, const char *name, const char *nodes)
{
	for (size_t i = 0; i < c->window_count; i++) {
		struct slurm_window *w = &c->window[i];
		const bool same = name ? w->name && strcmp(w->name, name) == 0
				       : !w->name && nodes && strcmp(w->nodes, nodes) == 0;
		if (same && w->until > at)
			w->until = at > w->from ? at : w->from;
	}
}

static const char *conf_of(const struct slurm_case *c, const char *key)
{
	return sl_setting_of(&c->cluster, "cluster", "", key);
}

/* The rig's daemons answer, so that under ReturnToService=2, its default, a node that is set down is back at
 * once. */
static void node_state(struct slurm_case *c, int64_t at, const char *nodes, const char *state)
{
	if (!state)
		return;
	const bool down = strncasecmp(state, "down", 4) == 0;
	const bool out = down || strncasecmp(state, "drain", 5) == 0 || strncasecmp(state, "fail", 4) == 0;
	if (!out) {
		close_windows(c, at, NULL, nodes);
	} else if (!down || number(conf_of(c, "ReturnToService"), 2) != 2) {
		struct slurm_window *w = add_window(c);
		w->from = at;
		w->nodes = nodes;
	}
}

/* Seconds; a bare number is minutes. */
static int64_t duration(const char *text)
{
	sl_time value;
	if (!text)
		return FOREVER;
	if (strspn(text, "0123456789") == strlen(text))
		return number(text, 0) * 60;
	return sl_get_duration(text, strlen(text), &value) ? value / SL_SECOND : FOREVER;
}

/* "now", "now+117", "now+2minutes". Other times are not on the scenario's clock. */
static int64_t moment(const char *text, int64_t now)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} unit[] = { { "min", 60 }, { "hour", 3600 }, { "day", 86400 } };
	if (!text || strncasecmp(text, "now", 3) != 0)
		return now;
	int64_t cause = text[3] == '+' ? number(text + 4, 0) : 0;
	for (size_t i = 0; i < SL_LEN(unit); i++)
		if (has(text, unit[i].unit))
			cause *= unit[i].seconds;
	return now + cause;
}

/* What `scontrol show reservation` showed of its nodes, if that was captured. */
static const char *nodes_captured(const struct slurm_case *c, const char *captures, const char *name)
{
	char key[200];
	(void)snprintf(key, sizeof(key), "ReservationName=%s StartTime", name);
	for (const char *at = captures ? strstr(captures, key) : NULL; at; at = strstr(at + 1, key)) {
		const char *nodes = strstr(at, " Nodes=");
		if (nodes && strncmp(at, "ReservationName", 15) == 0 &&
			!memchr(at, '#', (size_t)(nodes - at)))
			return sl_strdup(c->arena, nodes + 7, strcspn(nodes + 7, " \n"));
	}
	return NULL;
}

static void reserve(struct slurm_case *c, int64_t at, const char *command, const char *captures)
{
	const char *name = word_of(c, command, "ReservationName");
	if (!name)
		name = word_of(c, command, "Reservation");
	struct slurm_window *w = add_window(c);
	w->name = name ? name : "";
	w->from = moment(word_of(c, command, "StartTime"), at);
	w->until = w->from + duration(word_of(c, command, "Duration"));
	w->nodes = nodes_captured(c, captures, w->name);
	if (!w->nodes)
		w->nodes = word_of(c, command, "Nodes");
	w->node_count = (uint32_t)number(word_of(c, command, "NodeCnt"), 0);
	w->partition = word_of(c, command, "PartitionName");
}

static void one_event(struct slurm_case *c, int64_t at, const char *command, const char *captures)
{
	if (strncmp(command, "scontrol ", 9) != 0)
		return;
	const char *nodes = word_of(c, command, "NodeName");
	const char *partition = word_of(c, command, "PartitionName");
	partition = partition ? partition : word_of(c, command, "Partition");
	const char *most = word_of(c, command, "MaxNodes");
	const char *reservation = word_of(c, command, "ReservationName");
	if (!reservation)
		reservation = word_of(c, command, "Reservation");
	if (has(command, " create ")) {
		if (has(command, "reservation"))
			reserve(c, at, command, captures);
	} else if (has(command, " delete ") && reservation) {
		close_windows(c, at, reservation, NULL);
	} else if (nodes) {
		node_state(c, at, nodes, word_of(c, command, "State"));
	} else if (partition && most) {
		struct slurm_bound *list = sl_alloc(c->arena, c->bound_count + 1, sizeof(*list));
		if (c->bound_count)
			memcpy(list, c->bound, c->bound_count * sizeof(*list));
		list[c->bound_count++] = (struct slurm_bound){ at, partition, number(most, SL_NONE) };
		c->bound = list;
	}
}

void slurm_events_read(struct slurm_case *c, const struct json *events, const char *captures)
{
	const struct json *event;
	JSON_EACH (event, events) {
		const struct json *at = json_member(event, "t");
		const struct json *command = json_member(event, "cmd");
		if (json_is_number(at) && json_is_text(command))
			one_event(c, (int64_t)at->number, command->text, captures);
	}
	c->suspend_time = number(conf_of(c, "SuspendTime"), SL_NONE);
}
