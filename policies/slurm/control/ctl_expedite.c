/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_expedite.c - --requeue=expedite, from 25.11 on, where SlurmctldParameters=enable_expedited_requeue
 * allows it; else such a job is refused.
 *
 * When a node of it fails the job is queued anew without a delay, before all others. Until it runs again
 * nobody else starts on the nodes that it had, and limits of QOS and associations do not keep it. So say the
 * release notes and what Slurm's tests expect of it. Not followed: its time limit, of which what it ran is
 * taken off; batch scripts that fail, which are requeued and held, or expedited if an epilog fails, too: here
 * none does, and they end.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_place.h"

static bool is_enabled(const struct ctl *c)
{
	static const char word[] = "enable_expedited_requeue";
	const char *text = sl_setting_of(c->cluster, "cluster", "", "SlurmctldParameters");
	for (; text && *text; text += strcspn(text, ","), text += *text == ',')
		if (strncasecmp(text, word, sizeof(word) - 1) == 0 && strchr(",=", text[sizeof(word) - 1]))
			return true;
	return false;
}

static bool asks(const struct ctl *c, const struct ctl_job *job)
{
	return job->more->requeue == 2 && c->params.version >= CTL_25_11;
}

bool ctl_expedite_refused(const struct ctl *c, const struct ctl_job *job)
{
	return asks(c, job) && !is_enabled(c);
}

void ctl_expedite_begin(struct ctl *c, struct ctl_job *job)
{
	const size_t words = select_node_words(c->select);
	if (!asks(c, job) || job->het || !job->alloc || job->expedited)
		return;
	if (!job->nodes_kept)
		job->nodes_kept = sl_alloc(c->arena, words, sizeof(*job->nodes_kept));
	if (!job->nodes_kept) {
		controller_no_memory(&c->engine);
		return;
	}
	memset(job->nodes_kept, 0, words * sizeof(*job->nodes_kept));
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		nset_add(job->nodes_kept, job->alloc->node_alloc[i].node);
	job->expedited = true;
	c->expedited++;
}

void ctl_expedite_first(struct ctl_job *job)
{
	if (!job->expedited || !job->priority)
		return;
	job->priority = UINT32_MAX;
	job->priority_part = NULL;
	job->direct_priority = true;
}

void ctl_expedite_end(struct ctl *c, struct ctl_job *job)
{
	if (!job->expedited)
		return;
	job->expedited = job->direct_priority = false;
	c->expedited--;
}

void ctl_expedite_leave(const struct ctl *c, const struct ctl_job *job, uint64_t *nodes)
{
	for (uint32_t row = c->expedited ? c->pending_first : CTL_NO_ROW; row != CTL_NO_ROW;
		row = c->job[row].next)
		if (c->job[row].expedited && &c->job[row] != job)
			nset_and_not(nodes, c->job[row].nodes_kept, select_node_words(c->select));
}
