/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registry.c - shared-object plug-ins: loaded, checked and copied once, here.
 *
 * A vtable of an older minor version is shorter. It is copied into a whole one, so that no other code checks
 * the version of a plug-in. Every kind of vtable is one line of a table and begins with {abi, name}.
 */
#include "sim/registry/registry.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/hash.h"
#include "sim/registry/plugins.h"

enum { PLUGINS_MAX = 1000, ENTRIES_MAX = 1000, PARAMS_MAX = 1000 };

/* ---- The kinds of vtable ------------------------------------------------------------- */

/* A name must be fit for -p, --set and a file. */
static bool name_good(const char *name)
{
	size_t len = 0;
	for (; name && name[len]; len++)
		if (name[len] <= ' ' || name[len] > '~' || strchr(":,=/\"'\\{}", name[len]))
			return false;
	return len > 0 && len <= 64;
}

/* That of a file in a run's directory too. */
static bool file_name_good(const char *name) { return name_good(name) && name[0] != '.'; }

bool param_is_choice(const struct sl_param *param)
{
	return param->kind == SL_PARAM_CHOICE || param->kind == SL_PARAM_PLACE ||
	       param->kind == SL_PARAM_POLICY;
}

static bool params_whole(const struct sl_param *params, size_t count)
{
	if (count > PARAMS_MAX || (count && !params))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct sl_param *param = &params[i];
		if (!param->key || !param->key[0] || !param->help || (unsigned)param->kind > SL_PARAM_POLICY)
			return false;
		if (param_is_choice(param) && !param->choices)
			return false;
	}
	return true;
}

static bool mig_whole(const void *vtable)
{
	const struct sl_mig_model *mig = vtable;
	for (size_t i = 0; i < mig->profile_count; i++) {
		const struct sl_mig_profile *profile = &mig->profile[i];
		if (!profile->name || !profile->slices || profile->slices > SL_MIG_SLICES || !profile->starts)
			return false;
	}
	return mig->mem > 0 && mig->profile_count;
}

static bool report_whole(const void *vtable)
{
	const struct sl_report *report = vtable;
	return file_name_good(report->name) && (!report->asked_as || file_name_good(report->asked_as));
}

static bool document_whole(const void *vtable)
{
	const struct sl_document *document = vtable;
	return file_name_good(document->file);
}

static const struct kind {
	const char *what;
	const char *needs;  /* For messages. */
	size_t at, size;    /* Where the array is; bytes of a vtable of ours. */
	size_t first, last; /* All pointers from there to there have to be there. */
	size_t rival;       /* The array of who shares its names; 0: nobody. */
	size_t params;      /* Where its parameters are, and behind them their number; 0: none. */
	bool (*whole)(const void *vtable); /* What else must hold; NULL: nothing. */
} kinds[] = {
#define OF(array, type, one, other)                                           \
	.at = offsetof(struct sl_plugin, array), .size = sizeof(struct type), \
	.first = offsetof(struct type, one), .last = offsetof(struct type, other)
#define PARAMS(type) .params = offsetof(struct type, params)
#define RIVAL(array) .rival = offsetof(struct sl_plugin, array)
	{ "policy", "pass, and a key and a help for each parameter", OF(policies, sl_policy, pass, pass),
		PARAMS(sl_policy), RIVAL(presets) },
	{ "reader", "sniff and read", OF(readers, sl_reader, sniff, read) },
	{ "generator", "generate, and a key and a help for each parameter",
		OF(generators, sl_generator, generate, generate), PARAMS(sl_generator) },
	{ "metric", "compute", OF(metrics, sl_metric, compute, compute) },
	{ "model", "init, and a key and a help for each parameter", OF(models, sl_model, init, init),
		PARAMS(sl_model) },
	{ "cluster reader", "sniff and read", OF(cluster_readers, sl_cluster_reader, sniff, read) },
	{ "preset", "policy", OF(presets, sl_preset, policy, policy), RIVAL(policies) },
	{ "placing", "score", OF(scorers, sl_node_scorer, score, score), RIVAL(allocators) },
	{ "placer", "init, release, choose, take, untake, give, restore and forget",
		OF(allocators, sl_allocator, init, forget), RIVAL(scorers) },
	{ "gauge", "of", OF(gauges, sl_gauge, of, of) },
	{ "binder", "all its functions", OF(binders, sl_binder, init, fail) },
	{ "language", "ending, load, open, close, takes, ask and told",
		OF(scriptings, sl_scripting, ending, reported) },
	{ "writer", "begin and job", OF(writers, sl_writer, begin, job) },
	{ "report", "write, and a name that a file may have", OF(reports, sl_report, write, write),
		.whole = report_whole },
	{ "document", "open, add, write and close, and a file with a name that one may have",
		OF(documents, sl_document, open, close), .whole = document_whole },
	{ "node type", "node", OF(node_models, sl_node_model, node, node) },
	{ "model of MIG", "its memory and profiles, each with a name, 1 to 8 slices, and where it may begin",
		OF(mig_models, sl_mig_model, profile, profile), .whole = mig_whole },
#undef OF
#undef PARAMS
#undef RIVAL
};

