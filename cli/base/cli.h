/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli.h - the program: the only part that prints, exits, reads clock or environment.
 *
 * One file per command. A command has a table of options; parsing, --help, the man page check and bash
 * completion all read that table.
 */
#ifndef SL_CLI_H
#define SL_CLI_H

#include <stdatomic.h>
#include <stdio.h>

#include "cli/base/log.h"
#include "sim/lib/runset.h"
#include "sim/result/table.h"

struct option_def {
	const char *name; /* "set" for --set; */
	char letter;      /* 'p', or 0 */
	const char
		*value; /* "KEY=VALUE" in help; NULL: a flag; "[RANGE]": numbers that may be left out (""). */
	bool repeats;   /* May be repeated. */
	const char *help; /* One or more lines; NULL: for developers, not listed. */
};

/* Options that several commands share, spelled once, for { OPTION_SET }. Those of every command are in
 * args.c. */
#define OPTION_CLUSTERS \
	"cluster", 'c', "CLUSTER", true, "a machine, see schedlab-cluster(5); with several: runs on each"
#define OPTION_CLUSTER_ONE                \
	"cluster", 'c', "CLUSTER", false, \
		"the machine, see schedlab-cluster(5); default: as the trace's header says"
#define OPTION_POLICY                  \
	"policy", 'p', "POLICY", true, \
		"name[:key=value,...] or FILE.so[:key=value,...], see 'schedlab list policies'"
#define OPTION_POLICY_ONE               \
	"policy", 'p', "POLICY", false, \
		"name[:key=value,...] or FILE.so[:key=value,...], see 'schedlab list policies'"
#define OPTION_OUTPUT "output", 'o', "DIR", false, "write the results into this directory"
#define OPTION_SET    "set", 0, "KEY=VALUE", true, "a setting: policy.*, replay.*, cluster.*, or a bare key"
#define OPTION_ROOT              \
	"root", 0, "DIR", false, \
		"where files that slurm.conf includes by names from the root are sought first"
#define OPTION_RUN_TIMES               \
	"run-times", 0, "FILE", false, \
		"how long jobs run of which the trace says nothing, by name: CSV, or jobs.csv of a run"
#define OPTION_MODEL \
	"model", 0, "MODEL", true, "turn a model on: NAME[:key=value,...], see 'schedlab list models'"
#define OPTION_SEED       "seed", 0, "N", false, "of everything that is drawn; default 1"
#define OPTION_FROM       "from", 0, "TIME", false, "only jobs submitted from then on: seconds, +3d, or a date"
#define OPTION_TO         "to", 0, "TIME", false, "only jobs submitted before then"
#define OPTION_TZ         "tz", 0, "OFFSET", false, "of dates in the trace: +02:00, or seconds"
#define OPTION_JOBS       "jobs", 0, "N", false, "only the first N jobs"
#define OPTION_STRICT     "strict", 0, NULL, false, "stop at the first row that makes no sense"
#define OPTION_JSON       "json", 0, NULL, false, "print one JSON object instead of tables"
#define OPTION_FORCE      "force", 0, NULL, false, "replace DIR whatever it holds"
#define OPTION_FORCE_FILE "force", 0, NULL, false, "replace a file that holds something else"
#define OPTION_NO_SYNC             \
	"no-sync", 0, NULL, false, \
		"do not wait until results are on the disk: faster, and lost with the power"
#define OPTION_PLUGIN \
	"plugin", 0, "FILE.so", true, "add what this plug-in has: policies, readers, metrics ..."
#define OPTION_TRUST             \
	"trust", 0, NULL, false, \
		"run what the files given name: programs, scripts and plug-ins, see schedlab(1)"
#define OPTION_DRY_RUN \
	"dry-run", 0, NULL, false, "say what would be read, run and written; run and write nothing"
#define OPTION_MAX_TIME               \
	"max-time", 0, "TIME", false, \
		"each run ends after so long by the clock (10m), partial, with exit status 130"
