/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_groups.c - who is in which group of users, for AllowGroups of partitions and Groups of reservations.
 *
 * No file of Slurm has it: slurmctld asks the system. Here it is a file of the user's, a list of users for
 * each group; of a group that the file does not have nobody's membership is known.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl.h"

static int check(const struct sl_doc *doc, struct sl_err *err)
{
	const struct sl_doc_node *root = &doc->node[0];
	const struct sl_place whole = sl_doc_place(doc, root);
	if (root->kind != SL_DOC_MAP)
		return sl_fail_at(
			err, &whole, "expected a list of users for each group: 'physics: [alice, bob]'");
	SL_DOC_EACH (group, doc, root) {
		struct sl_place at = sl_doc_place(doc, group);
		if (group->kind != SL_DOC_LIST)
			return sl_fail_at(err, &at,
				"group '%.60s' is to be a list of its users, [alice, bob]",
				sl_doc_key_of(doc, group));
		SL_DOC_EACH (user, doc, group) {
			at = sl_doc_place(doc, user);
			if (!sl_doc_word(doc, user))
				return sl_fail_at(err, &at, "a user of group '%.60s' is to be a name",
					sl_doc_key_of(doc, group));
		}
	}
	return SL_OK;
}

/* The file's list of that name; NULL: it has none, or there is no file. */
static const struct sl_doc_node *group_of(const struct ctl *c, const char *name, size_t len)
{
	const struct sl_doc *doc = c->groups;
	SL_DOC_EACH (group, doc, doc ? &doc->node[0] : NULL) {
		const char *key = sl_doc_key_of(doc, group);
		if (strncmp(key, name, len) == 0 && !key[len])
			return group;
	}
	return NULL;
}

/* The first of a list "a,b" that the file does not have; NULL: it has all of them. */
static const char *unknown_of(const struct ctl *c, const char *list, size_t *len)
{
	for (const char *p = list; *p; p += *len + (p[*len] == ',')) {
		*len = strcspn(p, ",");
		if (*len && !group_of(c, p, *len))
			return p;
	}
	return NULL;
}

/* The users of all the groups of a list, "alice,bob", into text (room for them, and a zero); how long that
 * is. */
static size_t join(const struct ctl *c, const char *list, char *text)
{
	size_t at = 0;
	for (const char *p = list; *p;) {
		const size_t len = strcspn(p, ",");
		SL_DOC_EACH (user, c->groups, group_of(c, p, len)) {
			const char *name = sl_doc_word(c->groups, user);
			const size_t more = strlen(name);
			if (text) {
				text[at] = ',';
				memcpy(text + at + (at > 0), name, more);
			}
			at += more + (at > 0);
		}
		p += len + (p[len] == ',');
	}
	return at;
}

const char *ctl_groups_users(const struct ctl *c, const char *list)
{
	const size_t len = join(c, list, NULL);
	char *text = len ? sl_alloc(c->arena, len + 1, 1) : NULL;
	if (text)
		(void)join(c, list, text);
	return text;
}

/* validate_group(): its members, and root. */
static int let_in(struct ctl *c, struct ctl_part *part)
{
	const char *users = ctl_groups_users(c, part->allow_groups);
	uint8_t *members = sl_alloc(c->arena, (size_t)c->user_count + 1, sizeof(*members));
	if (!members)
		return SL_SYSTEM;
	for (uint32_t u = 0; u < c->user_count; u++)
		members[u] = strcmp(c->user_name[u], "root") == 0 ||
			     strcmp(c->user_name[u], "unknown") == 0 || ctl_is_among(users, c->user_name[u]);
	part->members = members;
	return SL_OK;
}

static void report_unknown(
	const struct ctl_part *part, const char *group, size_t len, const struct sl_setup *setup)
{
	char text[300];
	(void)snprintf(text, sizeof(text),
		"AllowGroups of partition '%.60s': who is in group '%.*s' is not known, so all users are let in "
		"there, as where else that is so; slurm:groups=FILE says it",
		part->name, (int)(len < 60 ? len : 60), group);
	sl_warning(setup, text);
}

int ctl_groups_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	bool said = false;
	c->groups = setup->sim ? sl_param_doc(setup, "groups") : NULL;
	int status = c->groups ? check(c->groups, err) : SL_OK;
	for (uint32_t i = 0; i < c->part_count && !status; i++) {
		struct ctl_part *part = &c->part[i];
		size_t len = 0;
		if (!part->allow_groups || strcasecmp(part->allow_groups, "ALL") == 0)
			continue;
		const char *unknown = unknown_of(c, part->allow_groups, &len);
		if (!unknown && let_in(c, part))
			status = sl_fail_memory(err);
		if (unknown && !said && setup->sim)
			report_unknown(part, unknown, len, setup);
		said = said || unknown;
	}
	return status;
}

bool ctl_groups_allow(const struct ctl_job *job, const struct ctl_part *part)
{
	return !part->members || part->members[job->user];
}
