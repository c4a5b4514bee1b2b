/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base.h - what every plug-in needs: versions of the plug-in interface (ABI), time, errors, numbers as text,
 * memory, random streams, host lists, and files that are written atomically.
 */
#ifndef SL_PLUGIN_BASE_H
#define SL_PLUGIN_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_ABI_MAJOR           5
#define SL_ABI_MINOR           0
#define SL_API                 __attribute__((visibility("default")))
#define SL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define SL_LEN(array)          (sizeof(array) / sizeof((array)[0]))

/* Every vtable begins with this; members are only appended, an absent tail means the default. Other structs
 * have no size in them: where one that is lent in arrays or made by plug-ins grows, or a function takes other
 * arguments, the major number goes up, and plug-ins of before are refused. 2: shares of GPUs; 2.1: tables of
 * a policy's own figures. 3: models, and what jobs do while they run.
 * 4: Kubernetes' objects; 4.2: scripts; 4.3: questions to whoever drives the run.
 * 5: which policies follow a setting, why a job still waits at a run's end, how certain a difference is,
 * nodes that must boot.
 */
struct sl_abi {
	uint32_t version; /* SL_ABI_VERSION when the plug-in was built. */
	uint32_t size;    /* sizeof of the whole vtable then. */
};
#define SL_ABI_VERSION ((SL_ABI_MAJOR << 16) | SL_ABI_MINOR)
#define SL_ABI_OF(type)                      \
	{                                    \
		SL_ABI_VERSION, sizeof(type) \
	}

/* ---- Time ---------------------------------------------------------------- */

typedef int64_t sl_time; /* Microseconds since the scenario's zero. */
#define SL_SECOND INT64_C(1000000)
#define SL_NEVER  INT64_MAX /* Later than any event. */
#define SL_NONE   INT64_MIN /* Not known, or never happened. */

/* ---- Errors: status codes and messages --------------------------------------- */

/* Negative statuses; the program's exit code is the status, positive. */
enum sl_status {
	SL_OK = 0,
	SL_CHECK_FAILED = -1,
	SL_USAGE = -2,        /* Unknown option, policy, parameter; a directory of something else. */
	SL_INPUT = -3,        /* Bad input. */
	SL_BASELINE = -4,     /* A baseline that does not match its inputs. */
	SL_DIFFERS = -5,      /* Not reproducible. */
	SL_SYSTEM = -6,       /* Cannot write, no memory. */
	SL_POLICY = -7,       /* A policy broke its contract. */
	SL_INTERNAL = -70,    /* An invariant of schedlab is broken: a bug. */
	SL_INTERRUPTED = -130 /* Partial results, marked. */
};

/* The first failure wins; untouched on success, so that calls chain. */
struct sl_err {
	int status;
	char text[1000];
};

/* A place in an input file, for messages. line and column count from 1; 0 leaves them out. */
struct sl_place {
	const char *file;
	uint64_t line;
	uint32_t column;
};

/* Each returns its status. Messages: lower case, no full stop, subject quoted, and what to do. */
SL_API int sl_fail(struct sl_err *err, int status, const char *format, ...) SL_PRINTF(3, 4);
SL_API int sl_fail_at(struct sl_err *err, const struct sl_place *at, const char *format, ...) SL_PRINTF(3, 4);
/* As errno says: "cannot open 'x.swf': No such file or directory". */
SL_API int sl_fail_sys(struct sl_err *err, int status, const char *verb, const char *path);
/* Out of memory, said once, the same everywhere. Here, so that a compiler and a checker see that it never
 * returns SL_OK. In a run, hand err to sl_fail_run. */
static inline int sl_fail_memory(struct sl_err *err)
{
	(void)sl_fail(err, SL_SYSTEM,
		"out of memory: use a machine with more, or fewer jobs (--jobs N) or threads (-j 1)");
	return SL_SYSTEM;
}

/* A broken invariant stops the program, in every build. */
#define SL_CHECK(claim) ((claim) ? (void)0 : sl_check_failed(#claim, __FILE__, __LINE__))
SL_API _Noreturn void sl_check_failed(const char *claim, const char *file, int line);

/* ---- Text: numbers out, numbers in, named values -------------------------- */

/* Each writes at p (at least 32 bytes) and returns the end; no locale, no terminating zero. */
SL_API char *sl_put_i64(char *p, int64_t value);
/* value / 10^6 with at most six decimals and no trailing zeros: times as seconds, ratios. */
SL_API char *sl_put_micro(char *p, int64_t value);

