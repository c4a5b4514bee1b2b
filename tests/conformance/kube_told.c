/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_told.c - a cycle of kube-scheduler as texts: the recorded one, and ours.
 */
#include "tests/conformance/kube_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *told_part_name(enum told_part part)
{
	static const char *const names[TOLD_PARTS] = { [TOLD_POD] = "pod",
		[TOLD_RESULT] = "result",
		[TOLD_START] = "start",
		[TOLD_NODES] = "nodes",
		[TOLD_FILTER] = "filter",
		[TOLD_SCORES] = "scores",
		[TOLD_NODE] = "node",
		[TOLD_VICTIMS] = "victims",
		[TOLD_NOMINATED] = "nominated" };
	return names[part];
}

void told_add(char **part, const char *format, ...)
{
	va_list args;
	char *more, *both;
	va_start(args, format);
	const int len = vasprintf(&more, format, args);
	va_end(args);
	SL_CHECK(len >= 0);
	SL_CHECK(asprintf(&both, "%s%s", *part ? *part : "", more) >= 0);
	free(more);
	free(*part);
	*part = both;
}

bool told_same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

void told_free(struct told *told)
{
	for (size_t i = 0; i < TOLD_PARTS; i++)
		free(told->part[i]);
	*told = (struct told){ 0 };
}

void told_clear(struct told_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		told_free(&list->at[i]);
	list->count = 0;
}

static struct told *told_push(struct told_list *list)
{
	SL_CHECK(!SL_GROW(list->at, list->capacity, list->count + 1, NULL));
	list->at[list->count] = (struct told){ 0 };
	return &list->at[list->count++];
}

/* ---- Words in the order of the alphabet -------------------------------------------------------- */

static int told_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "b a" becomes "a b". */
void told_sort(char **part)
{
	enum { WORDS_MAX = 4096 };
	const char *word[WORDS_MAX];
	size_t count = 0;
	char *sorted = NULL, *rest = *part;
	for (char *one; rest && (one = strsep(&rest, " ")) && count < WORDS_MAX;)
		word[count++] = one;
	qsort(word, count, sizeof(*word), told_by_text);
	for (size_t i = 0; i < count; i++)
		told_add(&sorted, "%s%s", i ? " " : "", word[i]);
	free(*part);
	*part = sorted;
}

/* ---- As it was recorded -------------------------------------------------------------------------- */

static const char *word_of(const struct kube_case *c, const struct sl_doc_node *map, const char *key)
{
	return sl_doc_word(&c->doc, sl_doc_member(&c->doc, map, key));
}

/* "!NodeResourcesFit: Insufficient cpu; Too many pods" becomes "!NodeResourcesFit:cpu,pods"; what others say
 * is theirs. */
static void told_recorded_filter(char **part, const char *node, const char *text)
{
	static const char lacks[] = "Insufficient ";
	const char *colon = strchr(text, ':');
	const size_t name = colon ? (size_t)(colon - text) : strlen(text);
	told_add(part, "%s%s=%.*s", *part ? " " : "", node, (int)name, text);
	if (!colon || !strstr(text, "NodeResourcesFit:"))
		return;
	char said = ':';
	for (const char *at = colon + 2; *at;) {
		const size_t len = strcspn(at, ";");
		if (strncmp(at, lacks, strlen(lacks)) == 0)
			told_add(part, "%c%.*s", said, (int)(len - strlen(lacks)), at + strlen(lacks));
		else
			told_add(part, "%cpods", said);
		said = ',';
		at += len;
		at += strspn(at, "; ");
	}
}

/* By plugin as the names are ordered; those of 0 are left out. */
static void told_recorded_scores(const struct kube_case *c, char **part, const struct sl_doc_node *map)
{
	SL_DOC_EACH (node, &c->doc, map) {
		char said = '=';
		told_add(part, "%s%s", *part ? " " : "", sl_doc_key_of(&c->doc, node));
		SL_DOC_EACH (plugin, &c->doc, node) {
			const char *name = sl_doc_key_of(&c->doc, plugin),
				   *value = sl_doc_word(&c->doc, plugin);
			if (strcmp(name, "total") == 0 || !value || strcmp(value, "0") == 0)
				continue;
			told_add(part, "%c%s:%s", said, name, value);
			said = ',';
		}
	}
}

static void told_recorded_names(const struct kube_case *c, char **part, const struct sl_doc_node *list)
{
	SL_DOC_EACH (one, &c->doc, list)
		told_add(part, "%s%s", *part ? " " : "", sl_doc_word(&c->doc, one));
	told_sort(part);
}