#define OPTION_MAX_MEMORY               \
	"max-memory", 0, "SIZE", false, \
		"runs end, partial, once the program holds so much memory (2G), with exit status 130"

#define OPTION_THREADS "threads", 'j', "N", false, "runs at a time; default: as many as there are processors"
#define OPTION_REPS \
	"reps", 0, "N", false, "run each N times, with seeds from --seed on, and compare seed by seed"
#define OPTION_BLOCKS \
	"blocks", 0, "B", false, "compare week by week ('week'), day by day ('day'), or by N equal spans"

/* Such as stand together in several tables. */
#define OPTIONS_OF_TRACE \
	{ OPTION_FROM }, { OPTION_TO }, { OPTION_TZ }, { OPTION_JOBS }
#define OPTIONS_OF_RUNS                                                                                    \
	{ OPTION_DRY_RUN }, { OPTION_MAX_TIME }, { OPTION_MAX_MEMORY }, { OPTION_JSON }, { OPTION_FORCE }, \
		{ OPTION_NO_SYNC }, { OPTION_PLUGIN },                                                     \
	{                                                                                                  \
		OPTION_TRUST                                                                               \
	}
#define OPTIONS_OF_FILE \
	{ OPTION_FORCE_FILE }, { OPTION_NO_SYNC }, { OPTION_DRY_RUN }, { OPTION_JSON }, { OPTION_PLUGIN }

/* What was parsed: values in order. */
struct given {
	const struct option_def *def;
	const char *value;  /* NULL for a flag. */
	struct sl_place at; /* In a file of options; file is NULL of the line's own. */
};

struct args {
	const struct command *command;
	const char *data;    /* --data, before the command; NULL. */
	const char *program; /* As it was called; NULL: not known. */
	struct given *given;
	size_t given_count;
	char **word; /* Operands. */
	size_t word_count;
	struct sl_arena *arena;
	struct registry
		*registry; /* What is registered by name: what is built in, and plug-ins of the line. */
	const struct option_def *more; /* What command->more answered. */
	size_t more_count;
	bool of_file; /* The line is a file's: what it names is not what the user said. */
};

/* Parses what follows the command's name, and loads its plug-ins. command, arena and registry are set by the
 * caller. The words and values are lent from argv. */
int args_parse(struct args *args, char **argv, size_t argc, struct sl_err *err);
/* The same of what stands before the command's name, --data aside: options of every command. */
int args_before(const struct args *args, char **argv, size_t argc, struct sl_err *err);
/* The i-th of the options of every command; NULL: there are no more. */
const struct option_def *option_common(size_t i);
/* Usage, summary, detail and options, on stdout. */
void args_help(const struct args *args);

const char *arg(const struct args *args, const char *name); /* The last value, or NULL. */
/* For completion: the options of args->command, one after the other, and by name. */
const struct option_def *option_at(const struct args *args, size_t i);
const struct option_def *option_long(const struct args *args, const char *name, size_t len);
const struct option_def *option_letter(const struct args *args, char letter);
void args_more(struct args *args, char **argv, size_t argc); /* Those that depend on a word. */

bool arg_flag(const struct args *args, const char *name);
const char *arg_at(
	const struct args *args, const char *name, size_t i); /* The i-th of a repeated one, or NULL. */
/* A whole number option within bounds; fallback where absent. */
int arg_u64(const struct args *args, const char *name, uint64_t fallback, uint64_t min, uint64_t max,
	uint64_t *value, struct sl_err *err);

struct command {
	const char *name;
	const char *usage;   /* "run TRACE [options]" */
	const char *summary; /* One line. */
	const char *detail;  /* Paragraphs and examples for --help. */
	const struct option_def *options;
	size_t option_count;
	size_t words_min, words_max;
	int (*run)(const struct args *args, struct sl_err *err); /* 0 or a negative status. */
	/* Options that depend on a word of the line (a generator's parameters, by its name): asked with each
	 * word that follows the command until one answers non-NULL; with NULL for help and completion: then
	 * those of all. What it returns may live in the arena. May be NULL. */
	const struct option_def *(*more)(const char *word, size_t *count, const struct args *args);
	/* In place of run, for a command whose options are another program's: what follows its name, as it
	 * is. NULL: the line is parsed. */
	int (*raw)(char **argv, size_t argc, struct args *args, struct sl_err *err);
};