/* A decimal ("12", "-3.25", "1e3") times 10^6, exactly, or rounded half up beyond six decimals.
 * All of text[0..len) must be the number. False: not a number, or out of range. */
SL_API bool sl_get_micro(const char *text, size_t len, int64_t *value);
SL_API bool sl_get_i64(const char *text, size_t len, int64_t *value);
/* A duration: seconds ("90", "1.5"), suffixed ("36h", "3d", "15m", "10s", "2w") or Slurm's
 * ([days-]hours:minutes:seconds). False as above. */
SL_API bool sl_get_duration(const char *text, size_t len, sl_time *value);
/* YYYY-MM-DD[THH:MM[:SS[.ffffff]]] (or a blank for the T): microseconds since 1970 of its own clock. */
SL_API bool sl_get_date(const char *text, size_t len, sl_time *value);
/* A size of memory in MiB: a bare number, or one with K, M, G, T or P (KB, KiB...), all powers of 1024. What
 * is less than a MiB is rounded up or down. False: not such a size, or negative. */
SL_API bool sl_get_memory(const char *text, size_t len, bool up, int64_t *mib);

/* a * b / c, rounded half up, c > 0, through 128 bits. */
SL_API int64_t sl_mul_div(int64_t a, int64_t b, int64_t c);

/* The known word most similar to what was written, for "did you mean"; NULL: none is similar. known ends in
 * NULL. */
SL_API const char *sl_nearest(const char *text, const char *const *known);

/* Parameters of a plug-in, one line each: parsing, help, man pages and `list` read this. Of a policy's CHOICE
 * or TEXT a choice "lua:FILE" takes a text "lua:" and a path: a script, read before the run
 * (sl_param_script). */
enum sl_param_kind {
	SL_PARAM_INT,
	SL_PARAM_REAL,
	SL_PARAM_TIME,
	SL_PARAM_BOOL,
	SL_PARAM_CHOICE,
	SL_PARAM_TEXT,
	SL_PARAM_CSV, /* The path of a CSV file, read before the run: sl_csv_table_of. Models only. */
	SL_PARAM_DOC, /* The path of a YAML or JSON file, read before the run: sl_param_doc. Policies only. */
	/* CHOICEs to which those of plug-ins are added: node scorers and allocators; policies. Policies only.
	 */
	SL_PARAM_PLACE,
	SL_PARAM_POLICY
};

struct sl_param {
	const char *key;
	enum sl_param_kind kind;
	const char *fallback; /* As text; NULL: has no default and may be absent. */
	const char *choices;  /* SL_PARAM_CHOICE and its like: "a|b|c". Others: bounds for help, "0..1". */
	const char *help;     /* One line, with the unit. */
	int64_t min, max;     /* SL_PARAM_INT as is, REAL and TIME in millionths; both 0: unbounded. */
};

/* One parameter's value as given, checked against its sl_param. */
struct sl_value {
	const char *key;
	const char *text; /* As given, or the default; NULL if absent. */
	int64_t number;   /* INT as is; REAL, TIME in millionths; BOOL 0/1; CHOICE and its like: index in
			     choices. */
};
SL_API const struct sl_value *sl_value_of(const struct sl_value *values, size_t count, const char *key);

/* ---- Memory: an arena that goes with its owner ---------------------------- */

struct sim; /* The simulation: the engine's state. */
/* One pass of it: what a policy may see and do at one instant. The same object, named so where a function
 * belongs to a pass. */
#define sl_pass sim

struct sl_arena; /* Zeroed blocks, freed together. */
/* For readers, which get none; NULL when memory is out. */
SL_API struct sl_arena *sl_arena_new(void);
SL_API void sl_arena_free(struct sl_arena *arena);
/* Aligned to 64 bytes when size >= 64, else 16. NULL when memory is out. */
SL_API void *sl_alloc(struct sl_arena *arena, size_t count, size_t size);
SL_API char *sl_strdup(struct sl_arena *arena, const char *text, size_t len);

/* Texts numbered by first appearance, from 0; equal texts are the same pointer. They live in the arena. */
struct sl_names;
SL_API struct sl_names *sl_names_new(struct sl_arena *arena); /* NULL: no memory. */
SL_API void sl_names_free(struct sl_names *names);
/* The number of the text, made if it is not there; UINT32_MAX: no memory. */
SL_API uint32_t sl_names_add(struct sl_names *names, const char *text);
SL_API uint32_t sl_names_find(const struct sl_names *names, const char *text); /* UINT32_MAX: none. */
SL_API const char *sl_names_text(const struct sl_names *names, uint32_t number);