static void told_recorded_pairs(const struct kube_case *c, char **part, const struct sl_doc_node *map)
{
	SL_DOC_EACH (one, &c->doc, map)
		told_add(part, "%s%s=%s", *part ? " " : "", sl_doc_key_of(&c->doc, one),
			sl_doc_word(&c->doc, one));
	told_sort(part);
}

static void told_recorded_one(struct kube_case *c, struct told *told, const struct sl_doc_node *cycle)
{
	const struct sl_doc_node *group = sl_doc_member(&c->doc, cycle, "group");
	const char *node = word_of(c, cycle, "node"), *start = word_of(c, cycle, "start");
	const char *nominated = word_of(c, cycle, "nominated");
	told_add(&told->part[TOLD_POD], "%s", word_of(c, cycle, "pod"));
	told_add(&told->part[TOLD_RESULT], "%s", word_of(c, cycle, "result"));
	if (group) {
		told_recorded_pairs(c, &told->part[TOLD_NODE], sl_doc_member(&c->doc, cycle, "bound"));
		told_recorded_pairs(
			c, &told->part[TOLD_NOMINATED], sl_doc_member(&c->doc, cycle, "nominate"));
	} else if (node) {
		told_add(&told->part[TOLD_NODE], "%s=%s", word_of(c, cycle, "pod"), node);
		told_add(&told->part[TOLD_NODES], "%s of %s", word_of(c, cycle, "feasible"),
			word_of(c, cycle, "evaluated"));
	}
	if (start)
		told_add(&told->part[TOLD_START], "%s", start);
	SL_DOC_EACH (one, &c->doc, sl_doc_member(&c->doc, cycle, "filter"))
		told_recorded_filter(
			&told->part[TOLD_FILTER], sl_doc_key_of(&c->doc, one), sl_doc_word(&c->doc, one));
	told_recorded_scores(c, &told->part[TOLD_SCORES], sl_doc_member(&c->doc, cycle, "scores"));
	told_recorded_names(c, &told->part[TOLD_VICTIMS], sl_doc_member(&c->doc, cycle, "victims"));
	if (nominated)
		told_add(&told->part[TOLD_NOMINATED], "%s=%s", word_of(c, cycle, "pod"), nominated);
}

void told_recorded(struct kube_case *c, const struct sl_doc_node *cycles)
{
	told_clear(&c->recorded);
	SL_DOC_EACH (cycle, &c->doc, cycles)
		told_recorded_one(c, told_push(&c->recorded), cycle);
}

/* ---- Ours ---------------------------------------------------------------------------------------- */

const char *told_pod_name(const struct kube_case *c, uint32_t pod)
{
	return c->run.scenario.jobs.id_name[c->k.pod[pod].job];
}

/* Nodes in the order of their names. */
static uint32_t by_rank(const struct kube *k, uint32_t rank)
{
	uint32_t node = 0;
	while (node < k->nodes && k->node[node].rank != rank)
		node++;
	return node;
}

static void told_lacks(char **part, const struct kube *k, uint32_t node)
{
	char *all = NULL;
	for (uint32_t i = 0; i < k->resources; i++)
		if (k->node_res[node] >> i & 1)
			told_add(&all, "%s%s", all ? " " : "", k->resource[i]);
	told_sort(&all);
	for (char *at = all; at && *at; at++)
		*at = *at == ' ' ? ',' : *at;
	told_add(part, ":%s", all ? all : "");
	if (k->node_res[node] >> KUBE_RES_MAX & 1)
		told_add(part, "%spods", all ? "," : "");
	free(all);
}

static void told_ours_filter(char **part, const struct kube *k)
{
	for (uint32_t rank = 0; rank < k->nodes; rank++) {
		const uint32_t node = by_rank(k, rank);
		const enum kube_why why = (enum kube_why)k->node_why[node];
		if (!k->node[node].there || why == KUBE_FITS || why == KUBE_WHY_UNNAMED)
			continue;
		told_add(part, "%s%s=%s%s", *part ? " " : "", k->node[node].name,
			why < KUBE_WHY_RESOLVABLE ? "!" : "", kube_plugin_name(kube_plugin_of(why)));
		if (kube_plugin_of(why) == KUBE_FIT)
			told_lacks(part, k, node);
	}
}

struct told_score {
	const char *plugin;
	int64_t score;
};
static struct told_score told_scores[512][KUBE_PLUGINS]; /* Of the cycle under way, by node. */

