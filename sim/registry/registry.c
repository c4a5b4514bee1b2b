/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registry.c - plug-ins from outside: loaded, checked and copied once, here.
 *
 * A vtable of an older minor version is shorter than ours. It is copied into a
 * whole one, so that nobody else asks what a plug-in was built against. Every
 * kind of vtable is one line of a table and begins with {abi, name}.
 */
#include "sim/registry/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <openssl/evp.h>

#include "sim/registry/plugins.h"

const struct registry registry_builtin = {
	.policies = sl_policies,
	.presets = sl_presets,
	.readers = sl_readers,
	.writers = sl_writers,
	.generators = sl_generators,
	.models = sl_models,
	.metrics = sl_metric_list,
	.reports = sl_reports,
	.cluster_readers = sl_cluster_readers,
	.placings = sl_placings,
	.gauges = sl_gauges,
};

enum { PLUGINS_MAX = 1000, ENTRIES_MAX = 1000, PARAMS_MAX = 1000 };

/* ---- The kinds of vtable ------------------------------------------------------------- */

static bool params_whole(const struct sl_param *params, size_t count)
{
	if (count > PARAMS_MAX || (count && !params))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct sl_param *param = &params[i];
		if (!param->key || !param->key[0] || !param->help || (unsigned)param->kind > SL_PARAM_DOC)
			return false;
		if (param->kind == SL_PARAM_CHOICE && !param->choices)
			return false;
	}
	return true;
}

static bool policy_whole(const void *vtable)
{
	const struct sl_policy *policy = vtable;
	return policy->pass && params_whole(policy->params, policy->param_count);
}

static bool reader_whole(const void *vtable)
{
	const struct sl_reader *reader = vtable;
	return reader->sniff && reader->read;
}

static bool generator_whole(const void *vtable)
{
	const struct sl_generator *generator = vtable;
	return generator->generate && params_whole(generator->params, generator->param_count);
}

static bool metric_whole(const void *vtable)
{
	const struct sl_metric *metric = vtable;
	return metric->compute != NULL;
}

static bool model_whole(const void *vtable)
{
	const struct sl_model *model = vtable;
	return model->init && model->summary && params_whole(model->params, model->param_count);
}

static bool cluster_reader_whole(const void *vtable)
{
	const struct sl_cluster_reader *reader = vtable;
	return reader->sniff && reader->read;
}

#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

static const struct kind {
	const char *what;
	const char *needs;                 /* For messages. */
	size_t in_plugin, in_registry;     /* Where the array is. */
	size_t least, size;                /* Bytes of a vtable: with all that it needs; of ours. */
	bool (*whole)(const void *vtable); /* It has what it needs. */
} kinds[] = {
	{ "policy", "pass, and a key and a help for each parameter", offsetof(struct sl_plugin, policies),
		offsetof(struct registry, policies), END_OF(struct sl_policy, pass), sizeof(struct sl_policy),
		policy_whole },
	{ "reader", "sniff and read", offsetof(struct sl_plugin, readers), offsetof(struct registry, readers),
		END_OF(struct sl_reader, read), sizeof(struct sl_reader), reader_whole },
	{ "generator", "generate, and a key and a help for each parameter",
		offsetof(struct sl_plugin, generators), offsetof(struct registry, generators),
		END_OF(struct sl_generator, generate), sizeof(struct sl_generator), generator_whole },
	{ "metric", "compute", offsetof(struct sl_plugin, metrics), offsetof(struct registry, metrics),
		END_OF(struct sl_metric, compute), sizeof(struct sl_metric), metric_whole },
	{ "model", "init, and a key and a help for each parameter", offsetof(struct sl_plugin, models),
		offsetof(struct registry, models), END_OF(struct sl_model, init), sizeof(struct sl_model),
		model_whole },
	{ "cluster reader", "sniff and read", offsetof(struct sl_plugin, cluster_readers),
		offsetof(struct registry, cluster_readers), END_OF(struct sl_cluster_reader, read),
		sizeof(struct sl_cluster_reader), cluster_reader_whole },
};

