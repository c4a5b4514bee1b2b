/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_make.c - reservations of the cluster's files, and the words of their flags.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_node.h"
#include "policies/slurm/control/ctl_resv_words.h"

/* ---- The beginning --------------------------------------------------------------------------- */

static const struct {
	const char *word;
	unsigned flag;
} flag_words[] = {
	/* Where one is the beginning of another, the shorter first: what is written may be cut short. */
	{ "MAINT", RESV_MAINT },
	{ "IGNORE_JOBS", RESV_IGNORE_JOBS },
	{ "FLEX", RESV_FLEX },
	{ "HOURLY", RESV_HOURLY },
	{ "DAILY", RESV_DAILY },
	{ "WEEKDAY", RESV_WEEKDAY },
	{ "WEEKEND", RESV_WEEKEND },
	{ "WEEKLY", RESV_WEEKLY },
	{ "OVERLAP", RESV_OVERLAP },
	{ "ANY_NODES", RESV_ANY_NODES },
	{ "PURGE_COMP", RESV_PURGE_COMP },
	{ "REPLACE", RESV_REPLACE },
	{ "REPLACE_DOWN", RESV_REPLACE_DOWN },
	{ "STATIC_ALLOC", RESV_STATIC },
	{ "TIME_FLOAT", RESV_TIME_FLOAT },
	{ "NO_HOLD_JOBS_AFTER_END", RESV_NO_HOLD },
	{ "PART_NODES", RESV_PART_NODES },
	{ "SPEC_NODES", RESV_SPEC_NODES },
	{ "ALL_NODES", RESV_ALL_NODES },
	{ "FIRST_CORES", RESV_FIRST_CORES },
	{ "MAGNETIC", RESV_MAGNETIC },
};

static unsigned flag_of(const char *word, size_t len)
{
	for (size_t i = 0; i < SL_LEN(flag_words); i++)
		if (strncasecmp(flag_words[i].word, word, len) == 0 && !flag_words[i].word[len])
			return flag_words[i].flag;
	for (size_t i = 0; len >= 3 && i < SL_LEN(flag_words); i++)
		if (strncasecmp(flag_words[i].word, word, len) == 0)
			return flag_words[i].flag;
	return 0;
}

unsigned resv_flags_of(const char *text, size_t len, int64_t *purge)
{
	unsigned flags = 0;
	for (size_t i = 0; i < len; i++) {
		const char *word = text + i;
		size_t n = 0;
		while (i + n < len && !strchr(", +", word[n]))
			n++;
		const char *equals = memchr(word, '=', n);
		const unsigned flag = flag_of(word, equals ? (size_t)(equals - word) : n);
		int64_t seconds;
		const struct resv_given time = { equals ? equals + 1 : "",
			equals ? n - (size_t)(equals - word) - 1 : 0, '=' };
		if (flag == RESV_PURGE_COMP && purge && resv_seconds_of(&time, &seconds))
			*purge = seconds; /* Plain numbers are minutes. */
		flags |= n ? flag : 0;
		i += n;
	}
	return flags;
}

/* In the order of reservation_flags_string(). */
void resv_flags_put(unsigned flags, char *text, size_t size)
{
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < SL_LEN(flag_words) && len < size - 1; i++) {
		if (!(flags & flag_words[i].flag))
			continue;
		const int wrote =
			snprintf(text + len, size - len, "%s%s", len ? "," : "", flag_words[i].word);
		len += wrote > 0 ? (size_t)wrote : 0;
	}
}

struct resv *resv_new(struct ctl *c)
{
	struct ctl_resvs *all = c->resvs;
	if (SL_GROW_IN(c->arena, all->item, all->capacity, all->count + 1, NULL))
		return NULL;
	struct resv *r = &all->item[all->count++];
	*r = (struct resv){
		.part = CTL_NO_ROW, .duration = CTL_NONE, .purge = RESV_PURGE, .idle_since = CTL_NONE
	};
	all->live++;
	return r;
}

static int resv_of_window(struct ctl *c, const struct sl_window *window)
{
	int64_t purge = RESV_PURGE;
	const unsigned flags =
		window->flags ? resv_flags_of(window->flags, strlen(window->flags), &purge) : 0;
	/* Recurring windows (DAILY, WEEKLY) are one reservation here, which recurs by itself. */
	if (!window->name || (flags & RESV_REPEATS && resv_named(c, window->name, strlen(window->name))))
		return SL_OK;
	struct resv *r = resv_new(c);
	uint64_t *nodes = sl_alloc(c->arena, c->resvs->words + 1, sizeof(*nodes));
	if (!r || !nodes)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < window->node_count; i++)
		nset_add(nodes, window->node[i]);
	r->name = window->name;
	r->flags = flags | (window->kind == SL_WINDOW_MAINT ? RESV_MAINT : 0) | RESV_SPEC_NODES;
	r->start = ctl_time_of(c, window->from);
	r->end = window->until == SL_NEVER ? RESV_FAR : ctl_time_of(c, window->until);
	r->nodes = nodes;
	r->node_count = nset_count(nodes, c->resvs->words);
	r->users = window->users && *window->users ? window->users : NULL;
	r->accounts = window->accounts && *window->accounts ? window->accounts : NULL;
	r->purge = purge;
	(void)resv_advance(c, r);
	return SL_OK;
}

int ctl_resv_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_resvs *all = sl_alloc(c->arena, 1, sizeof(*all));
	int status = all ? SL_OK : SL_SYSTEM;
	if (all) {
		c->resvs = all;
		all->words = select_node_words(c->select);
		all->a = sl_alloc(c->arena, all->words + 1, sizeof(*all->a));
		all->b = sl_alloc(c->arena, all->words + 1, sizeof(*all->b));
		all->kept = sl_alloc(c->arena, select_core_words(c->select) + 1, sizeof(*all->kept));
		all->looked = c->epoch;
		const int64_t minutes = node_conf_number(c, "ResvOverRun", 0);
		all->over_run = minutes == CTL_NEVER ? CTL_NEVER : minutes * 60;
		status = all->a && all->b && all->kept ? SL_OK : SL_SYSTEM;
	}
	for (uint32_t i = 0; i < c->cluster->window_count && !status; i++) {
		const struct sl_window *window = &c->cluster->window[i];
		if (window->kind == SL_WINDOW_RESERVED || window->kind == SL_WINDOW_MAINT)
			status = resv_of_window(c, window);
	}
	return status ? sl_fail_memory(err) : SL_OK;
}
