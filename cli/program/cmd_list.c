/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_list.c - schedlab list: everything that has a name, from the registries themselves.
 *
 * A kind is one line of a table: it walks its registry and lists each entry. The same walk prints for people
 * and as JSON.
 */
#include <stddef.h>
#include <string.h>

#include "cli/base/render.h"
#include "cli/program/complete.h"

static const struct option_def options[] = {
	{ OPTION_JSON },
	{ OPTION_PLUGIN },
};

/* Where entries go: JSON when it is set, else text on stdout. */
struct listing {
	const struct registry *registry;
	struct json *json;
	bool briefly; /* Names and summaries; in text only. */
};

/* One thing with a name. Absent parts are NULL. */
struct entry {
	const char *name, *summary, *stands_for, *paper;
	const struct sl_param *params;
	size_t param_count;
	const void *vtable; /* To find the plug-in that owns it. */
	const struct sl_nodes_spec *node;
	const struct sl_mig_model *mig;
	const char *given_by; /* Of a reason. */
};

static const char *kind_name(enum sl_param_kind kind)
{
	static const char *const name[] = {
		[SL_PARAM_INT] = "integer",
		[SL_PARAM_REAL] = "number",
		[SL_PARAM_TIME] = "duration",
		[SL_PARAM_BOOL] = "switch",
		[SL_PARAM_CHOICE] = "choice",
		[SL_PARAM_TEXT] = "text",
		[SL_PARAM_CSV] = "CSV file",
		[SL_PARAM_DOC] = "YAML file",
		[SL_PARAM_PLACE] = "choice",
		[SL_PARAM_POLICY] = "choice",
	};
	return name[kind];
}

/* The path of the plug-in that it is from; NULL: built in. */
static const char *plugin_of(const struct listing *list, const struct entry *entry)
{
	const struct plugin *plugin = entry->vtable ? registry_owner(list->registry, entry->vtable) : NULL;
	return plugin ? plugin->path : NULL;
}

/* ---- Nodes --------------------------------------------------------------------------------- */

/* Of one type of GPU, wherever they stand. */
struct gpu_sum {
	const char *type;
	int64_t count, mem;
};

enum { GPU_SUMS_MAX = 8 };

static void gpu_add(struct gpu_sum *sum, size_t *count, const char *type, int64_t more, int64_t mem)
{
	size_t i = 0;
	while (i < *count && strcmp(sum[i].type, type) != 0)
		i++;
	if (i == GPU_SUMS_MAX)
		return;
	if (i == *count)
		sum[(*count)++] = (struct gpu_sum){ .type = type };
	sum[i].count += more;
	sum[i].mem = mem;
}

static size_t cmd_list_gpus_of(const struct sl_nodes_spec *node, struct gpu_sum sum[GPU_SUMS_MAX])
{
	const struct sl_hardware *is = node->hardware;
	size_t count = 0;
	for (size_t i = 0; i < node->gpu_count; i++)
		gpu_add(sum, &count, node->gpu[i].type, node->gpu[i].count, 0);
	for (uint32_t i = 0; is && i < is->gres_count; i++)
		if (strcmp(is->gres[i].name, "gpu") == 0)
			gpu_add(sum, &count, is->gres[i].type ? is->gres[i].type : "gpu", is->gres[i].count,
				is->gres[i].mem);
	return count;
}

static void node_json(struct json *json, const struct sl_nodes_spec *node)
{
	const struct sl_hardware *is = node->hardware;
	struct gpu_sum gpu[GPU_SUMS_MAX];
	const size_t count = cmd_list_gpus_of(node, gpu);
	json_put(json, datum_whole("cpus", node->cpus), datum_whole("memory_mib", node->mem));
	if (is)
		json_put(json, datum_count("sockets", is->sockets), datum_count("cores", is->cores),
			datum_count("threads", is->threads));
	json_nest(json, "gpus", '[', &json_one_line);
	for (size_t i = 0; i < count; i++) {
		json_object(json, NULL, datum_text("type", gpu[i].type), datum_whole("count", gpu[i].count),
			datum_whole("memory_mib", gpu[i].mem));
	}
	json_close(json);
}

