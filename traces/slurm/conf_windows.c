/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_windows.c - reservations as scontrol shows them.
 *
 * A reservation is a window over its nodes, for its users and accounts; one of licences alone holds no node.
 */
#include <string.h>

#include "traces/slurm/conf.h"

static const char *said(const struct conf_line *line, const char *key)
{
	const char *value = conf_value_of(line, key);
	static const char *const nothing[] = { "(null)", "Unknown", "None", "n/a" };
	for (size_t i = 0; value && i < SL_LEN(nothing); i++)
		if (conf_same(value, nothing[i]))
			value = NULL;
	return value;
}

static bool has_flag(const char *flags, const char *wanted)
{
	for (size_t len; flags;) {
		const char *piece = conf_piece(&flags, ",", &len);
		if (len == strlen(wanted) && conf_begins(piece, wanted))
			return true;
	}
	return false;
}

static int tell(struct conf *conf, const struct conf_line *line)
{
	struct sl_window_spec spec = { .name = line->pair[0].value,
		.from = said(line, "StartTime"),
		.until = said(line, "EndTime"),
		.users = said(line, "Users"),
		.accounts = said(line, "Accounts"),
		.flags = said(line, "Flags") };
	if (strlen(spec.name) > CONF_NAME_MAX)
		return conf_fail(
			conf, line->pair, "a reservation's name has at most %d letters", CONF_NAME_MAX);
	if (!spec.until)
		spec.length = said(line, "Duration");
	if (!spec.from || (!spec.until && !spec.length))
		return conf_fail(conf, line->pair,
			"the reservation '%.60s' has no StartTime, or neither EndTime nor Duration",
			spec.name);
	spec.kind = has_flag(spec.flags, "MAINT") ? SL_WINDOW_MAINT : SL_WINDOW_RESERVED;
	const int status = conf_nodes_meant(conf, conf_pair_own(line, "Nodes"), &spec.nodes);
	if (status)
		return status;
	if (!spec.nodes)
		return conf_tell_other(
			conf, &(struct sl_setting){ "reservation", spec.name, "Nodes", "", line->pair[0].at,
				      SL_APPROXIMATED, "it holds no nodes: kept for policies that follow it",
				      CONF_BY_SLURM });
	return conf->sink->window(conf->sink->self, &spec, &line->pair[0].at, conf->err);
}

int conf_reservations_tell(struct conf *conf, const struct conf_lines *lines)
{
	int status = SL_OK;
	for (size_t i = 0; i < lines->count && !status; i++)
		if (lines->line[i].kind == CONF_RESERVATION)
			status = tell(conf, &lines->line[i]);
	return status;
}
