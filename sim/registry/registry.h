/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * registry.h - the registry: all that is known by name, built in and of shared-object plug-ins.
 *
 * The program, or the library, makes it of the plug-ins that are built in (sim/lib/builtin.c), and hands it
 * to all who look for something by name. Its arrays are closed by NULL, and there is one of each. One thread
 * fills a registry before anything is read or run; from then on it is const, and threads share it. What it
 * lends goes with it.
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
	struct sl_plugin
		known; /* What is built in, then what plug-ins have, as one; its own name says nothing. */
	struct plugin *plugin; /* In the order of loading. */
	size_t plugin_count, plugin_capacity;
	struct trust trust;        /* Checked before anything is loaded. */
	struct script_watch watch; /* Checked while a script is loaded. */
	struct sl_arena *arena;
};

/* What is built in, of which none brings a name twice; more may be added. */
int registry_init(
	struct registry *registry, const struct sl_plugin *const *builtin, size_t count, struct sl_err *err);
void registry_release(struct registry *registry); /* Unloads the plug-ins. */

/* Loads a shared object, and adds what it has. SL_INPUT: it is no plug-in, or not for this program; SL_USAGE:
 * it has a name that is known already. One that was added before is not added twice. */
int registry_add(struct registry *registry, const char *path, struct sl_err *err);
/* The same of a file with that SHA-256: SL_BASELINE if it is another, and nothing of it ran. */
int registry_add_known(struct registry *registry, const char *path, const char *sha256, struct sl_err *err);
/* Likewise, for a policy that is named by that path: none of its names become known. */
int registry_add_path(struct registry *registry, const char *path, const char *sha256, struct sl_err *err);
/* For `-p path.so:...`: loads the plug-in, none of whose names become known. The text of a policy that has a
 * name adds nothing. */
int registry_add_policy(struct registry *registry, const char *policy_text, struct sl_err *err);

/* True if a policy of that name is one of a file: it has a '/', ends in ".so", or names a script. */
bool is_plugin_path(const struct registry *registry, const char *name);
const struct plugin *registry_plugin(const struct registry *registry, const char *path); /* NULL: none. */
/* What its path names. */
enum trust_what plugin_is(const struct registry *registry, const char *path);
int registry_hash(const char *path, char hex[65], struct sl_err *err); /* SHA-256 of a file. */
/* The plug-in that it belongs to; NULL: built in. */
const struct plugin *registry_owner(const struct registry *registry, const void *vtable);
/* What every vtable begins with; of a model of MIG the third is its source. */
struct vtable {
	struct sl_abi abi;
	const char *name, *summary;
};
/* The i-th of one of its arrays; NULL: its end, or no array. */
const struct vtable *registry_at(const void *array, size_t i);
bool param_is_choice(const struct sl_param *param);

#endif
