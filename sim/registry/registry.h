/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registry.h - all that is known by name: what is built in, and what plug-ins from outside add.
 *
 * Its arrays are closed by NULL, as those of plugin.h. One thread fills a registry before anything is read or
 * run; from then on it is const, and threads share it. What it lends goes with it.
 */
#ifndef SL_REGISTRY_H
#define SL_REGISTRY_H

#include "sim/registry/scripts.h"
#include "sim/registry/trust.h"

struct plugin {
	const char *path;         /* As it was given: what finds it again. */
	char sha256[65];          /* Of the file. */
	bool named;               /* What it has is known by name; else -p PATH alone finds its policy. */
	void *handle;             /* NULL: it is a script. */
	struct sl_script *script; /* NULL: it is a shared object. */
	struct sl_plugin is;      /* Whole, and so are the vtables: what an older one lacks is 0. */
};

struct registry {
	const struct sl_policy *const *policies;
	const struct sl_preset *presets; /* Closed by a NULL name. */
	const struct sl_reader *const *readers;
	const struct sl_writer *const *writers;
	const struct sl_generator *const *generators;
	const struct sl_metric *const *metrics; /* Those of sl_metric_list come first. */
	const struct sl_report *const *reports;
	const struct sl_cluster_reader *const *cluster_readers;
	const struct sl_placing *const *placings;
	const struct sl_gauge *const *gauges;
	const struct sl_model *const *models; /* Settled in this order. */
	struct plugin *plugin;                /* In the order of loading. */
	size_t plugin_count, plugin_capacity;
	struct trust trust;        /* Asked before anything is loaded. */
	struct script_watch watch; /* Asked while a script is. */
	struct sl_arena *arena;
};

extern const struct registry registry_builtin;

/* As registry_builtin; more may be added. */
int registry_init(struct registry *registry, struct sl_err *err);
void registry_release(struct registry *registry); /* Unloads the plug-ins. */

/* Loads a shared object, and adds what it has. SL_INPUT: it is no plug-in, or not for this program; SL_USAGE:
 * it has a name that is known already. One that was added before is not added again. */
int registry_add(struct registry *registry, const char *path, struct sl_err *err);
/* The same of a file with that SHA-256: SL_BASELINE if it is another, and nothing of it ran. */
int registry_add_known(struct registry *registry, const char *path, const char *sha256, struct sl_err *err);
/* Likewise, for a policy that is named by that path: none of its names become known. */
int registry_add_path(struct registry *registry, const char *path, const char *sha256, struct sl_err *err);
/* For `-p path.so:...`: loads the plug-in, none of whose names become known. The text of a policy that has a
 * name adds nothing. */
int registry_add_policy(struct registry *registry, const char *policy_text, struct sl_err *err);

/* True if a policy of that name is one of a file: it has a '/', ends in ".so", or names a script. */
bool is_plugin_path(const char *name);
const struct plugin *registry_plugin(const struct registry *registry, const char *path); /* NULL: none. */
/* What its path names. */
enum trust_what plugin_is(const char *path);
int registry_hash(const char *path, char hex[65], struct sl_err *err); /* SHA-256 of a file. */
/* Whose vtable it is; NULL: built in. */
const struct plugin *registry_owner(const struct registry *registry, const void *vtable);

#endif