/* ---- Chance: streams named by path ---------------------------------------- */

/* Counter-based: draw i of a stream is a function of (seed, name, i) alone, so that
 * one more stream moves no other. */
struct sl_rng {
	uint64_t key[2];
	uint64_t counter;
};
SL_API struct sl_rng sl_rng_stream(uint64_t seed, const char *name);
SL_API uint64_t sl_rng_u64(struct sl_rng *rng);
/* Uniform in [0, bound), without bias; bound > 0. */
SL_API uint64_t sl_rng_below(struct sl_rng *rng, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
SL_API double sl_rng_unit(struct sl_rng *rng);
/* For samplers of GSL over a stream, a `const gsl_rng_type *`: gsl_rng over = { .type = sl_rng_gsl(), .state
 * = rng };
 */
SL_API const void *sl_rng_gsl(void);

/* e^x, |x| < 700, and ln x, x > 0, from + - * / alone: the same bits from any compiler, C library and CPU,
 * where those of <math.h> may differ in the last. Off by at most 3e-16 of the larger of 1 and the result. */
SL_API double sl_exp(double x);
SL_API double sl_ln(double x);

/* ---- Lists of hosts: "dgx[0180-0189,0200],login" ----------------------------- */

enum { SL_HOSTS_MAX = 10000000, SL_HOST_NAME_MAX = 63 };

/* How many names the list has, repeated ones counted; negative: it is none, or has more than SL_HOSTS_MAX, as
 * err says. at: of its first character; NULL: no place is named. */
SL_API int64_t sl_hosts_count(const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
/* Each name in turn, as written. A nonzero return ends it and is returned. */
SL_API int sl_hosts_each(const char *text, size_t len, const struct sl_place *at, struct sl_err *err,
	int (*each)(void *self, const char *name, size_t len), void *self);
/* The names, in this order, as one list: neighbours in number are joined ("n[1-3,7],m"). Returns the length
 * (without the zero), and writes at most size bytes of it, zero included. */
SL_API size_t sl_hosts_fold(const char *const *name, size_t count, char *text, size_t size);

/* ---- Output -------------------------------------------------------------------- */

/* A file that is written atomically: beside its name, then renamed by sl_out_commit. */
struct sl_out;
/* path NULL or "-": stdout. */
SL_API int sl_out_open(struct sl_out **out, const char *path, struct sl_err *err);
/* A stream without a file: its bytes go to `take` in pieces, in order, the last ones as it is committed. */
SL_API int sl_out_to(struct sl_out **out, void (*take)(void *self, const char *bytes, size_t len), void *self,
	struct sl_err *err);
/* Space for at least `capacity` bytes (at most 64 KiB) at the returned pointer; sl_out_advance says how far
 * it was written. Never NULL: after a write error bytes are dropped and sl_out_commit says why. */
SL_API char *sl_out_reserve(struct sl_out *out, size_t capacity);
SL_API void sl_out_advance(struct sl_out *out, const char *end);
SL_API void sl_out_text(struct sl_out *out, const char *text);
SL_API void sl_out_printf(struct sl_out *out, const char *format, ...) SL_PRINTF(2, 3);
/* text as a JSON string, with quotes. */
SL_API void sl_out_json(struct sl_out *out, const char *text);
/* text as a field of CSV (RFC 4180), in quotes where it needs them. Control bytes but ends of lines and tabs
 * are escapes (sl_inert), and what a spreadsheet would compute ("=1+1") has a ' before it; numbers have none.
 */
SL_API void sl_out_csv(struct sl_out *out, const char *text);
/* The next character of a text from data as it may be printed: what a terminal would obey, or what is
 * no UTF-8, as an escape ("\x1b", "\n", "\u202e"), closed by a zero; its length. *at is behind it. */
#define SL_INERT_SIZE 8
SL_API size_t sl_inert(const char **at, char displayed[SL_INERT_SIZE]);
SL_API int sl_out_commit(struct sl_out *out, struct sl_err *err); /* Frees it, whatever happens. */
SL_API void sl_out_abandon(struct sl_out *out);                   /* Frees it; the file does not appear. */

#endif