/* The arrays are of pointers to different types: they are moved as bytes. */
static const void *array_of(const void *owner, size_t at)
{
	const void *array;
	memcpy(&array, (const char *)owner + at, sizeof(array));
	return array;
}

static void array_set(void *owner, size_t at, const void *array)
{
	memcpy((char *)owner + at, &array, sizeof(array));
}

const struct vtable *registry_at(const void *array, size_t i)
{
	const struct vtable *entry = NULL;
	if (array)
		memcpy(&entry, (const char *)array + i * sizeof(void *), sizeof(void *));
	return entry;
}

/* At most `max`. */
static size_t registry_count_of(const void *array, size_t max)
{
	size_t count = 0;
	while (count < max && registry_at(array, count))
		count++;
	return count;
}

const void *sl_by_name_n(const void *array, const char *name, size_t len)
{
	const struct vtable *entry;
	for (size_t i = 0; (entry = registry_at(array, i)); i++)
		if (strncmp(entry->name, name, len) == 0 && !entry->name[len])
			return entry;
	return NULL;
}

const void *sl_by_name(const void *array, const char *name)
{
	return sl_by_name_n(array, name, strlen(name));
}

/* ---- Checks ---------------------------------------------------------------------------- */

/* least: bytes without which it makes no sense; size: of ours. */
static int abi_check(const struct sl_abi *abi, size_t least, size_t size, const char *path, const char *what,
	struct sl_err *err)
{
	const uint32_t major = abi->version >> 16;
	const uint32_t minor = abi->version & 0xffff;
	if (major != SL_ABI_MAJOR || minor > SL_ABI_MINOR)
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': its %s is of ABI %u.%u, and this program's is %d.%d: build it against this "
			"program's plugin.h",
			path, what, major, minor, SL_ABI_MAJOR, SL_ABI_MINOR);
	if (abi->size < least || abi->size > size)
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': its %s says that it has %u bytes, which no ABI %u.%u has: begin it with "
			"SL_ABI_OF",
			path, what, abi->size, major, minor);
	return SL_OK;
}

static bool is_whole(const struct kind *kind, const void *vtable)
{
	size_t count;
	for (size_t at = kind->first; at <= kind->last; at += sizeof(void *))
		if (!array_of(vtable, at))
			return false;
	if (!kind->params)
		return !kind->whole || kind->whole(vtable);
	memcpy(&count, (const char *)vtable + kind->params + sizeof(void *), sizeof(count));
	return params_whole(array_of(vtable, kind->params), count);
}

/* *copy: the whole of a vtable, in the arena. */
static int vtable_copy(const void **copy, const struct vtable *vtable, const struct kind *kind,
	const char *path, struct sl_arena *arena, struct sl_err *err)
{
	const int status =
		abi_check(&vtable->abi, kind->last + sizeof(void *), kind->size, path, kind->what, err);
	if (status)
		return status;
	if (!name_good(vtable->name))
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': a %s has no name, or one with blanks or any of :,=/\"'\\{} in it: name it",
			path, kind->what);
	void *whole = sl_alloc(arena, 1, kind->size);
	if (!whole)
		return sl_fail_memory(err);
	memcpy(whole, vtable, vtable->abi.size);
	*copy = whole;
	if (!is_whole(kind, whole))
		return sl_fail(err, SL_INPUT, "plug-in '%s': %s '%s' lacks something: it needs %s", path,
			kind->what, vtable->name, kind->needs);
	return SL_OK;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static int file_hash(FILE *file, const char *path, char hex[65], struct sl_err *err)
{
	unsigned char buffer[1 << 14];
	struct evp_md_ctx_st *hash = hash_new();
	size_t len;
	while ((len = fread(buffer, 1, sizeof(buffer), file)) > 0)
		hash_add(hash, buffer, len);
	const bool good = hash_end(hash, hex);
	if (ferror(file))
		return sl_fail_sys(err, SL_INPUT, "read", path);
	return good ? SL_OK : sl_fail(err, SL_SYSTEM, "cannot compute a SHA-256: libcrypto refuses to");
}

