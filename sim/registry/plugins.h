/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugins.h - names to vtables, and texts to checked values.
 *
 * A policy is chosen by `name[:key=value,...]`; values may be quoted with ",
 * inside which , and : are plain. Settings (--set KEY=VALUE) go to the policy
 * or to the replay; what the policy's own text says wins over a setting.
 */
#ifndef SL_PLUGINS_H
#define SL_PLUGINS_H

#include "sim/registry/registry.h"

struct setting {
	const char *key; /* "policy.fill", "replay.load", "cluster.cpus", or a bare "fill" */
	const char *value;
	bool used; /* Someone took it; what nobody took is an error (SL_USAGE, with the nearest known key). */
};

struct settings {
	struct setting *item;
	size_t count, capacity;
	struct sl_arena *arena; /* Lent. */
};

int settings_add(struct settings *settings, const char *key_value, struct sl_err *err);
/* --model TEXT: "NAME[:key=value,...]", kept as it is under a key that nobody can write. */
#define SETTING_MODEL "--model"
int settings_add_model(struct settings *settings, const char *text, struct sl_err *err);

/* A file of a parameter of kind SL_PARAM_DOC, or of a script, as it was read; the arena's. */
struct policy_file {
	const char *key; /* The parameter's; "": of the policy, which is a script itself. */
	const char *path, *format;
	char sha256[65];
	uint64_t bytes;
	struct sl_doc doc;
	struct sl_script *script; /* The first of a script's files has it. */
};

struct policy_choice {
	const struct sl_policy *policy;
	struct sl_value *values; /* One for each of the policy's params, in their order; effective. */
	size_t value_count;
	const char *text;               /* As the user wrote it: the label of its row. */
	const char *slug;               /* Safe as a part of a file name. */
	const struct sl_compat *compat; /* What its compat implies, NULL: nothing; and of that, */
	const char *implied;            /* what is the replay's: "passes=event,..."; NULL: nothing. */
	struct sl_script *script;       /* NULL: it is none. */
	const struct policy_file *file; /* Of its parameters that name one; its own, if it is a script. */
	size_t file_count;
	const struct registry
		*registry; /* Its trust is asked before what a parameter names is run or written. */
};

/* Finds the policy or preset, or that of a plug-in by its path, and checks its values; SL_USAGE with the
 * nearest known name otherwise. A bare setting key that is the policy's is taken from `settings`; one that is
 * also a replay key is an error. */
int policy_choose(const struct registry *registry, struct policy_choice *choice, const char *text,
	struct settings *settings, struct sl_arena *arena, struct sl_err *err);
/* Before it is chosen: what that text, with those settings over it, would have executed, by trust.h. at:
 * where they stand. What is wrong with them otherwise is no matter here. */
int policy_trusted(const struct registry *registry, const char *text, struct settings *settings,
	const struct sl_place *at, struct sl_err *err);
/* plugins_files.c: the same of one value of a choice. */
int value_trusted(
	const struct policy_choice *choice, size_t i, const struct sl_place *at, struct sl_err *err);

/* The part of a policy's text before its parameters, without quotes; NULL: err says why. */
const char *policy_name(
	const struct registry *registry, const char *text, struct sl_arena *arena, struct sl_err *err);
/* What is behind its colon; NULL: nothing. And the next "key=value" of that, without quotes; NULL: no more.
 */
const char *policy_items(const struct registry *registry, const char *text);
char *policy_item_next(const char **text, struct sl_arena *arena);
/* A text without its quotes; NULL: no memory. */
const char *policy_plain(const char *text, struct sl_arena *arena);

/* The settings that are the policy's, over its values as they are: compat implies nothing any more. */
int policy_settings(
	struct policy_choice *choice, struct settings *settings, struct sl_arena *arena, struct sl_err *err);

/* plugins_files.c: reads the files that its values name, but for those that it has already. */
int policy_files(struct policy_choice *choice, struct sl_arena *arena, struct sl_err *err);
/* The file of that parameter, and its hash; NULL: it has none. */
const struct policy_file *policy_file_of(const struct policy_choice *choice, const char *key);

/* Would a run do the same under both? */
bool policy_same(const struct policy_choice *a, const struct policy_choice *b);

/* The next of "key=value,..." at *text, which it moves on; false at the end. For texts of our own: no quotes.
 */
struct item {
	char key[40], value[40];
};
bool item_next(const char **text, struct item *item);

/* SL_USAGE if a setting was used by nobody: names the nearest key of the replay and of the chosen policies.
 */
int settings_check_used(const struct settings *settings, const struct policy_choice *choices, size_t count,
	struct sl_err *err);

/* Parameters of one owner. */
struct param_list {
	const struct sl_param *param;
	size_t count;
	const char *what; /* Names their owner in messages. */
	const struct registry
		*registry;      /* Of names that parameters take (SL_PARAM_PLACE); NULL: none does. */
	struct sl_arena *arena; /* Where values go. */
};
/* Fills values, one for each, from "key=value,..." (may be NULL) over the defaults. */
int values_parse(
	struct sl_value *values, const struct param_list *params, const char *text, struct sl_err *err);
/* The same, over what the values are; */
int values_give(
	struct sl_value *values, const struct param_list *params, const char *text, struct sl_err *err);
/* and one key alone, of `values`, or, by its number, into one value. value NULL: a bare key, a switch. */
int values_key(struct sl_value *values, const struct param_list *params, const char *key, const char *value,
	struct sl_err *err);
int value_set(struct sl_value *value, const struct param_list *params, size_t i, const char *text,
	struct sl_err *err);
/* "a|b|c": what a parameter of a choice takes, with what plug-ins bring; NULL: no memory, or anything. */
const char *param_choices(
	const struct sl_param *param, const struct registry *registry, struct sl_arena *arena);

/* ": did you mean 'easy'?" into buffer, or "" if nothing is near. */
const char *did_you_mean(char buffer[128], const char *similar);

const char *registry_name_at(const void *array, size_t i); /* Of an array of the registry, for nearest. */

/* The reader that is surest of a first text, and how sure it is; 0: none is. */
int reader_surest(
	const struct registry *registry, const struct sl_reader **reader, const char *text, size_t len);
int cluster_reader_surest(const struct registry *registry, const struct sl_cluster_reader **reader,
	const char *path, const char *text, size_t len);
/* By content. Reads the first text of `in` and gives it back. */
int reader_choose(const struct registry *registry, const struct sl_reader **reader, struct sl_input *in,
	struct sl_err *err);
/* Likewise. in NULL: path is a folder. */
int cluster_reader_choose(const struct registry *registry, const struct sl_cluster_reader **reader,
	const char *path, struct sl_input *in, struct sl_err *err);

#endif
