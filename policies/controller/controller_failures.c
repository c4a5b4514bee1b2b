/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * controller_failures.c - how often a JobSet may lose pods until it has failed.
 *
 * kubernetes-sigs/jobset, pkg/controllers/failure_policy.go, and the Job controller
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/): a Job whose pods are lost more often than
 * its backoffLimit (6) fails, at once by a podFailurePolicy that fails it for the condition DisruptionTarget,
 * and never by one that ignores that. Then the first rule of the failurePolicy for it says: FailJobSet;
 * RestartJobSet, the default, and RestartJob (RecreateJob, once), up to maxRestarts times; both also with
 * AndIgnoreMaxRestarts. Without a failurePolicy the JobSet has failed. Which of its jobs a lost node hits is
 * not known here: the one that may lose the fewest counts.
 */
#include "policies/controller/controller.h"

#include <string.h>

#define ALWAYS INT64_MAX

static const char *text_at(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path)
{
	const struct sl_doc_node *node = map ? sl_doc_at(doc, map, path) : NULL;
	return node && node->kind == SL_DOC_TEXT ? doc->text + node->text : NULL;
}

static int64_t number_at(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, int64_t otherwise)
{
	const char *text = text_at(doc, map, path);
	int64_t number;
	return text && sl_get_i64(text, strlen(text), &number) && number >= 0 ? number : otherwise;
}

/* NULL, or one of its texts is that. */
static bool allows(const struct sl_doc *doc, const struct sl_doc_node *list, const char *text)
{
	bool any = false;
	if (!list || list->kind != SL_DOC_LIST)
		return true;
	SL_DOC_EACH (node, doc, list) {
		any = true;
		if (node->kind == SL_DOC_TEXT && strcmp(doc->text + node->text, text) == 0)
			return true;
	}
	return !any;
}

/* What its podFailurePolicy does with a pod that was lost with its node; "": nothing. */
static const char *on_disruption(const struct sl_doc *doc, const struct sl_doc_node *spec)
{
	const struct sl_doc_node *rules = sl_doc_at(doc, spec, "podFailurePolicy.rules");
	SL_DOC_EACH (rule, doc, rules) {
		const struct sl_doc_node *conditions = sl_doc_member(doc, rule, "onPodConditions");
		SL_DOC_EACH (condition, doc, conditions) {
			const char *type = text_at(doc, condition, "type");
			const char *action = text_at(doc, rule, "action");
			if (type && action && strcmp(type, "DisruptionTarget") == 0)
				return action;
		}
	}
	return "";
}

static const char *action_of(
	const struct sl_doc *doc, const struct sl_doc_node *policy, const char *name, const char *reason)
{
	const struct sl_doc_node *rules = sl_doc_member(doc, policy, "rules");
	SL_DOC_EACH (rule, doc, rules) {
		const char *action = text_at(doc, rule, "action");
		if (action && allows(doc, sl_doc_member(doc, rule, "targetReplicatedJobs"), name) &&
			allows(doc, sl_doc_member(doc, rule, "onJobFailureReasons"), reason))
			return action;
	}
	return "RestartJobSet";
}

/* So often its pods are lost, and it goes on. */
static int64_t losses_of(
	const struct sl_doc *doc, const struct sl_doc_node *policy, const struct sl_doc_node *replicated)
{
	const struct sl_doc_node *spec = sl_doc_at(doc, replicated, "template.spec");
	const char *name = text_at(doc, replicated, "name");
	const char *disruption = spec ? on_disruption(doc, spec) : "";
	const bool at_once = strcmp(disruption, "FailJob") == 0;
	const int64_t backoff = at_once ? 0 : number_at(doc, spec, "backoffLimit", 6);
	if (strcmp(disruption, "Ignore") == 0)
		return ALWAYS;
	if (!policy)
		return backoff;
	const char *action = action_of(
		doc, policy, name ? name : "", at_once ? "PodFailurePolicy" : "BackoffLimitExceeded");
	if (strcmp(action, "FailJobSet") == 0)
		return backoff;
	if (strcmp(action, "RestartJobSetAndIgnoreMaxRestarts") == 0 ||
		strcmp(action, "RestartJobAndIgnoreMaxRestarts") == 0 || backoff > INT32_MAX)
		return ALWAYS;
	const int64_t most = number_at(doc, policy, "maxRestarts", 0);
	return most > INT32_MAX ? ALWAYS : (most + 1) * (backoff + 1) - 1;
}

int64_t controller_losses(const struct sl_pods *pods)
{
	const struct sl_doc *doc = pods ? pods->doc : NULL;
	int64_t least = ALWAYS;
	if (!doc || strcmp(pods->kind, "JobSet") != 0)
		return ALWAYS;
	const struct sl_doc_node *policy = sl_doc_at(doc, &doc->node[0], "spec.failurePolicy");
	const struct sl_doc_node *list = sl_doc_at(doc, &doc->node[0], "spec.replicatedJobs");
	SL_DOC_EACH (replicated, doc, list) {
		const int64_t losses = losses_of(doc, policy, replicated);
		least = losses < least ? losses : least;
	}
	return least;
}

/* And one more, for controller.may_lose. The manifest is read once a job, and not kept. */
static int64_t losses_known(struct controller *c, uint32_t row)
{
	struct sl_arena *arena = sl_arena_new();
	const struct sl_pods *pods = arena ? sl_pods_of(arena, c->jobs, c->cluster, row, &c->err) : NULL;
	const int64_t losses = controller_losses(pods);
	sl_arena_free(arena);
	return losses < ALWAYS ? losses + 1 : ALWAYS;
}

bool controller_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	struct controller *c = state;
	const struct sl_job_attributes *more = controller_more_of(c->jobs, job.row);
	(void)pass;
	if (more && more->requeue == 0)
		return false;
	if (!more || !more->manifest)
		return true;
	if (!c->may_lose[job.row])
		c->may_lose[job.row] = losses_known(c, job.row);
	return c->lost[job.row]++ < c->may_lose[job.row] - 1;
}