extern const struct command cmd_run, cmd_compare, cmd_inspect, cmd_convert, cmd_anonymize, cmd_generate,
	cmd_policy_test, cmd_view, cmd_list, cmd_version, cmd_report, cmd_explain, cmd_check, cmd_whatif,
	cmd_sweep, cmd_study, cmd_step, cmd_shell, cmd_bundle, cmd_completion, cmd_forecast, cmd_tune;

/* cmd_view.c: is the program called by the name of one of Slurm's commands? Then it is that view. */
bool view_is_tool(const char *name);
int view_as_tool(char **argv, size_t argc, struct args *args, struct sl_err *err);
/* Links of these names to this program, in the folder, which is made; what is there and is none is left. */
int links_lay(const char *folder, const char *const *name, size_t count, struct sl_err *err);
/* cmd_shell.c: the same of a session (SCHEDLAB_SESSION). */
bool shell_is_tool(const char *name);
int shell_as_tool(char **argv, size_t argc, struct args *args, struct sl_err *err);

extern _Atomic int cli_stop; /* Set by SIGINT, SIGTERM and SIGHUP. With the next, the only writable globals of
				the command line. */
extern _Atomic unsigned
	cli_query; /* How often SIGUSR1 asked for the state of what goes on; 0 once answered. */
extern _Atomic int cli_unpublished; /* How many directories of results are begun and not published. */

/* process.c */
/* Before anything is opened: 0 to 2 are nobody else's. False: /dev/null cannot be opened. */
/* inert_out.c: what stdout is from the beginning on; NULL without memory. */
FILE *inert_stdout(void);
bool streams_open(void);
/* Was all that was printed written? Ends the program by SIGPIPE where nobody reads stdout any more. */
int streams_close(struct sl_err *err);
void signals_catch(void);
/* A new folder below TMPDIR. */
int scratch_make(char *path, size_t size, struct sl_err *err);
/* What is in a file, unpacked where it is compressed; NULL: as err says. len: may be NULL. */
const char *text_of_file(const char *path, size_t *len, struct sl_arena *arena, struct sl_err *err);
/* Those that the path names from that place on, but its last part; verb: what is not possible then. */
int folders_make(char *path, size_t from, const char *verb, struct sl_err *err);

/* main.c: the workload that comes with the program. data: args->data. False: it is not where it should be. */
bool bundled_find(char *path, size_t size, const char *data);

/* common.c: what several commands do. */
/* Talk that --quiet leaves, on stderr: "schedlab: text". */
#define talk(...) log_line(LOG_WARNING, __VA_ARGS__)
/* An amount of cpus or GPUs in so many parts, to be printed: "4", "2.5". */
struct amount {
	char text[32];
};
struct amount amount_of(int64_t amount, int64_t parts);
/* Rounded half up; 0 of none. */
int64_t mean_rounded(__int128 sum, int64_t count);
/* Of several things in order, one number. */
uint64_t folded(uint64_t h, uint64_t value);
/* Of ids of jobs: numbers, then names (NULL: the number is all). */
int ids_order(const char *x_name, int64_t x, const char *y_name, int64_t y);
/* The settings that a scenario is read by: those that are not the policy's, and options->implied and the rest
 * that decide it. The caller frees it; NULL: no memory. */