int registry_hash(const char *path, char hex[65], struct sl_err *err)
{
	struct stat info;
	if (stat(path, &info) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	if (!S_ISREG(info.st_mode))
		return sl_fail(err, SL_INPUT, "plug-in '%s' is not a file: give a shared object", path);
	FILE *file = fopen(path, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	const int status = file_hash(file, path, hex, err);
	(void)fclose(file);
	return status;
}

/* What dlerror says begins with the path, as it was given. */
static int fail_load(const char *path, struct sl_err *err)
{
	const char *why = dlerror(); /* NOLINT(concurrency-mt-unsafe): of this thread, in glibc. */
	const size_t len = strlen(path);
	if (!why)
		why = "unknown";
	else if (strncmp(why, path, len) == 0 && strncmp(why + len, ": ", 2) == 0)
		why += len + 2;
	return sl_fail(err, SL_INPUT,
		"plug-in '%s' cannot be loaded: %s: give a shared object built with -fPIC -shared", path,
		why);
}

/* Without a '/', the loader would look elsewhere. */
static void *open_object(const char *path, struct sl_arena *arena, struct sl_err *err)
{
	const char *place = path;
	if (!strchr(path, '/')) {
		const size_t size = strlen(path) + sizeof("./");
		char *here = sl_alloc(arena, size, 1);
		if (!here)
			return (void)sl_fail_memory(err), NULL;
		(void)snprintf(here, size, "./%s", path);
		place = here;
	}
	void *handle = dlopen(place, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		(void)fail_load(place, err);
	return handle;
}

/* *copies: an array like `array`, of whole vtables, closed by NULL. */
static int entries_copy(const void **copies, const void *array, const struct kind *kind, const char *path,
	struct sl_arena *arena, struct sl_err *err)
{
	const size_t count = registry_count_of(array, ENTRIES_MAX + 1);
	if (count > ENTRIES_MAX)
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': more than %d entries of kind '%s': end it with NULL", path,
			ENTRIES_MAX, kind->what);
	const void **copy = sl_alloc(arena, count + 1, sizeof(*copy));
	if (!copy)
		return sl_fail_memory(err);
	const struct vtable *entry;
	for (size_t i = 0; (entry = registry_at(array, i)); i++) {
		const int status = vtable_copy(&copy[i], entry, kind, path, arena, err);
		if (status)
			return status;
	}
	*copies = copy;
	return SL_OK;
}

/* Its vtables become whole; nothing is known by name yet. */
static int plugin_check(struct plugin *plugin, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_plugin *theirs = dlsym(plugin->handle, "sl_plugin");
	if (!theirs)
		return sl_fail(err, SL_INPUT,
			"plug-in '%s' has no symbol 'sl_plugin': define 'SL_API const struct sl_plugin sl_plugin'",
			plugin->path);
	const int status = abi_check(&theirs->abi, offsetof(struct sl_plugin, policies), sizeof(plugin->is),
		plugin->path, "sl_plugin", err);
	if (status)
		return status;
	memcpy(&plugin->is, theirs, theirs->abi.size);
	if (!name_good(plugin->is.name))
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': it has no name, or one with blanks or any of :,=/\"'\\{} in it: name it",
			plugin->path);
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		const void *copies = NULL;
		const int failed = entries_copy(
			&copies, array_of(&plugin->is, kinds[i].at), &kinds[i], plugin->path, arena, err);
		if (failed)
			return failed;
		array_set(&plugin->is, kinds[i].at, copies);
	}
	return SL_OK;
}