static void told_scored(void *self, const struct kube *k, enum kube_plugin plugin, int64_t weight,
	const uint32_t *node, size_t count)
{
	(void)self;
	for (size_t i = 0; i < count && k->nodes <= SL_LEN(told_scores); i++)
		told_scores[node[i]][plugin] =
			(struct told_score){ kube_plugin_name(plugin), weight * k->score[i] };
}

static int told_by_plugin(const void *a, const void *b)
{
	const struct told_score *x = a, *y = b;
	return strcmp(x->plugin ? x->plugin : "~", y->plugin ? y->plugin : "~");
}

static void told_ours_scores(char **part, const struct kube *k)
{
	for (uint32_t rank = 0; rank < k->nodes && k->nodes <= SL_LEN(told_scores); rank++) {
		struct told_score *of = told_scores[by_rank(k, rank)];
		bool any = false;
		char said = '=';
		qsort(of, KUBE_PLUGINS, sizeof(*of), told_by_plugin);
		for (size_t i = 0; i < KUBE_PLUGINS && of[i].plugin; i++) {
			if (!any)
				told_add(part, "%s%s", *part ? " " : "", k->node[by_rank(k, rank)].name);
			any = true;
			if (of[i].score)
				told_add(part, "%c%s:%" PRId64, said, of[i].plugin, of[i].score);
			said = of[i].score ? ',' : said;
		}
	}
}

static void told_evicted(void *self, const struct kube *k, uint32_t pod)
{
	struct kube_case *c = self;
	(void)k;
	told_add(&c->now.part[TOLD_VICTIMS], "%s%s", c->now.part[TOLD_VICTIMS] ? " " : "",
		told_pod_name(c, pod));
}

static void told_keep(struct kube_case *c)
{
	told_sort(&c->now.part[TOLD_VICTIMS]);
	told_sort(&c->now.part[TOLD_NODE]);
	told_sort(&c->now.part[TOLD_NOMINATED]);
	*told_push(&c->ours) = c->now;
	c->now = (struct told){ 0 };
	c->cycles++;
	memset(told_scores, 0, sizeof(told_scores));
}

static void told_bound(void *self, const struct kube *k, uint32_t pod)
{
	struct kube_case *c = self;
	told_add(&c->now.part[TOLD_NODE], "%s%s=%s", c->now.part[TOLD_NODE] ? " " : "", told_pod_name(c, pod),
		k->node[k->pod[pod].node].name);
}

static void told_tried(void *self, const struct kube *k, uint32_t pod)
{
	struct kube_case *c = self;
	const struct kube_pod *of = &k->pod[pod];
	const bool bound = of->state == KUBE_POD_BOUND;
	char **part = c->now.part;
	told_add(&part[TOLD_POD], "%s", told_pod_name(c, pod));
	told_add(&part[TOLD_RESULT], "%s", bound ? "bound" : k->failed ? "error" : "unschedulable");
	if (bound) {
		told_add(&part[TOLD_NODES], "%zu of %u", k->found, k->looked_at);
		told_ours_scores(&part[TOLD_SCORES], k);
	} else if (!k->failed) {
		told_ours_filter(&part[TOLD_FILTER], k);
	}
	told_add(&part[TOLD_START], "%u", k->began);
	if (of->nominated != KUBE_NO)
		told_add(&part[TOLD_NOMINATED], "%s=%s", told_pod_name(c, pod), k->node[of->nominated].name);
	told_keep(c);
}

static void told_tried_gang(void *self, const struct kube *k, uint32_t first)
{
	struct kube_case *c = self;
	const uint32_t gang = k->spec[k->pod[first].spec].gang;
	char **part = c->now.part;
	told_add(&part[TOLD_POD], "%s", told_pod_name(c, first));
	told_add(&part[TOLD_RESULT], "%s",
		part[TOLD_NODE]   ? "bound"
		: k->group_failed ? "error"
				  : "unschedulable");
	for (size_t i = 0; i < k->nominees; i++)
		if (k->spec[k->pod[k->nominee[i]].spec].gang == gang)
			told_add(&part[TOLD_NOMINATED], "%s%s=%s", part[TOLD_NOMINATED] ? " " : "",
				told_pod_name(c, k->nominee[i]),
				k->node[k->pod[k->nominee[i]].nominated].name);
	told_keep(c);
}

const struct kube_watch told_watch = { .scored = told_scored,
	.evicted = told_evicted,
	.bound = told_bound,
	.tried = told_tried,
	.tried_gang = told_tried_gang };