char *scenario_key(const struct settings *settings, const struct scenario_options *options);
/* With thousands apart: "1,024". */
const char *count_text(char buffer[48], uint64_t count);
/* With thousands apart: "1,024", "2.5". */
const char *parts_text(char buffer[48], int64_t amount, int64_t parts);
/* The same as a number of millionths. */
int64_t amount_micro(int64_t amount, int64_t parts);
/* "16 nodes, 512 cpus, 64 GPUs" into text. */
const char *machine_text(char *text, size_t size, const struct scenario *scenario);
/* What is known of a run's limits, from its scenario or from its run.json. */
struct limits_reported {
	uint64_t jobs, over, none;
	enum sl_overrun overrun;
	bool ran;        /* `over` is of a run, in which they ran beyond their limits, or were cut there: */
	uint64_t longer; /* so many of them are within them by the log. */
	size_t models;   /* That were on. */
};
/* One line on what was read: jobs, time range, machine; another on limits, and on what of it is not used. */
void talk_read(const struct scenario *scenario);
/* limits.c: how many jobs run over their limits, and how many have none: a sentence without an end into text.
 */
extern const char *const overrun_names[SL_OVERRUN_COUNT];
void limits_text(const struct limits_reported *reported, char *text, size_t size);
struct limits_reported limits_of(const struct scenario *scenario); /* By the log. */
struct limits_reported limits_ran(const struct run *run);
void talk_limits_ran(const struct run *run);
/* One line on what was repaired and dropped, if anything was. */
void talk_anomalies(const struct scenario *scenario);
/* All that is said of a log. */
void talk_log(const struct scenario *scenario);
/* "133 rows dropped (120 run time is not positive, 13 ...)" (or repaired) into text; 0 if there are none. */
uint64_t anomalies_text(const struct scenario *scenario, bool dropped, char *text, size_t size);
/* How far a setting is followed by that policy, and the note on it. */
enum sl_coverage coverage_under(
	const struct sl_setting *setting, const struct policy_choice *choice, const char **note);
/* Of a setting that is not known: "'bf_windw' is not known: did you mean 'bf_window'?" */
const char *unknown_text(const struct sl_setting *setting, char text[500]);
/* --strict: no key of the cluster's files is unknown. */
void talk_left(const struct run *run);
/* Why so many jobs never ended, as far as that is known whatever the policy says. */
enum { LEFT_WORDS = 160 };
const char *left_words(char text[LEFT_WORDS], const struct sl_result *result, uint32_t left);

/* How ties between nodes of equal score are broken, where placing or ties differ from the defaults; else
 * NULL. */
const char *ties_reported(const struct run *run);
/* One line on what the policy's compat implies, if it has one, and what was set instead. */
void talk_compat(const struct run *run);

/* Each --set and --model. */
int settings_from_args(struct settings *settings, const struct args *args, struct sl_err *err);
/* A run under a policy, as --seed and --check say. Its scenario is loaded after that: a policy may imply
 * settings of it. */
int run_from_args(struct run *run, const char *policy, struct settings *settings, const struct args *args,
	struct sl_err *err);
/* Scenario options that run and compare share. The trace is the first operand; cluster: one of -c, or
 * NULL; implied: by the policy's choice. */
int scenario_from_args(struct scenario *scenario, const struct args *args, const char *cluster,
	struct settings *settings, const char *implied, struct sl_err *err);
int scenario_options_from_args(struct scenario_options *options, const struct args *args, const char *cluster,
	struct settings *settings, const char *implied, struct sl_err *err);

/* resume.c: the same for a run that goes on from --from-snapshot; the trace is an operand that may be left
 * out. On failure the scenario may be loaded or empty: release it. */
int resume_from_args(struct run *run, struct scenario *scenario, struct settings *settings,
	const struct args *args, struct sl_err *err);
/* The snapshot of a run that has ended, as a file. */
int snapshot_file(const struct run *run, const char *path, struct sl_err *err);
/* Where it stopped, if it did. snapshot: the file to go on from, NULL: none was written. */
void talk_stopped(const struct run *run, const char *snapshot);

/* True if files of that name ("metrics") are written under --only (NULL: all are). */
bool only_has(const char *only, const char *name);