/* A script is a plug-in with one policy. */
static int plugin_script(struct plugin *plugin, const struct sl_scripting *scripting, const char *path,
	const char *sha256, const struct script_watch *watch, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_policy **policy = sl_alloc(arena, 2, sizeof(const void *));
	if (!policy)
		return sl_fail_memory(err);
	const int status = script_load(&plugin->script, scripting, path, sha256, policy, watch, arena, err);
	if (status)
		return status;
	SL_CHECK(*policy);
	memcpy(plugin->sha256, plugin->script->file->sha256, sizeof(plugin->sha256));
	plugin->is = (struct sl_plugin){
		.abi = SL_ABI_OF(struct sl_plugin), .name = (*policy)->name, .policies = policy
	};
	if (name_good((*policy)->name) && is_whole(&kinds[0], *policy))
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"script '%s': its name has blanks or any of :,=/\"'\\{} in it: rename the file", path);
}

enum trust_what plugin_is(const struct registry *registry, const char *path)
{
	const char *file;
	return script_named(registry, path, &file) ? TRUST_SCRIPT : TRUST_PLUGIN;
}

/* sha256: what it has to be; NULL: anything. */
static int hash_check(const char *path, const char *sha256, const char *is, struct sl_err *err)
{
	if (!sha256 || strcmp(sha256, is) == 0)
		return SL_OK;
	return sl_fail(err, SL_BASELINE, "%s: its SHA-256 is %s, it was %s: give the file as it was", path,
		is, sha256);
}

/* Nothing of it runs before it is known to be what it should be. */
static int plugin_load(const struct registry *registry, struct plugin *plugin, const char *path,
	const char *sha256, struct sl_err *err)
{
	struct sl_arena *arena = registry->arena;
	const char *file;
	*plugin = (struct plugin){ .path = sl_strdup(arena, path, strlen(path)) };
	if (!plugin->path)
		return sl_fail_memory(err);
	const struct sl_scripting *scripting = script_named(registry, path, &file);
	if (scripting)
		return plugin_script(plugin, scripting, file, sha256, &registry->watch, arena, err);
	int status = registry_hash(path, plugin->sha256, err);
	if (!status)
		status = hash_check(path, sha256, plugin->sha256, err);
	if (status)
		return status;
	plugin->handle = open_object(path, arena, err);
	if (!plugin->handle)
		return err->status;
	status = plugin_check(plugin, arena, err);
	if (status)
		(void)dlclose(plugin->handle);
	return status;
}

/* ---- The registry ----------------------------------------------------------------------------- */

void registry_release(struct registry *registry)
{
	for (size_t i = registry->plugin_count; i-- > 0;)
		if (registry->plugin[i].handle)
			(void)dlclose(registry->plugin[i].handle);
	sl_arena_free(registry->arena);
	*registry = (struct registry){ 0 };
}

const struct plugin *registry_plugin(const struct registry *registry, const char *path)
{
	for (size_t i = 0; i < registry->plugin_count; i++)
		if (strcmp(registry->plugin[i].path, path) == 0)
			return &registry->plugin[i];
	return NULL;
}

/* The same, for changing it; loaded if it was not. */
static int plugin_at(struct plugin **plugin, struct registry *registry, const char *path, const char *sha256,
	struct sl_err *err)
{
	for (size_t i = 0; i < registry->plugin_count; i++)
		if (strcmp(registry->plugin[i].path, path) == 0) {
			*plugin = &registry->plugin[i];
			return hash_check(path, sha256, (*plugin)->sha256, err);
		}
	const int asked = trust_query(&registry->trust, plugin_is(registry, path), NULL, path, NULL, err);
	if (asked)
		return asked;
	if (registry->plugin_count == PLUGINS_MAX)
		return sl_fail(err, SL_USAGE, "more than %d plug-ins: load fewer", PLUGINS_MAX);
	if (SL_GROW_IN(registry->arena, registry->plugin, registry->plugin_capacity,
		    registry->plugin_count + 1, err))
		return SL_SYSTEM;
	*plugin = &registry->plugin[registry->plugin_count];
	const int status = plugin_load(registry, *plugin, path, sha256, err);
	registry->plugin_count += status == SL_OK;
	return status;
}

