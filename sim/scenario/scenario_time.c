/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_time.c - zones and points of time as people write them; and what stands once a trace's header is
 * read.
 *
 * A date is local to the scenario's fixed offset from UTC; the machine's own
 * zone is never read.
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

/* All of text is digits. */
static bool digits_of(const char *text, size_t len, int64_t *value)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return sl_get_i64(text, len, value);
}

int time_zone(const char *text, int64_t *offset, struct sl_err *err)
{
	const size_t len = strlen(text);
	int64_t hours, minutes;
	const bool signed_text = text[0] == '+' || text[0] == '-';
	bool good = false;
	if (len == 6 && signed_text && text[3] == ':' && digits_of(text + 1, 2, &hours) &&
		digits_of(text + 4, 2, &minutes) && minutes < 60) {
		*offset = (hours * 60 + minutes) * (text[0] == '-' ? -60 : 60);
		good = true;
	} else {
		good = sl_get_i64(text, len, offset);
	}
	if (good && *offset >= -86400 && *offset <= 86400)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"time zone '%s' is not one: give the offset from UTC as +02:00, or in seconds", text);
}

int time_point(const struct scenario *scenario, const char *what, const char *text, sl_time *time,
	struct sl_err *err)
{
	size_t len = strlen(text);
	sl_time date;
	if (sl_get_date(text, len, &date)) {
		if (!scenario->epoch)
			return sl_fail(err, SL_USAGE,
				"%s=%s: the trace does not say when it began (UnixStartTime), so it has no dates: "
				"give seconds since its zero, or a duration such as 3d",
				what, text);
		*time = date - (scenario->utc_offset + scenario->epoch) * SL_SECOND;
		return SL_OK;
	}
	const char *number = text;
	if (*number == '+') {
		number++;
		len--;
	}
	if (sl_get_duration(number, len, time))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"%s=%s is not a time: give seconds since the trace's zero, a duration such as 3d or 36h, or a date "
		"as 2001-12-31T23:59",
		what, text);
}

/* ---- From the header: the cluster's size, zero, and the selected jobs ---------------------------- */

/* The first whole number of the first header line of that name, if it is within bounds; else 0. What
 * follows it is prose ("MaxProcs: 93312 (80640+...)"). */
static int64_t header_number(const struct scenario *scenario, const char *key, int64_t min, int64_t max)
{
	for (size_t i = 0; i < scenario->header_count; i++) {
		if (strcmp(scenario->header[i].key, key) != 0)
			continue;
		const char *text = scenario->header[i].value;
		size_t len = text[0] == '-' || text[0] == '+';
		while (text[len] >= '0' && text[len] <= '9')
			len++;
		int64_t value;
		return sl_get_i64(text, len, &value) && value >= min && value <= max ? value : 0;
	}
	return 0;
}

static int settle_machine(struct loading *loading, struct sl_err *err)
{
	static const struct {
		const char *key, *from;
	} sizes[] = {
		{ "MaxProcs", "MaxProcs of the trace" },
		{ "MaxNodes", "MaxNodes of the trace" },
	};
	struct scenario *scenario = loading->scenario;
	if (loading->machine)
		return SL_OK;
	scenario->cpus = loading->cpus_set;
	scenario->cpus_from = "cluster.cpus";
	for (size_t i = 0; i < SL_LEN(sizes) && !scenario->cpus; i++) {
		scenario->cpus = header_number(scenario, sizes[i].key, 1, INT32_MAX);
		scenario->cpus_from = sizes[i].from;
	}
	if (scenario->cpus)
		return SL_OK;
	scenario->cpus_from = NULL;
	if (loading->options->any_machine)
		return SL_OK;
	for (size_t i = 0; i < SL_LEN(sizes); i++)
		for (size_t line = 0; line < scenario->header_count; line++)
			if (strcmp(scenario->header[line].key, sizes[i].key) == 0)
				return sl_fail(err, SL_INPUT,
					"%s: the size of the machine is not known, %s '%.40s' is not a whole number "
					"from 1 to %d: give --set cluster.cpus=N, or -c CLUSTER",
					loading->file, sizes[i].key, scenario->header[line].value, INT32_MAX);
	return sl_fail(err, SL_INPUT,
		"%s: the size of the machine is not known, its header has neither MaxProcs nor MaxNodes: give "
		"--set cluster.cpus=N, or -c CLUSTER",
		loading->file);
}

/* From and to, once zero is known. */
int settle_selection(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct sl_value *from = &scenario->replay[REPLAY_FROM];
	const struct sl_value *to = &scenario->replay[REPLAY_TO];
	const struct sl_value *until = &scenario->replay[REPLAY_UNTIL];
	int status = SL_OK;
	if (from->text)
		status = time_point(scenario, "replay.from", from->text, &loading->from, err);
	if (!status && to->text)
		status = time_point(scenario, "replay.to", to->text, &loading->to, err);
	scenario->bounded = until->text;
	if (!status && until->text)
		status = time_point(scenario, "replay.until", until->text, &scenario->until, err);
	return status;
}

/* The header's TimeZoneString, "US/Pacific", if it may be the name of a zone; NULL: there is none. */
static const char *header_zone(const struct scenario *scenario)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+-";
	enum { ZONE_LONGEST = 60 };
	for (size_t line = 0; line < scenario->header_count; line++) {
		const char *name = scenario->header[line].value;
		const size_t len = strspn(name, letters);
		if (strcmp(scenario->header[line].key, "TimeZoneString") == 0 && len && !name[len] &&
			len <= ZONE_LONGEST)
			return name;
	}
	return NULL;
}

int loading_settle(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const int status = settle_machine(loading, err);
	if (status)
		return status;
	loading->settled = true;
	if (!loading->options->tz) {
		scenario->utc_offset = header_number(scenario, "TimeZone", -86400, 86400);
		scenario->time_zone = header_zone(scenario);
	}
	if (loading->dated)
		return SL_OK;
	scenario->epoch = header_number(scenario, "UnixStartTime", 1, INT64_C(100000000000));
	return settle_selection(loading, err);
}
