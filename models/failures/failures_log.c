/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_log.c - failures that happened, from a file; and outages that are given in a setting.
 *
 * A CSV file with the columns node (a list of hosts), from, until, and, if wanted, cause and state; or what
 * `sacctmgr show event -P` prints (sacctmgr(1)): NodeName|TimeStart|TimeEnd|State|Reason, among others.
 * Times are dates by the log's own clock, seconds or durations since the run's zero. An empty until (or
 * Unknown): it is not over. A state that begins with DRAIN lets go on what runs there; without a state, or in
 * any other, the node is down. Lines without a node (events of the whole cluster) are passed over.
 *
 * "n[1-4] 3d 76h drain; n7 100 200": outages apart by ';', each a list of hosts, from, until ('-': it is not
 * over) and, if wanted, down or drain.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "models/failures/failures.h"

enum { NODE, FROM, UNTIL, CAUSE, STATE, FIELDS };

static const struct {
	const char *names[4];
	bool wanted;
} fields[FIELDS] = {
	[NODE] = { { "node", "NodeName", "Node" }, true },
	[FROM] = { { "from", "TimeStart", "Start" }, true },
	[UNTIL] = { { "until", "TimeEnd", "End" }, true },
	[CAUSE] = { { "cause", "Reason" }, false },
	[STATE] = { { "state", "StateRaw" }, false },
};

struct log {
	const struct sl_csv_table *csv;
	uint32_t column[FIELDS]; /* UINT32_MAX: there is none. */
};

struct text {
	const char *at;
	size_t len;
};

static struct text failures_log_field_of(const struct log *log, uint32_t row, int field)
{
	const struct sl_csv_table *csv = log->csv;
	const uint32_t column = log->column[field];
	if (column == UINT32_MAX)
		return (struct text){ "", 0 };
	const char *cell = csv->cell[(size_t)row * csv->columns + column];
	return (struct text){ cell, strlen(cell) };
}

static bool is_text(struct text text, const char *word)
{
	return text.len == strlen(word) && strncasecmp(text.at, word, text.len) == 0;
}

static bool failures_log_is_said(struct text text)
{
	return text.len && !is_text(text, "Unknown") && !is_text(text, "None") && !is_text(text, "(null)");
}

static int find_columns(struct log *log, struct sl_err *err)
{
	for (int i = 0; i < FIELDS; i++) {
		log->column[i] = UINT32_MAX;
		for (int k = 0; fields[i].names[k] && log->column[i] == UINT32_MAX; k++)
			log->column[i] = sl_csv_column(log->csv, fields[i].names[k]);
		if (log->column[i] == UINT32_MAX && fields[i].wanted)
			return sl_fail_at(err, &(struct sl_place){ .file = log->csv->file, .line = 1 },
				"there is no column '%s' (or '%s'): add it to the first line",
				fields[i].names[0], fields[i].names[1]);
	}
	return SL_OK;
}

static int failures_log_time_of(const struct failures *f, struct text text, const struct sl_place *at,
	sl_time *time, struct sl_err *err)
{
	if (sl_get_micro(text.at, text.len, time) || sl_get_duration(text.at, text.len, time))
		return SL_OK;
	if (!sl_get_date(text.at, text.len, time))
		return sl_fail_at(err, at,
			"'%.*s' is no time: give seconds, a duration such as 36h, or a date "
			"(2024-05-01T12:00:00)",
			(int)(text.len < 60 ? text.len : 60), text.at);
	if (!f->setup.epoch)
		return sl_fail_at(err, at, "a date, but the trace has none: give seconds since its zero");
	*time -= f->setup.epoch * SL_SECOND;
	return SL_OK;
}

static int add_outage(
	struct failures *f, const struct text field[FIELDS], const struct sl_place *at, struct sl_err *err)
{
	const struct text node = field[NODE], until = field[UNTIL], cause = field[CAUSE],
			  state = field[STATE];
	struct fail_group group = { .next = SL_NEVER, .back = SL_NEVER };
	group.name = sl_strdup(f->setup.arena, node.at, node.len);
	if (!group.name)
		return sl_fail_memory(err);
	group.cause = failures_log_is_said(cause) ? failures_cause_of(f, cause.at, cause.len)
						  : failures_cause_of(f, "not said", 8);
	if (group.cause == UINT32_MAX)
		return sl_fail_at(err, at, "more than %d causes: join some", FAIL_CAUSES_MAX);
	if (failures_log_time_of(f, field[FROM], at, &group.next, err) ||
		(failures_log_is_said(until) && failures_log_time_of(f, until, at, &group.back, err)))
		return err->status;
	if (group.back <= group.next)
		return sl_fail_at(err, at, "it is over before it begins: until has to be after from");
	group.drain = state.len >= 5 && strncasecmp(state.at, "DRAIN", 5) == 0;
	if (failures_hosts(f, group.name, at, &group.node, &group.node_count, err))
		return err->status;
	return failures_group_add(f, &group, err);
}

static int add_line(struct failures *f, const struct log *log, uint32_t row, struct sl_err *err)
{
	const struct sl_place at = sl_csv_place(log->csv, row, 0);
	struct text field[FIELDS];
	for (int i = 0; i < FIELDS; i++)
		field[i] = failures_log_field_of(log, row, i);
	return failures_log_is_said(field[NODE]) ? add_outage(f, field, &at, err) : SL_OK;
}

/* One of the setting's, up to its ';'. */
static int add_reported(struct failures *f, const char *p, const char *end, struct sl_err *err)
{
	static const int order[] = { NODE, FROM, UNTIL, STATE };
	static const char form[] = "an outage is NODES FROM UNTIL, and down or drain: n[1-4] 3d 76h drain";
	const struct sl_place at = { .file = "failures.outages" };
	struct text field[FIELDS] = { [CAUSE] = { "outage", 6 }, [STATE] = { "down", 4 } };
	size_t count = 0;
	for (; p < end; count++) {
		const char *word = p;
		while (p < end && *p != ' ' && *p != '\t')
			p++;
		if (count == SL_LEN(order))
			return sl_fail_at(
				err, &at, "'%.*s': %s", (int)(end - word < 60 ? end - word : 60), word, form);
		field[order[count]] = (struct text){ word, (size_t)(p - word) };
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
	}
	if (!count)
		return SL_OK;
	if (is_text(field[UNTIL], "-"))
		field[UNTIL].len = 0;
	if (count < 3 || (!is_text(field[STATE], "down") && !is_text(field[STATE], "drain")))
		return sl_fail_at(err, &at, "%s", form);
	return add_outage(f, field, &at, err);
}

int failures_outages_read(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, "outages");
	const char *p = value ? value->text : NULL;
	int status = SL_OK;
	while (p && *p && !status) {
		p += strspn(p, " \t;");
		const char *end = p + strcspn(p, ";");
		status = add_reported(f, p, end, err);
		p = end;
	}
	return status;
}

int failures_log_read(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct log log = { .csv = sl_csv_table_of(setup, "log") };
	if (!log.csv)
		return SL_OK;
	if (find_columns(&log, err))
		return err->status;
	for (uint32_t row = 0; row < log.csv->rows; row++)
		if (add_line(f, &log, row, err))
			return err->status;
	return SL_OK;
}