/* What every vtable begins with. */
struct vtable {
	struct sl_abi abi;
	const char *name;
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

/* The i-th of an array; NULL: its end, or no array. */
static const struct vtable *entry_of(const void *array, size_t i)
{
	const struct vtable *entry = NULL;
	if (array)
		memcpy(&entry, (const char *)array + i * sizeof(void *), sizeof(void *));
	return entry;
}

/* At most `max`. */
static size_t count_of(const void *array, size_t max)
{
	size_t count = 0;
	while (count < max && entry_of(array, count))
		count++;
	return count;
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

/* A name must be fit for -p, --set and a file. */
static bool name_good(const char *name)
{
	size_t len = 0;
	for (; name && name[len]; len++)
		if (name[len] <= ' ' || name[len] > '~' || strchr(":,=/\"'\\{}", name[len]))
			return false;
	return len > 0 && len <= 64;
}

/* *copy: the whole of a vtable, in the arena. */
static int vtable_copy(const void **copy, const struct vtable *vtable, const struct kind *kind,
	const char *path, struct sl_arena *arena, struct sl_err *err)
{
	const int status = abi_check(&vtable->abi, kind->least, kind->size, path, kind->what, err);
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
	if (!kind->whole(whole))
		return sl_fail(err, SL_INPUT, "plug-in '%s': %s '%s' lacks something: it needs %s", path,
			kind->what, vtable->name, kind->needs);
	return SL_OK;
}

static bool has_name(const void *array, const char *name)
{
	const struct vtable *entry;
	for (size_t i = 0; (entry = entry_of(array, i)); i++)
		if (strcmp(entry->name, name) == 0)
			return true;
	return false;
}

/* What -p takes besides policies. */
static bool is_preset(const struct registry *registry, const struct kind *kind, const char *name)
{
	if (kind->in_registry != offsetof(struct registry, policies))
		return false;
	for (const struct sl_preset *preset = registry->presets; preset->name; preset++)
		if (strcmp(preset->name, name) == 0)
			return true;
	return false;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static int file_hash(FILE *file, const char *path, char hex[65], struct sl_err *err)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char buffer[1 << 14];
	unsigned char hash[32];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
	size_t len;
	while (good && (len = fread(buffer, 1, sizeof(buffer), file)) > 0)
		good = EVP_DigestUpdate(context, buffer, len) == 1;
	const bool unread = good && ferror(file);
	good = good && EVP_DigestFinal_ex(context, hash, NULL) == 1;
	EVP_MD_CTX_free(context);
	if (unread)
		return sl_fail_sys(err, SL_INPUT, "read", path);
	if (!good)
		return sl_fail(err, SL_SYSTEM, "cannot compute a SHA-256: libcrypto refuses to");
	for (size_t i = 0; i < sizeof(hash); i++) {
		hex[2 * i] = digit[hash[i] >> 4];
		hex[2 * i + 1] = digit[hash[i] & 15];
	}
	hex[64] = '\0';
	return SL_OK;
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
		if (!here) {
			(void)sl_fail_memory(err);
			return NULL;
		}
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
	const size_t count = count_of(array, ENTRIES_MAX + 1);
	if (count > ENTRIES_MAX)
		return sl_fail(err, SL_INPUT,
			"plug-in '%s': more than %d entries of kind '%s': end it with NULL", path,
			ENTRIES_MAX, kind->what);
	const void **copy = sl_alloc(arena, count + 1, sizeof(*copy));
	if (!copy)
		return sl_fail_memory(err);
	const struct vtable *entry;
	for (size_t i = 0; (entry = entry_of(array, i)); i++) {
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
	const int status = abi_check(&theirs->abi, END_OF(struct sl_plugin, name), sizeof(plugin->is),
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
		const int failed = entries_copy(&copies, array_of(&plugin->is, kinds[i].in_plugin), &kinds[i],
			plugin->path, arena, err);
		if (failed)
			return failed;
		array_set(&plugin->is, kinds[i].in_plugin, copies);
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
	if (name_good((*policy)->name) && policy_whole(*policy))
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"script '%s': its name has blanks or any of :,=/\"'\\{} in it: rename the file", path);
}

enum trust_what plugin_is(const char *path)
{
	const char *file;
	return script_named(path, &file) ? TRUST_SCRIPT : TRUST_PLUGIN;
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
static int plugin_load(struct plugin *plugin, const char *path, const char *sha256,
	const struct script_watch *watch, struct sl_arena *arena, struct sl_err *err)
{
	const char *file;
	*plugin = (struct plugin){ .path = sl_strdup(arena, path, strlen(path)) };
	if (!plugin->path)
		return sl_fail_memory(err);
	const struct sl_scripting *scripting = script_named(path, &file);
	if (scripting)
		return plugin_script(plugin, scripting, file, sha256, watch, arena, err);
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

int registry_init(struct registry *registry, struct sl_err *err)
{
	*registry = registry_builtin;
	registry->arena = sl_arena_new();
	return registry->arena ? SL_OK : sl_fail_memory(err);
}

void registry_release(struct registry *registry)
{
	for (size_t i = registry->plugin_count; i-- > 0;)
		if (registry->plugin[i].handle)
			(void)dlclose(registry->plugin[i].handle);
	sl_arena_free(registry->arena);
	*registry = registry_builtin;
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
	const int asked = trust_ask(&registry->trust, plugin_is(path), NULL, path, NULL, err);
	if (asked)
		return asked;
	if (registry->plugin_count == PLUGINS_MAX)
		return sl_fail(err, SL_USAGE, "more than %d plug-ins: load fewer", PLUGINS_MAX);
	if (SL_GROW_IN(registry->arena, registry->plugin, registry->plugin_capacity,
		    registry->plugin_count + 1, err))
		return SL_SYSTEM;
	*plugin = &registry->plugin[registry->plugin_count];
	const int status = plugin_load(*plugin, path, sha256, &registry->watch, registry->arena, err);
	registry->plugin_count += status == SL_OK;
	return status;
}

/* The array of one kind, with the plug-in's at its end. */
static int names_add(struct registry *registry, const struct plugin *plugin, const struct kind *kind,
	const void **merged, struct sl_err *err)
{
	const void *old = array_of(registry, kind->in_registry);
	const void *more = array_of(&plugin->is, kind->in_plugin);
	size_t count = count_of(old, SIZE_MAX);
	const void **array = sl_alloc(registry->arena, count + count_of(more, SIZE_MAX) + 1, sizeof(*array));
	if (!array)
		return sl_fail_memory(err);
	memcpy(array, old, count * sizeof(*array));
	const struct vtable *entry;
	for (size_t i = 0; (entry = entry_of(more, i)); i++) {
		if (has_name(array, entry->name) || is_preset(registry, kind, entry->name))
			return sl_fail(err, SL_USAGE,
				"plug-in '%s': a %s called '%s' is known already: give it another name",
				plugin->path, kind->what, entry->name);
		array[count++] = entry;
	}
	*merged = array;
	return SL_OK;
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
	const void *merged[SL_LEN(kinds)];
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		const int failed = names_add(registry, plugin, &kinds[i], &merged[i], err);
		if (failed)
			return failed;
	}
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		array_set(registry, kinds[i].in_registry, merged[i]);
	plugin->named = true;
	return SL_OK;
}

bool is_plugin_path(const char *name)
{
	const char *path;
	const size_t len = strlen(name);
	return strchr(name, '/') || (len > 3 && strcmp(name + len - 3, ".so") == 0) ||
	       script_named(name, &path);
}

int registry_add_policy(struct registry *registry, const char *policy_text, struct sl_err *err)
{
	const char *name = policy_name(policy_text, registry->arena, err);
	struct plugin *plugin;
	if (!name)
		return err->status;
	return is_plugin_path(name) ? plugin_at(&plugin, registry, name, NULL, err) : SL_OK;
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
			const void *array = array_of(&registry->plugin[i].is, kinds[kind].in_plugin);
			const struct vtable *entry;
			for (size_t j = 0; (entry = entry_of(array, j)); j++)
				if ((const void *)entry == vtable)
					return &registry->plugin[i];
		}
	return NULL;
}