/* The metrics of tables for people, closed by a NULL name. */
enum summary_unit { UNIT_COUNT, UNIT_TIME, UNIT_NUMBER, UNIT_SHARE, UNIT_RATE };
struct summary_metric {
	const char *name;    /* "wait.mean" */
	const char *heading; /* Of its column in a comparison; NULL: not there. */
	enum summary_unit unit;
	int better; /* Of the sign that is better; 0: neither. */
};
extern const struct summary_metric summary_metrics[];
/* "1:02:03", "87.12 %", "10,000". */
const char *summary_text(char buffer[48], enum summary_unit unit, int64_t micro);

/* check_run.c: `schedlab generate` with the words of a line, into that file. */
struct generate_call {
	const char *line; /* "lublin --jobs 5000 --cpus 256" */
	uint64_t seed;
	bool seeded; /* The line has its own. */
	struct sl_arena *arena;
	struct registry *registry;
};
int generate_line(const struct generate_call *call, const char *path, struct sl_err *err);
/* Before it is made: what the line, which stands there in a file, would have executed (trust.h). */
int generate_trusted(const struct generate_call *call, const struct sl_place *at, struct sl_err *err);

/* windows.c: one policy over each of replay.windows. */
struct outdir;
struct windows {
	struct run whole; /* As asked for. Its result holds sums and the digest of the windows' digests. */
	struct scenario *scenario;
	size_t count; /* Windows that are done, in order: */
	struct window_done {
		char name[32]; /* "window-1" */
		uint64_t digest;
		struct sl_metrics metrics;
	} * done;
	struct sl_arena *arena;
};
/* runs: an array for the windows' runs, which are made. */
int windows_begin(struct windows *windows, const struct run *whole, struct run *runs, struct sl_arena *arena,
	struct sl_err *err);
/* The next window's run is over: its metrics, its files (dir NULL: none), and its memory goes. */
int windows_take(struct windows *windows, struct run *run, struct outdir *dir, const char *sub,
	const char *only, struct sl_err *err);
/* means: initialised. */
int windows_means(const struct windows *windows, struct sl_metrics *means, struct sl_err *err);
void windows_csv(const struct windows *windows, const struct sl_metrics *means, struct sl_out *out);
struct json;
void windows_json(const struct windows *windows, struct json *json); /* "runs" and "windows". */
void windows_end(struct windows *windows);

/* progress.c: looks on while runs go: a bar on a terminal (unless --quiet), their state when SIGUSR1 comes,
 * and the budgets --max-time and --max-memory. Starts a thread that reads, and joins it. */
struct progress_bar;
struct progress_bar *progress_start(struct run *runs, size_t count, const struct args *args);
/* SL_USAGE: a budget is no time, or no size. */
int budgets_check(const struct args *args, struct sl_err *err);
/* Before the line is parsed, which may load scripts: its --max-time; 0: none, or none that is good. */
sl_time budget_of_line(char **argv, size_t argc);
/* As a script_watch has it: a signal came, or this script takes longer than a run may. */
bool loading_is_over(const struct script_watch *watch, int64_t *since);
void progress_stop(struct progress_bar *bar);

/* outdir.c: a run directory, which appears whole or not at all. */
/* Refuses (SL_USAGE) a directory that holds anything but a run (or comparison) of the same identity, unless
 * force. identity: a text of inputs and settings, hashed into run.json. */
struct outdir_ways {
	const struct registry *registry; /* Its documents may stand beside a run's files. */
	bool force, unsynced;
};
struct outdir_ways outdir_ways(const struct args *args); /* --force, --no-sync */
int outdir_open(struct outdir **dir, const char *path, const char *identity, struct outdir_ways ways,
	struct sl_err *err);
/* Would outdir_open refuse? Makes nothing: of --dry-run. */
int outdir_check(const char *path, const char *identity, struct outdir_ways ways, struct sl_err *err);
/* sl_out_open of a file that the user named: --force replaces another, --no-sync does not wait for the disk.
 */
