/* SPDX-License-Identifier: GPL-3.0-or-later */
/* script.h - policies, and parts of them, in another language. */
#ifndef SL_PLUGIN_SCRIPT_H
#define SL_PLUGIN_SCRIPT_H

#include "policy.h"

/* A script, and the files beside it that it uses: read and hashed when the policy is chosen, const from then
 * on. Threads share it. */
struct sl_script;
SL_API const char *sl_script_path(const struct sl_script *script); /* As it was given, for messages. */
struct sl_scripting;
SL_API const struct sl_scripting *sl_script_language(const struct sl_script *script);
/* Where a file of its folder is ("util.lua"), for messages; the arena's. NULL: no memory. */
SL_API const char *sl_script_beside(const struct sl_script *script, const char *name, struct sl_arena *arena);
/* The text of a file of its folder; name NULL: the script's own. While it is loaded a file is read at the
 * first call for it; later there are only those. SL_INPUT: it cannot be read, or was not read then. */
SL_API int sl_script_text(
	struct sl_script *script, const char *name, const char **text, size_t *len, struct sl_err *err);
/* While it is loaded: loading is being stopped, as sl_stopping says of a run. A long load calls this now and
 * then, and fails with SL_INTERRUPTED. */
SL_API bool sl_script_stopping(struct sl_script *script);
/* In init: that of a parameter; key NULL: of the policy itself. NULL: none was given. */
SL_API struct sl_script *sl_param_script(const struct sl_setup *setup, const char *key);

/* What a script's function returned. */
enum sl_answer_kind { SL_ANSWER_NONE, SL_ANSWER_BOOL, SL_ANSWER_NUMBER };
struct sl_answer {
	enum sl_answer_kind kind;
	bool yes;      /* Of a BOOL. */
	double key;    /* Of a NUMBER, for sl_set_key: its millionths, a whole number. */
	int64_t micro; /* The same, at most +-INT64_MAX. */
};

/* A language of scripts. */
struct sl_scripting {
	struct sl_abi abi;
	const char *name; /* "lua": order=lua:FILE */
	const char *summary;
	const char *ending; /* ".lua": -p FILE.lua */
	/* Called as it is chosen: compiles it, and reads what it needs of its folder. policy: where it is a
	 * whole one, its vtable, in the arena; NULL: a part is wanted. SL_INPUT, with its file and line. */
	int (*load)(struct sl_script *script, const struct sl_policy **policy, struct sl_arena *arena,
		struct sl_err *err);
	/* In a policy's init: the script, to be called in this run. */
	int (*open)(void **self, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err);
	void (*close)(void *self);
	/* How many arguments that function names; -1: the script has none of that name. */
	int (*takes)(void *self, const char *function);
	/* Calls it with the job and the time in seconds. The answer is of one of `kinds` (a bit for each enum
	 * sl_answer_kind), and the same to the same question. False: it failed, and the run fails with it
	 * (sl_fail_run). */
	bool (*query)(void *self, struct sl_pass *pass, const char *function, sl_job job, unsigned kinds,
		struct sl_answer *answer);
	/* Likewise, if it has that function, which returns nothing. */
	bool (*reported)(void *self, struct sl_pass *pass, const char *function, sl_job job);
};

#endif
