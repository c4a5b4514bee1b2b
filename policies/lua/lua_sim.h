/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_sim.h - a script in one run: an interpreter of its own (Lua 5.4), bounded in memory and in
 * instructions, that sees neither clock nor files nor addresses.
 *
 * The same script in the same run does the same on any machine. What Lua leaves open is closed here
 * (lua_safe.c): the order of pairs(), of equal elements in table.sort(), texts with addresses in them,
 * chance, weak tables. The bounds protect against mistakes, not against malice.
 */
#ifndef SL_LUA_SIM_H
#define SL_LUA_SIM_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "sim/plugin.h"

/* Defaults of the script's table `limits`, and the most that it may set. */
enum {
	MEMORY_MIB = 256,
	MEMORY_MIB_MAX = 1 << 20,
	STEPS_MILLION = 200, /* Instructions of one call. */
	STEPS_MILLION_MAX = 1000000
};
enum {
	LUAW_TEXT_MAX = 1 << 20, /* Bytes of a text. */
	LUAW_COROUTINE = 100     /* Steps that one costs, and may run uncounted. */
};

struct lua_sim {
	lua_State *L;
	struct sl_script *script;
	const char *name; /* Of the file, without folder and ending. */
	uint64_t seed;
	struct sl_pass *pass;             /* The run's; NULL: it is only loaded, and there is none. */
	const struct sl_jobs *jobs;       /* As above. */
	const struct sl_cluster *cluster; /* As above. */
	size_t memory_used, memory_max;   /* Bytes. */
	int64_t steps_left, steps_max;
	int64_t worked;     /* Steps of C's since the last test whether the run is to end. */
	lua_State *running; /* The coroutine that does; L: none. */
	size_t largest;     /* What one instruction may allocate, in bytes, if that is much. */
	unsigned calls;     /* Of the script that go on; 0: none. */
	bool halted;        /* This call is at its end, whatever catches its error; why: */
	char why[400];
	bool too_long;       /* The last block that was refused was a text. */
	const char *calling; /* The function that is called; NULL: none, the script begins. */
	uint64_t number;     /* Of events, in whose calls chance may be drawn. */
	struct {
		const char *what;
		uint64_t which, of;
	} draw;            /* The name of this call's stream of chance: "lua/NAME/what/which/of"; */
	struct sl_rng rng; /* the stream, */
	bool drawn;        /* once something was drawn. */
	bool in_pass;      /* Commands are allowed. */
	bool failed;       /* So did the run, or will. */
	bool stopped;      /* In the midst of a call, for the run is to end. */
	bool early;        /* So it was before the run began: it does nothing, and says so when asked. */
	bool clairvoyant;  /* It says that it reads run times. */
	bool mute;         /* What it prints was printed before: the pass is run again. */
	unsigned uses;     /* enum sl_use */
	uint32_t said;     /* Lines printed. */
	int jobs_at;       /* Of the registry: job objects by row. */
	struct sl_tally *tally;
	struct sl_err *tally_err;
	uint64_t done, done_before; /* A digest of this pass's decisions, and of the one before; */
	uint64_t pass_number;       /* its number as the engine counts, */
	uint64_t passes;            /* and among its own. */
	uint64_t asked;             /* Questions so far. */
	struct sl_arena *arena;     /* The run's. */
};

static inline struct lua_sim *luaw_of(lua_State *L) { return *(struct lua_sim **)lua_getextraspace(L); }

/* A new interpreter in which the script has run up to its end. setup NULL: only to read its tables. */
int luaw_open(
	struct lua_sim *sim, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err);
void luaw_close(struct lua_sim *sim);
/* In a policy's init, which had that status: was it to end meanwhile? Then init succeeds, so that the run
 * begins, and ends, partial, at its first call. */
bool luaw_early(struct lua_sim *sim, int status, struct sl_err *err);
/* May it be asked? */
bool luaw_good(struct lua_sim *sim);

