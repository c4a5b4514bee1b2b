/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_windows.c - windows of nodes: reservations as scontrol shows them, and events of the past as sacctmgr
 * reports them.
 *
 * A reservation is a window over its nodes, for its users and accounts; one of licences alone holds no node.
 * Of events a node that was down is an outage; one that was drained is a state, which lets go on what runs.
 * Events of the whole cluster count its processors, and stop no job.
 */
#include <string.h>

#include "traces/slurm/conf.h"

/* Words for nothing; the last alone of reservations, the empty one alone of events. */
static bool conf_windows_is_said(const char *text, bool event)
{
	static const char *const nothing[] = { "", "(null)", "Unknown", "None", "n/a" };
	for (size_t i = event ? 0 : 1; i < SL_LEN(nothing) - event; i++)
		if (conf_same(text, nothing[i]))
			return false;
	return text != NULL;
}

static const char *conf_windows_said(const struct conf_line *line, const char *key)
{
	const char *value = conf_value_of(line, key);
	return conf_windows_is_said(value, false) ? value : NULL;
}

static bool has_flag(const char *flags, const char *wanted)
{
	for (size_t len; flags;) {
		const char *part = conf_part(&flags, ",", &len);
		if (len == strlen(wanted) && conf_begins(part, wanted))
			return true;
	}
	return false;
}

static int conf_windows_report(struct conf *conf, const struct conf_line *line)
{
	struct sl_window_spec spec = { .name = line->pair[0].value,
		.from = conf_windows_said(line, "StartTime"),
		.until = conf_windows_said(line, "EndTime"),
		.users = conf_windows_said(line, "Users"),
		.accounts = conf_windows_said(line, "Accounts"),
		.flags = conf_windows_said(line, "Flags") };
	if (strlen(spec.name) > CONF_NAME_MAX)
		return conf_fail(
			conf, line->pair, "a reservation's name has at most %d letters", CONF_NAME_MAX);
	if (!spec.until)
		spec.length = conf_windows_said(line, "Duration");
	if (!spec.from || (!spec.until && !spec.length))
		return conf_fail(conf, line->pair,
			"the reservation '%.60s' has no StartTime, or neither EndTime nor Duration",
			spec.name);
	spec.kind = has_flag(spec.flags, "MAINT") ? SL_WINDOW_MAINT : SL_WINDOW_RESERVED;
	const int status = conf_nodes_meant(conf, conf_pair_own(line, "Nodes"), &spec.nodes);
	if (status)
		return status;
	if (!spec.nodes)
		return conf_report_other(
			conf, &(struct sl_setting){ "reservation", spec.name, "Nodes", "", line->pair[0].at,
				      SL_APPROXIMATED, "it holds no nodes: kept for policies that follow it",
				      CONF_BY_SLURM });
	return conf->sink->window(conf->sink->self, &spec, &line->pair[0].at, conf->err);
}

int conf_reservations_report(struct conf *conf)
{
	const struct conf_lines *const all[] = { &conf->lines, &conf->further };
	int status = SL_OK;
	for (size_t k = 0; k < SL_LEN(all); k++)
		for (size_t i = 0; i < all[k]->count && !status; i++)
			if (all[k]->line[i].kind == CONF_RESERVATION)
				status = conf_windows_report(conf, &all[k]->line[i]);
	return status;
}

/* ---- Events ------------------------------------------------------------------------------------- */

static int conf_windows_leave(struct conf *conf, const struct conf_event *event, const char *why)
{
	const char *times = conf_printf(&conf->mem, "%s %s", event->from, event->until);
	if (!times)
		return sl_fail_memory(conf->err);
	return conf_report_other(
		conf, &(struct sl_setting){ "event", event->node,
			      conf_windows_is_said(event->state, true) ? event->state : "Event", times,
			      event->at, SL_IGNORED, why, NULL });
}

int conf_event_report(struct conf *conf, const struct conf_event *event)
{
	enum sl_node_state state;
	if (!conf_windows_is_said(event->node, true))
		return conf_windows_leave(conf, event,
			"of the whole cluster: it tells how many processors there were, and stops no job");
	if (!conf_windows_is_said(event->from, true))
		return conf_windows_leave(conf, event, "it has no beginning");
	if (!conf_state_of(event->state, &state))
		return sl_fail_at(conf->err, &event->at, "'%.60s' is no state of a node", event->state);
	if (state != SL_NODE_DOWN && state != SL_NODE_DRAIN && state != SL_NODE_MAINT)
		return conf_windows_leave(conf, event, "in that state the node goes on");
	const uint32_t node =
		strlen(event->node) <= SL_HOST_NAME_MAX ? conf_node_find(conf, event->node) : UINT32_MAX;
	if (node == UINT32_MAX || conf->node[node].gone)
		return conf_windows_leave(conf, event, "there is no such node now");
	const struct sl_window_spec spec = {
		.name = conf_printf(&conf->mem, "%s %s", event->node, event->state),
		.nodes = conf->node[node].name,
		.from = event->from,
		.until = conf_windows_is_said(event->until, true) ? event->until : NULL,
		/* One that has not ended: longer than any log. */
		.length = conf_windows_is_said(event->until, true) ? NULL : "5200w",
		.kind = state == SL_NODE_DOWN ? SL_WINDOW_OUTAGE : SL_WINDOW_STATE,
		.flags = event->state,
	};
	if (!spec.name)
		return sl_fail_memory(conf->err);
	return conf->sink->window(conf->sink->self, &spec, &event->at, conf->err);
}
