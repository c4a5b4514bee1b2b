/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_events.c - what sacctmgr tells of nodes in the past: down, drained, as windows.
 *
 * A node that was down is an outage; one that was drained is a state, which lets go on what runs. Events of
 * the whole cluster count its processors, and stop no job.
 */
#include <string.h>

#include "traces/slurm/conf.h"

static bool is_said(const char *text)
{
	static const char *const nothing[] = { "", "Unknown", "None", "(null)" };
	for (size_t i = 0; i < SL_LEN(nothing); i++)
		if (conf_same(text, nothing[i]))
			return false;
	return true;
}

static int leave(struct conf *conf, const struct conf_event *event, const char *why)
{
	const char *times = conf_printf(&conf->mem, "%s %s", event->from, event->until);
	if (!times)
		return sl_fail_memory(conf->err);
	return conf_tell_other(conf,
		&(struct sl_setting){ "event", event->node, is_said(event->state) ? event->state : "Event",
			times, event->at, SL_IGNORED, why, NULL });
}

int conf_event_tell(struct conf *conf, const struct conf_event *event)
{
	enum sl_node_state state;
	if (!is_said(event->node))
		return leave(conf, event,
			"of the whole cluster: it tells how many processors there were, and stops no job");
	if (!is_said(event->from))
		return leave(conf, event, "it has no beginning");
	if (!conf_state_of(event->state, &state))
		return sl_fail_at(conf->err, &event->at, "'%.60s' is no state of a node", event->state);
	if (state != SL_NODE_DOWN && state != SL_NODE_DRAIN && state != SL_NODE_MAINT)
		return leave(conf, event, "in that state the node goes on");
	const uint32_t node =
		strlen(event->node) <= SL_HOST_NAME_MAX ? conf_node_find(conf, event->node) : UINT32_MAX;
	if (node == UINT32_MAX || conf->node[node].gone)
		return leave(conf, event, "there is no such node now");
	const struct sl_window_spec spec = {
		.name = conf_printf(&conf->mem, "%s %s", event->node, event->state),
		.nodes = conf->node[node].name,
		.from = event->from,
		.until = is_said(event->until) ? event->until : NULL,
		/* One that has not ended: longer than any log. */
		.length = is_said(event->until) ? NULL : "5200w",
		.kind = state == SL_NODE_DOWN ? SL_WINDOW_OUTAGE : SL_WINDOW_STATE,
		.flags = event->state,
	};
	if (!spec.name)
		return sl_fail_memory(conf->err);
	return conf->sink->window(conf->sink->self, &spec, &event->at, conf->err);
}