/* Calls the function below its arguments, in a stack as of lua_call; calling: its name, `draw` its stream.
 * False: it failed, and the run has the error. */
bool luaw_call(struct lua_sim *sim, const char *calling, int arguments, int results);
/* The same while there is no pass: a status. */
int luaw_try(struct lua_sim *sim, const char *calling, int arguments, int results, struct sl_err *err);
/* Puts the global function on the stack; false: there is none. */
bool luaw_function(struct lua_sim *sim, const char *name);
/* How many arguments it names; -1: there is none. `line`: where it begins; may be NULL. */
int luaw_takes(struct lua_sim *sim, const char *name, int *line);
/* A global, a field of the table at `at`, without what metatables would make of it; its type. */
int luaw_global(lua_State *L, const char *name);
int luaw_field(lua_State *L, int at, const char *name);
/* Reads the script's tables: an error in it, out of memory too, is the script's. 0 or err->status. */
int luaw_do(struct lua_sim *sim, void (*step)(struct lua_sim *, void *), void *self, struct sl_err *err);
/* The run fails: "mine.lua:12: ..."; line 0: without. */
void luaw_fail(struct lua_sim *sim, int line, const char *text);
/* Its millionths, rounded to whole ones, or where 40 significant bits are finer to these: the last bits of
 * libm are not the same on all machines. False: it is infinite, or no number. */
bool luaw_quantise(double value, double *key);

/* Of a function in C that goes on for long: so many instructions more. An error of Lua's where there are none
 * left, or the run is to end. */
void luaw_work(lua_State *L, int64_t steps);
/* The same error, if it is time for it. Code that catches a script's error tests for it before it goes on. */
void luaw_look(lua_State *L);
/* That coroutine, or main thread, is what runs from here on. */
void luaw_runs(lua_State *L);
/* As luaL_loadbuffer, of a text. */
int luaw_load(lua_State *L, const char *text, size_t len, const char *chunk);

/* lua_match.c: in the table of string functions on the stack. */
void match_open(lua_State *L);
/* lua_safe.c: what of Lua's own library there is. */
void safe_open(lua_State *L);
/* Calls the upvalue with what is on the stack; how many results there are. */
int safe_call(lua_State *L);
/* The function of the table at `library` under that name becomes ours, whose upvalue is Lua's. */
void safe_wrap(lua_State *L, int library, const char *name, lua_CFunction ours);
/* lua_guard.c: what catches errors, and coroutines, in what safe_open opened. */
void guard_open(lua_State *L);
/* lua_job.c */
void job_open(lua_State *L);
void job_push(lua_State *L, sl_job job); /* nil: none. */
sl_job job_check(lua_State *L, int at);
sl_job job_optional(lua_State *L, int at);     /* nil or absent: none. */
void push_seconds(lua_State *L, sl_time time); /* nil: SL_NONE; infinite: SL_NEVER. */
sl_time check_seconds(lua_State *L, int at);
void push_amount(lua_State *L, int64_t amount, int64_t parts);
/* lua_pass.c: the object passed to pass(), on_event() and tell(). */
void pass_open(lua_State *L);
void pass_push(lua_State *L);
/* lua_command.c: its methods that change something. */
extern const luaL_Reg pass_commands[];
void command_ledgers(struct lua_sim *sim, const struct sl_setup *setup, struct sl_err *err);

/* lua_script.c: the policy that a script is. */
int script_policy(
	struct lua_sim *sim, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err);
/* The parameters' values in the place of what defines them. */
int script_values(struct lua_sim *sim, const struct sl_setup *setup, struct sl_err *err);
/* Its table `uses`, checked: enum sl_use. */
int script_uses(struct lua_sim *sim, unsigned *uses, struct sl_err *err);

/* lua_part.c: a question about a job. */
bool part_query(
	struct lua_sim *sim, const char *function, sl_job job, unsigned kinds, struct sl_answer *answer);

#endif