static void node_text(const struct sl_nodes_spec *node)
{
	enum { GIB = 1024 };
	const struct sl_hardware *is = node->hardware;
	struct gpu_sum gpu[GPU_SUMS_MAX];
	const size_t count = cmd_list_gpus_of(node, gpu);
	printf("      %lld cpus", (long long)node->cpus);
	if (is)
		printf(" (%u socket%s of %u cores, %u thread%s a core)", is->sockets,
			is->sockets == 1 ? "" : "s", is->cores, is->threads, is->threads == 1 ? "" : "s");
	printf(", %lld GiB", (long long)node->mem / GIB);
	for (size_t i = 0; i < count; i++)
		printf(", %lld %s of %lld GiB", (long long)gpu[i].count, gpu[i].type,
			(long long)gpu[i].mem / GIB);
	printf("\n");
}

/* ---- GPUs divided by MIG -------------------------------------------------------------------- */

static void mig_json(struct json *json, const struct sl_mig_model *mig)
{
	json_put(json, datum_whole("memory_mib", mig->mem), datum_count("slices", SL_MIG_SLICES));
	json_nest(json, "profiles", '[', &json_one_line);
	for (size_t i = 0; i < mig->profile_count; i++) {
		const struct sl_mig_profile *profile = &mig->profile[i];
		json_nest(json, NULL, '{', &json_one_line);
		json_put(json, datum_text("name", profile->name), datum_count("slices", profile->slices));
		json_nest(json, "starts", '[', &json_tight);
		for (unsigned slice = 0; slice < SL_MIG_SLICES; slice++)
			if (profile->starts >> slice & 1)
				json_put(json, datum_count(NULL, slice));
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void mig_text(const struct sl_mig_model *mig)
{
	for (size_t i = 0; i < mig->profile_count; i++) {
		const struct sl_mig_profile *profile = &mig->profile[i];
		printf("        %-8s  %u  at", profile->name, profile->slices);
		for (unsigned slice = 0; slice < SL_MIG_SLICES; slice++)
			if (profile->starts >> slice & 1)
				printf(" %u", slice);
		printf("\n");
	}
}

static void entry_json(struct listing *list, const struct entry *entry)
{
	static const struct json_form lines = { "\n      ", ",\n      ", " ", true };
	struct json *json = list->json;
	json_nest(json, NULL, '{', &json_one_line);
	json_put(json, datum_text("name", entry->name), datum_given("summary", entry->summary),
		datum_given("stands_for", entry->stands_for),
		datum_given(entry->node || entry->mig ? "source" : "paper", entry->paper),
		datum_given("given_by", entry->given_by), datum_given("plugin", plugin_of(list, entry)));
	if (entry->node)
		node_json(json, entry->node);
	if (entry->mig)
		mig_json(json, entry->mig);
	if (entry->params) {
		json_nest(json, "parameters", '[', &lines);
		for (size_t i = 0; i < entry->param_count; i++) {
			const struct sl_param *param = &entry->params[i];
			json_object(json, NULL, datum_text("key", param->key),
				datum_given("kind", kind_name(param->kind)),
				datum_given("default", param->fallback),
				datum_given("values",
					param_choices(param, list->registry, list->registry->arena)),
				datum_given("help", param->help));
		}
		json_close(json);
	}
	json_close(json);
}

static void params_text(const struct listing *list, const struct entry *entry)
{
	for (size_t i = 0; i < entry->param_count; i++) {
		const struct sl_param *param = &entry->params[i];
		const char *choices = param_choices(param, list->registry, list->registry->arena);
		printf("      %s=%s", param->key, choices ? choices : kind_name(param->kind));
		if (param->fallback)
			printf(" (default %s)", param->fallback);
		printf("\n          %s\n", param->help);
	}
}

static void entry_text(const struct listing *list, const struct entry *entry)
{
	enum { BRIEF_WIDTH = 16, BRIEF_MAX = 76 };
	const char *summary = entry->summary ? entry->summary : "";
	const bool cut = list->briefly && strlen(summary) > BRIEF_MAX;
	printf("  %-*s  %.*s%s\n", list->briefly ? BRIEF_WIDTH : 0, entry->name,
		cut ? BRIEF_MAX - 3 : (int)strlen(summary), summary, cut ? "..." : "");
	if (list->briefly)
		return;
	if (entry->given_by)
		printf("      of %s\n", entry->given_by);
	if (entry->stands_for)
		printf("      stands for %s\n", entry->stands_for);
	if (entry->node)
		node_text(entry->node);
	if (entry->mig)
		mig_text(entry->mig);
	if (entry->paper)
		printf("      %s\n", entry->paper);
	if (plugin_of(list, entry))
		printf("      from plug-in %s\n", plugin_of(list, entry));
	params_text(list, entry);
}

static void entry_show(struct listing *list, const struct entry *entry)
{
	if (list->json)
		entry_json(list, entry);
	else
		entry_text(list, entry);
}

static void list_presets(struct listing *list)
{
	for (const struct sl_preset *const *of = list->registry->known.presets; *of; of++) {
		const struct sl_preset *at = *of;
		char text[256];
		const bool set = at->settings && at->settings[0];
		(void)snprintf(
			text, sizeof(text), "%s%s%s", at->policy, set ? ":" : "", set ? at->settings : "");
		entry_show(list, &(struct entry){ at->name, at->summary, text, at->paper, NULL, 0, at, NULL,
					 NULL, NULL });
	}
}

const struct sl_param cluster_params[] = {
	{ "cluster.cpus", SL_PARAM_INT, NULL, NULL,
		"Processors of the machine, a counted pool; wins over the trace's header.", 1, INT64_MAX },
	{ "cluster.nodes[NAME].count", SL_PARAM_INT, NULL, NULL,
		"Nodes of an entry of the cluster file; += and -= change what the file says.", 0, 10000000 },
	{ "cluster.nodes[NAME].cpus", SL_PARAM_REAL, NULL, NULL, "Likewise, cpus of each.", 1000,
		INT64_C(1000000) << 20 },
	{ "cluster.nodes[NAME].memory", SL_PARAM_TEXT, NULL, NULL, "Likewise, memory of each: 192GiB.", 0,
		0 },
	{ "cluster.nodes[NAME].gpus", SL_PARAM_INT, NULL, NULL, "Likewise, GPUs of each.", 0, 1 << 16 },
	{ "cluster.nodes[NAME].KEY", SL_PARAM_TEXT, NULL, NULL,
		"Any other key of an entry: weight, state, sockets ...; see schedlab-cluster(5).", 0, 0 },
	{ "cluster.partition[NAME].KEY", SL_PARAM_TEXT, NULL, NULL,
		"Likewise of a partition: max_time, nodes_max, tier ...; of Slurm's: MaxTime ...", 0, 0 },
	{ "cluster.gpus_per_node", SL_PARAM_INT, NULL, NULL,
		"Of lists of GPU nodes: GPUs of a node of a virtual cluster (8).", 1, 1024 },
	{ "cluster.cpus_per_node", SL_PARAM_INT, NULL, NULL,
		"Likewise, cpus of a node, where the list has none (64).", 1, 1 << 20 },
	{ "cluster.memory_per_node", SL_PARAM_TEXT, NULL, NULL, "Likewise, its memory (without bound).", 0,
		0 },
	{ "cluster.date", SL_PARAM_TEXT, NULL, NULL,
		"Of virtual clusters with a size for each day: which (the first).", 0, 0 },
	{ "cluster.objects", SL_PARAM_TEXT, NULL, NULL,
		"A file or folder: manifests of Kubernetes, beside a cluster of any kind.", 0, 0 },
	{ "cluster.conf.KEY", SL_PARAM_TEXT, NULL, NULL, "Any key of slurm.conf.", 0, 0 },
	{ "cluster.accounts", SL_PARAM_TEXT, NULL, NULL, "A file: sacctmgr dump, or sacctmgr show assoc -P.",
		0, 0 },
	{ "cluster.qos", SL_PARAM_TEXT, NULL, NULL, "A file: sacctmgr show qos -P.", 0, 0 },
	{ "cluster.usage", SL_PARAM_TEXT, NULL, NULL, "A file: sshare -l -a -P.", 0, 0 },
	{ "cluster.events", SL_PARAM_TEXT, NULL, NULL, "A file: sacctmgr show event -P.", 0, 0 },
	{ "cluster.reservations", SL_PARAM_TEXT, NULL, NULL, "A file: scontrol show reservation.", 0, 0 },
	{ "cluster.nodes_state", SL_PARAM_TEXT, NULL, NULL, "A file: scontrol show node.", 0, 0 },
};
const size_t cluster_param_count = SL_LEN(cluster_params);

static void list_settings(struct listing *list)
{
	entry_show(list, &(struct entry){ "cluster", "the machine, as --set cluster.KEY=VALUE", NULL, NULL,
				 cluster_params, cluster_param_count, NULL, NULL, NULL, NULL });
	entry_show(list, &(struct entry){ "replay", "how the trace is replayed, as --set replay.KEY=VALUE",
				 NULL, NULL, replay_params, replay_param_count, NULL, NULL, NULL, NULL });
}

static void list_nodes(struct listing *list)
{
	for (const struct sl_node_model *const *at = list->registry->known.node_models; *at; at++)
		entry_show(list, &(struct entry){ .name = (*at)->name,
					 .summary = (*at)->summary,
					 .paper = (*at)->source,
					 .vtable = *at,
					 .node = (*at)->node });
}

static void list_mig(struct listing *list)
{
	enum { GIB = 1024 };
	for (const struct sl_mig_model *const *at = list->registry->known.mig_models; *at; at++) {
		char text[80];
		(void)snprintf(text, sizeof(text),
			"%lld GiB in %d slices: profiles, their slices, where they may begin",
			(long long)(*at)->mem / GIB, SL_MIG_SLICES);
		entry_show(list, &(struct entry){ .name = (*at)->name,
					 .summary = text,
					 .paper = (*at)->source,
					 .vtable = *at,
					 .mig = *at });
	}
}

/* The engine keeps jobs from the queue, whoever decides else. */
static bool engine_gives(enum sl_reason reason)
{
	return reason == SL_REASON_BEGIN_TIME || reason == SL_REASON_DEPENDENCY ||
	       reason == SL_REASON_NEVER || reason == SL_REASON_ARRAY_LIMIT || reason == SL_REASON_HELD ||
	       reason == SL_REASON_BAD_CONSTRAINTS || reason == SL_REASON_LEFT;
}

/* Policies that declare which ones they report, by name. */
static const char *given_by(
	const struct registry *registry, enum sl_reason reason, char *text, size_t capacity)
{
	(void)snprintf(text, capacity, "%s", engine_gives(reason) ? "any policy" : "");
	for (const struct sl_policy *const *at = registry->known.policies; *at; at++) {
		const enum sl_reason *gives = (*at)->reasons;
		while (gives && *gives != reason && *gives != SL_REASON_COUNT)
			gives++;
		if (gives && *gives == reason && !engine_gives(reason))
			list_add(text, capacity, "%s", (*at)->name);
	}
	return *text ? text : "no policy of this build";
}

static void list_reasons(struct listing *list)
{
	char text[200];
	for (unsigned i = 0; i < SL_REASON_COUNT; i++)
		entry_show(list, &(struct entry){ .name = sl_reason_name((enum sl_reason)i),
					 .summary = sl_reason_words((enum sl_reason)i),
					 .given_by = given_by(
						 list->registry, (enum sl_reason)i, text, sizeof(text)) });
}

static void list_rules(struct listing *list)
{
	for (unsigned i = 0; i < SL_RULE_COUNT; i++)
		entry_show(list, &(struct entry){ .name = sl_rule_name((enum sl_rule)i),
					 .summary = sl_rule_words((enum sl_rule)i) });
}

/* How entries of one array of the registry are listed: by a function, or from where their members are. */
static const struct kind {
	const char *name, *about;
	void (*walk)(struct listing *list);
	size_t at, paper, params; /* 0: they have none. Their number is behind the parameters. */
} kinds[] = {
#define OF(array)    .at = offsetof(struct sl_plugin, array)
#define PAPER(type)  .paper = offsetof(struct type, paper)
#define PARAMS(type) PAPER(type), .params = offsetof(struct type, params)
	{ "presets", "names for -p that stand for a policy with some parameters set", .walk = list_presets },
	{ "policies", "for -p, as name:parameter=value,...", OF(policies), PARAMS(sl_policy) },
	{ "placings", "how nodes are chosen, as place=NAME of a policy", OF(scorers), PAPER(sl_node_scorer) },
	{ "placers", "likewise, those that choose cores and devices too", OF(allocators),
		PAPER(sl_allocator) },
	{ "models", "what makes run times other than traced, for --model", OF(models), PARAMS(sl_model) },
	{ "settings", "for --set", .walk = list_settings },
	{ "gauges", "sums over all nodes that can be followed, as --set replay.gauges=NAME", OF(gauges),
		PAPER(sl_gauge) },
	{ "readers", "formats of traces that are read", OF(readers) },
	{ "clusters", "formats of cluster files, for -c", OF(cluster_readers) },
	{ "nodes", "types of nodes for cluster files, as 'type: NAME' of an entry", .walk = list_nodes },
	{ "mig", "GPUs divided by MIG, as 'mig: NAME' of a type of GPU in a cluster file", .walk = list_mig },
	{ "writers", "formats of traces that are written", OF(writers) },
	{ "generators", "workload models, for 'schedlab generate'", OF(generators), PARAMS(sl_generator) },
	{ "metrics", "families of numbers in metrics.json; see schedlab-metrics(7)", OF(metrics),
		PAPER(sl_metric) },
	{ "reports", "files of a run's directory", OF(reports) },
	{ "documents", "several runs side by side, for --format of 'schedlab report'", OF(documents) },
	{ "binders", "what puts pods on nodes for policies that admit whole jobs", OF(binders),
		PAPER(sl_binder) },
	{ "languages", "in which policies may be scripts, by the ending of -p FILE", OF(scriptings) },
	{ "reasons", "why a job waits, as reasons.csv has it: it waited because ...", .walk = list_reasons },
	{ "rules", "by which rule a policy did something to a job", .walk = list_rules },
#undef OF
#undef PAPER
#undef PARAMS
};

static void kind_walk(struct listing *list, const struct kind *kind)
{
	const void *array;
	const struct vtable *at;
	if (kind->walk) {
		kind->walk(list);
		return;
	}
	memcpy(&array, (const char *)&list->registry->known + kind->at, sizeof(array));
	for (size_t i = 0; (at = registry_at(array, i)); i++) {
		struct entry entry = { .name = at->name, .summary = at->summary, .vtable = at };
		const char *bytes = (const char *)at;
		if (kind->paper)
			memcpy(&entry.paper, bytes + kind->paper, sizeof(entry.paper));
		if (kind->params) {
			memcpy(&entry.params, bytes + kind->params, sizeof(entry.params));
			memcpy(&entry.param_count, bytes + kind->params + sizeof(entry.params),
				sizeof(entry.param_count));
		}
		entry_show(list, &entry);
	}
}

static const char *kind_at(const void *list, size_t i)
{
	(void)list;
	return i < SL_LEN(kinds) ? kinds[i].name : NULL;
}

const char *list_kind_at(size_t i) { return kind_at(NULL, i); }

const char *list_kind_about(size_t i) { return i < SL_LEN(kinds) ? kinds[i].about : NULL; }

/* `list policies` lists presets too: both are values of -p; `list traces` the formats of traces. */
static bool kind_wanted(const struct kind *kind, const char *word)
{
	static const char *const also[][2] = { { "policies", "presets" }, { "traces", "readers" },
		{ "traces", "writers" } };
	bool wanted = !word || strcmp(word, kind->name) == 0;
	for (size_t i = 0; i < SL_LEN(also) && !wanted; i++)
		wanted = strcmp(word, also[i][0]) == 0 && strcmp(kind->name, also[i][1]) == 0;
	return wanted;
}

static int list_command(const struct args *args, struct sl_err *err)
{
	const char *word = args->word_count ? args->word[0] : NULL;
	struct listing list = { .registry = args->registry, .briefly = !word };
	bool known = !word;
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		known = known || kind_wanted(&kinds[i], word);
	if (!known) {
		char similar[128];
		return sl_fail(err, SL_USAGE,
			"nothing called '%s' to list: %s'schedlab list' shows all kinds", word,
			did_you_mean(similar, nearest(word, kind_at, NULL)));
	}
	static const struct json_form entries = { "\n    ", ",\n    ", " ", true };
	struct json json;
	const int status = arg_flag(args, "json") ? json_start(&json, &json_lines_2, err) : SL_OK;
	if (status)
		return status;
	list.json = arg_flag(args, "json") ? &json : NULL;
	const char *separator = "";
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		if (!kind_wanted(&kinds[i], word))
			continue;
		if (list.json)
			json_nest(&json, kinds[i].name, '[', &entries);
		else
			printf("%s%s - %s\n", separator, kinds[i].name, kinds[i].about);
		kind_walk(&list, &kinds[i]);
		if (list.json)
			json_close(&json);
		separator = "\n";
	}
	return list.json ? json_finish(&json, SL_OK, err) : SL_OK;
}

const struct command cmd_list = {
	.name = "list",
	.usage = "list [KIND] [options]",
	.summary = "show policies, settings, formats, generators and metrics by name",
	.detail =
		"KIND is one of policies, presets, placings, placers, models, settings, gauges, readers, clusters,\n"
		"nodes, mig, writers, generators, metrics, reports, documents, binders, languages, reasons and\n"
		"rules.\n"
		"With a KIND each is shown with its parameters, their defaults, and the paper it comes from.\n"
		"\n"
		"examples:\n"
		"  schedlab list\n"
		"  schedlab list policies\n"
		"  schedlab list generators --json\n"
		"  schedlab list metrics --plugin ./mine.so\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_max = 1,
	.run = list_command,
};