/* The array of one kind, with the plug-in's at its end. */
static int names_add(const struct registry *registry, const struct plugin *plugin, const struct kind *kind,
	const void **merged, struct sl_err *err)
{
	const void *old = array_of(&registry->known, kind->at);
	const void *more = array_of(&plugin->is, kind->at);
	const size_t count = registry_count_of(old, SIZE_MAX);
	const void **array =
		sl_alloc(registry->arena, count + registry_count_of(more, SIZE_MAX) + 1, sizeof(*array));
	if (!array)
		return sl_fail_memory(err);
	if (count)
		memcpy(array, old, count * sizeof(*array));
	const struct vtable *entry;
	for (size_t i = 0; (entry = registry_at(more, i)); i++) {
		if (sl_by_name(array, entry->name) ||
			(kind->rival && (sl_by_name(array_of(&registry->known, kind->rival), entry->name) ||
						sl_by_name(array_of(&plugin->is, kind->rival), entry->name))))
			return sl_fail(err, SL_USAGE,
				"plug-in '%s': a %s called '%s' is known already: give it another name",
				plugin->path, kind->what, entry->name);
		array[count + i] = entry;
	}
	*merged = array;
	return SL_OK;
}

/* A preset stands for a policy that is known, or comes with it. */
static int presets_check(const struct plugin *plugin, const void *policies, struct sl_err *err)
{
	const struct sl_preset *const *at = plugin->is.presets;
	for (; at && *at; at++)
		if (!sl_by_name(policies, (*at)->policy))
			return sl_fail(err, SL_USAGE,
				"plug-in '%s': preset '%s' stands for policy '%.64s', which nobody has: name one that "
				"'schedlab list policies' shows",
				plugin->path, (*at)->name, (*at)->policy);
	return SL_OK;
}

/* All of it, or nothing. */
static int plugin_join(struct registry *registry, const struct plugin *plugin, struct sl_err *err)
{
	struct sl_plugin known = registry->known;
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		const void *merged = NULL;
		const int failed = names_add(registry, plugin, &kinds[i], &merged, err);
		if (failed)
			return failed;
		array_set(&known, kinds[i].at, merged);
	}
	const int status = presets_check(plugin, known.policies, err);
	if (!status)
		registry->known = known;
	return status;
}

int registry_init(
	struct registry *registry, const struct sl_plugin *const *builtin, size_t count, struct sl_err *err)
{
	*registry = (struct registry){ .arena = sl_arena_new() };
	if (!registry->arena)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++)
		status = plugin_join(
			registry, &(struct plugin){ .path = builtin[i]->name, .is = *builtin[i] }, err);
	if (status)
		registry_release(registry);
	return status;
}

int registry_add(struct registry *registry, const char *path, struct sl_err *err)
{
	return registry_add_known(registry, path, NULL, err);
}

int registry_add_known(struct registry *registry, const char *path, const char *sha256, struct sl_err *err)
{
	struct plugin *plugin;
	const int status = plugin_at(&plugin, registry, path, sha256, err);
	if (status || plugin->named)
		return status;
	const int joined = plugin_join(registry, plugin, err);
	plugin->named = joined == SL_OK;
	return joined;
}

bool is_plugin_path(const struct registry *registry, const char *name)
{
	const char *path;
	const size_t len = strlen(name);
	return strchr(name, '/') || (len > 3 && strcmp(name + len - 3, ".so") == 0) ||
	       script_named(registry, name, &path);
}

int registry_add_policy(struct registry *registry, const char *policy_text, struct sl_err *err)
{
	const char *name = policy_name(registry, policy_text, registry->arena, err);
	struct plugin *plugin;
	if (!name)
		return err->status;
	return is_plugin_path(registry, name) ? plugin_at(&plugin, registry, name, NULL, err) : SL_OK;
}

int registry_add_path(struct registry *registry, const char *path, const char *sha256, struct sl_err *err)
{
	struct plugin *plugin;
	return plugin_at(&plugin, registry, path, sha256, err);
}

const struct plugin *registry_owner(const struct registry *registry, const void *vtable)
{
	for (size_t i = 0; i < registry->plugin_count; i++)
		for (size_t kind = 0; kind < SL_LEN(kinds); kind++) {
			const void *array = array_of(&registry->plugin[i].is, kinds[kind].at);
			const struct vtable *entry;
			for (size_t j = 0; (entry = registry_at(array, j)); j++)
				if ((const void *)entry == vtable)
					return &registry->plugin[i];
		}
	return NULL;
}