int file_out_open(struct sl_out **out, const char *path, const struct args *args, struct sl_err *err);
/* Before the directory's only run: usage.csv is written while it goes on, where nothing else reads that. */
int outdir_stream(struct outdir *dir, struct run *run, const char *only, struct sl_err *err);
/* Behind it, before its metrics: begins to write jobs.csv on another thread, if there is a processor for
 * that. outdir_run waits for it. The result is lent until then. */
int outdir_ahead(struct outdir *dir, const struct run *run, const char *only, struct sl_err *err);
/* jobs.csv, metrics.json ... of one run, under dir/sub (sub NULL: dir itself). only: NULL, or names as --only
 * gives them. metrics: of the run, as metrics_compute left them; NULL if only leaves metrics.json out. */
int outdir_run(struct outdir *dir, const char *sub, const struct run *run, const struct sl_metrics *metrics,
	const char *only, struct sl_err *err);
/* The same in two steps: the folder of a run, in their order; and its files, on any thread. */
int outdir_sub(struct outdir *dir, const char *sub, struct sl_err *err);
int outdir_run_in(struct outdir *dir, const char *sub, const struct run *run,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err);
/* One window's run, in a folder of its own in dir/sub, and when all are there what is above them. */
int outdir_window(struct outdir *dir, const char *sub, const char *name, const struct run *run,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err);
int outdir_windows(struct outdir *dir, const char *sub, const struct windows *windows,
	const struct sl_metrics *means, const char *only, struct sl_err *err);
/* Of a comparison, what was compared: for its record. What it points at outlives the directory's. */
struct outdir_samples {
	const char *of;     /* "batches", "blocks", "logs", "seeds", "windows" */
	const char *blocks; /* As --blocks has them; NULL. */
	size_t count;       /* Of logs, seeds or windows. */
	char *const *log;   /* NULL: of one log. */
	const char *const *sha256;
};
void outdir_samples(struct outdir *dir, struct outdir_samples samples);
int outdir_file(struct outdir *dir, const char *name, struct sl_out **out, struct sl_err *err);
int outdir_commit(struct outdir *dir, struct sl_err *err);
void outdir_abandon(struct outdir *dir);
/* A file, a link, or a directory with all below it. 0, or -1 and errno. */
int remove_tree(const char *path);
/* The text that identity is made of. */
char *run_identity(const struct run *run, struct sl_arena *arena);
/* run.json, complete. metrics: of the run; NULL: those it needs are computed. windows: NULL unless it is of
 * several. */
int run_json(struct sl_out *out, const struct run *run, const struct windows *windows,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err);
/* Checks the names of --only (NULL: all), before anything runs; SL_USAGE names an unknown one. With models
 * on, it may be a table of theirs. *record: what the run must record for them (enum sim_record). */
int only_check(
	const struct registry *registry, const char *only, bool models, unsigned *record, struct sl_err *err);
/* run_json.c: one flat object, a metric a line. */
void metrics_json(struct sl_out *out, const struct sl_metrics *metrics);

/* screen.c: tables and bars for people. Widths in characters; cells are UTF-8. */
struct screen_table;
struct screen_table *screen_table_new(struct sl_arena *arena, size_t columns);
/* A text from data, safe to print, one line; NULL without memory. */
void screen_cell(struct screen_table *table, bool right, const char *format, ...) SL_PRINTF(3, 4);
void screen_print(const struct screen_table *table, FILE *file);
/* "42 s", "1:02:03", "3 d 04:00": for people. */
const char *screen_duration(char buffer[32], sl_time time);
/* "12,345.68": millionths, rounded half up to that many decimals (0..6), in groups of three digits. */
const char *screen_number(char buffer[48], int64_t micro, unsigned decimals);
/* The same with its sign: "+12.3". */
const char *screen_signed(char buffer[48], int64_t micro, unsigned decimals);
/* One more of those that stand in a text between commas, as far as the buffer goes. */
void list_add(char *text, size_t size, const char *format, ...) SL_PRINTF(3, 4);

#endif
