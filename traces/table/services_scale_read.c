/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services_scale_read.c - what a services file says of autoscalers and updates.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/services.h"

/* ---- Rules of a direction ------------------------------------------------------------------------ */

/* {type: pods, value: 4, period: 15} */
static int policy_take(
	struct services_file *f, const struct sl_doc_node *map, bool up, struct scale_policy *p)
{
	const struct sl_place at = sl_doc_place(&f->w.doc, map);
	*p = (struct scale_policy){ 0 };
	const char *type = NULL;
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, map, "a map such as {type: pods, value: 4, period: 15}");
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, map); node && !status;
		node = sl_doc_next(&f->w.doc, node)) {
		if (workflow_is(&f->w, node, "type"))
			status = workflow_name(&f->w, node, &type);
		else if (workflow_is(&f->w, node, "value"))
			status = workflow_number(&f->w, node, 1, SERVICES_REPLICAS_MAX, &p->value);
		else if (workflow_is(&f->w, node, "period"))
			status = workflow_time(&f->w, node, 1, &p->period);
		else
			status = services_unknown(f, node, "type, value, period");
	}
	if (status)
		return status;
	p->percent = type && strcmp(type, "percent") == 0;
	if (!type || (!p->percent && strcmp(type, "pods") != 0) || !p->value || !p->period)
		return sl_fail_at(f->w.err, &at,
			"a policy needs 'type' (pods or percent), 'value' and 'period': give them");
	if (p->period > SERVICES_WINDOW_MAX / 2 * SL_SECOND)
		return sl_fail_at(f->w.err, &at, "a policy's period is at most 1800 s: give a shorter one");
	if (p->percent && !up && p->value > 100)
		return sl_fail_at(f->w.err, &at, "more than 100 percent cannot go: give at most 100");
	return SL_OK;
}

static int policies_take(
	struct services_file *f, const struct sl_doc_node *list, bool up, struct scale_rules *rules)
{
	rules->policies = 0;
	int status = workflow_list(&f->w, list, "a list of policies");
	if (!status && list->count > SERVICES_POLICIES_MAX)
		return workflow_fail(&f->w, list, "a list of at most 16 policies");
	if (status)
		return status;
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, list); node && !status;
		node = sl_doc_next(&f->w.doc, node))
		status = policy_take(f, node, up, &rules->policy[rules->policies++]);
	return status;
}

static int select_take(struct services_file *f, const struct sl_doc_node *node, enum scale_select *select)
{
	static const char *const words[] = { "max", "min", "disabled" };
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(&f->w, node) : "";
	for (size_t i = 0; i < SL_LEN(words); i++) {
		if (strcmp(words[i], text) != 0)
			continue;
		*select = (enum scale_select)i;
		return SL_OK;
	}
	return workflow_fail(&f->w, node, "one of max, min, disabled");
}

static int rules_take(
	struct services_file *f, const struct sl_doc_node *map, bool up, struct scale_rules *rules)
{
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, map, "a map, with 'stabilization', 'select', 'policies'");
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, map); node && !status;
		node = sl_doc_next(&f->w.doc, node)) {
		if (workflow_is(&f->w, node, "stabilization"))
			status = workflow_time(&f->w, node, 0, &rules->stabilization);
		else if (workflow_is(&f->w, node, "select"))
			status = select_take(f, node, &rules->select);
		else if (workflow_is(&f->w, node, "policies"))
			status = policies_take(f, node, up, rules);
		else
			status = services_unknown(f, node, "stabilization, select, policies");
		if (!status && rules->stabilization > SERVICES_WINDOW_MAX * SL_SECOND)
			return workflow_fail(&f->w, node, "a stabilization of at most 3600 s");
	}
	return status;
}

int services_autoscaler(struct services_file *f, struct service *s)
{
	const struct sl_doc_node *map = s->autoscaler;
	struct scale_options *options = &s->scale;
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, map, "a map, with 'sync', 'tolerance', 'lead', 'up', 'down'");
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, map); node && !status;
		node = sl_doc_next(&f->w.doc, node)) {
		if (workflow_is(&f->w, node, "sync"))
			status = workflow_time(&f->w, node, SL_SECOND, &options->sync);
		else if (workflow_is(&f->w, node, "lead"))
			status = workflow_time(&f->w, node, 0, &options->lead);
		else if (workflow_is(&f->w, node, "tolerance"))
			status = services_micro(f, node, 0, SL_SECOND, &options->tolerance);
		else if (workflow_is(&f->w, node, "up"))
			status = rules_take(f, node, true, &options->up);
		else if (workflow_is(&f->w, node, "down"))
			status = rules_take(f, node, false, &options->down);
		else
			status = services_unknown(f, node, "sync, tolerance, lead, up, down");
		if (!status && options->lead > SERVICES_WINDOW_MAX * SL_SECOND)
			return workflow_fail(&f->w, node, "a lead of at most 3600 s");
	}
	return status;
}

/* ---- Updates ---------------------------------------------------------------------------------------- */

/* "2", "25%" */
static int share_take(struct services_file *f, const struct sl_doc_node *node, struct share *share)
{
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(&f->w, node) : "";
	const size_t len = strlen(text);
	share->percent = len && text[len - 1] == '%';
	const int64_t most = share->percent ? 100 : SERVICES_REPLICAS_MAX;
	if (sl_get_i64(text, len - share->percent, &share->value) && share->value >= 0 &&
		share->value <= most)
		return SL_OK;
	return workflow_fail(&f->w, node, "a number of replicas, or percent of them such as 25%");
}

static int update_take(struct services_file *f, const struct sl_doc_node *map, const struct service *s,
	struct service_update *update)
{
	const struct sl_place at = sl_doc_place(&f->w.doc, map);
	*update = (struct service_update){ SL_NONE, { 25, true }, { 25, true } };
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, map, "a map, with 'at', 'max_surge', 'max_unavailable'");
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, map); node && !status;
		node = sl_doc_next(&f->w.doc, node)) {
		if (workflow_is(&f->w, node, "at"))
			status = workflow_time(&f->w, node, 0, &update->at);
		else if (workflow_is(&f->w, node, "max_surge"))
			status = share_take(f, node, &update->surge);
		else if (workflow_is(&f->w, node, "max_unavailable"))
			status = share_take(f, node, &update->unavailable);
		else
			status = services_unknown(f, node, "at, max_surge, max_unavailable");
	}
	if (status)
		return status;
	if (update->at == SL_NONE || update->at <= s->from || update->at >= s->until)
		return sl_fail_at(
			f->w.err, &at, "an update needs 'at', a time between 'from' and 'until': give it");
	if (!update->surge.value && !update->unavailable.value)
		return sl_fail_at(f->w.err, &at,
			"'max_surge' and 'max_unavailable' are both 0, so that nothing could change: raise one");
	if (update > s->update && update->at <= update[-1].at)
		return sl_fail_at(
			f->w.err, &at, "an update comes before the one above it: put them in order");
	return SL_OK;
}

int services_updates(struct services_file *f, const struct sl_doc_node *list, struct service *s)
{
	int status = workflow_list(&f->w, list, "a list of updates");
	if (!status && list->count > SERVICES_UPDATES_MAX)
		return workflow_fail(&f->w, list, "a list of at most 1000 updates");
	if (status)
		return status;
	s->update = calloc(list->count, sizeof(*s->update));
	if (!s->update)
		return sl_fail_memory(f->w.err);
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, list); node && !status;
		node = sl_doc_next(&f->w.doc, node))
		status = update_take(f, node, s, &s->update[s->updates++]);
	return status;
}
