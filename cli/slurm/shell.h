/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell.h - schedlab shell: Slurm's commands against a paused simulation.
 *
 * A session is a list of inputs: what was submitted, by whom and when, and what an operator did. Nothing else
 * is kept. The state is found by a rerun from those inputs, up to now; so undo is the list without its last
 * entry, and a session's file is a script.
 *
 * An input comes a microsecond after the last printed state, so that it never changes what was printed.
 */
#ifndef SL_SHELL_H
#define SL_SHELL_H

#include "cli/moment/view.h"

enum {
	SHELL_WORDS_MAX = 512,
	SHELL_LINE_MAX = 1 << 16,
	SHELL_TEXT_MAX = 1 << 20, /* Of a script. */
	SHELL_ENTRIES_MAX = 100000,
	SHELL_JOBS_MAX = 1000000,
	SHELL_TASKS_MAX = 1001, /* As MaxArraySize is by default. */
	SHELL_DEPTH_MAX = 16,
	SHELL_SETS_MAX = 100
};

/* Nobody knows how long: it runs into its limit. */
#define SHELL_FOREVER (INT64_C(3650) * 86400 * SL_SECOND)
#define SHELL_EPOCH   INT64_C(1767603600) /* Monday, 2026-01-05 09:00. */

struct shell_job {
	int64_t id, array, task; /* array: SL_NONE: of none. */
	sl_time submit, run, cancel;
	const char *user;
	const char *line; /* Options as they were read, quoted. */
};

/* What an operator did. */
struct shell_order {
	sl_time at;
	const char *text;
};

/* A shell that was entered by srun --pty or salloc. */
struct shell_inside {
	int64_t job;
	sl_time entered;  /* SL_NONE: not yet. */
	bool step;        /* On the job's first node (srun), not where it was called (salloc). */
	const char *tool; /* "srun", "salloc" */
	const char *user;
	int64_t tasks, gpus; /* gpus: that it sees. */
	const char *node, *nodes;
	const char **host; /* Each of them. */
	size_t host_count;
};

/* Where lines come from: a terminal or a file, or a text. */
struct shell_source {
	FILE *file;
	const char *text; /* NULL: of the file. */
	const char *name;
	uint64_t line;
	bool terminal;
	bool more; /* Of a text that is not over: another prompt. */
};

struct shell {
	const struct args *args;
	struct sl_arena *arena;
	const char *cluster; /* NULL: that of the lecture, */
	const char *lecture; /* which is there. */
	const char *policy, *background;
	const char *set[SHELL_SETS_MAX];
	size_t set_count;
	int64_t epoch;
	/* The inputs. */
	struct shell_job *job;
	size_t job_count, job_capacity;
	struct shell_order *order;
	size_t order_count, order_capacity;
	const char **entry; /* As they were typed, each one or more lines. */
	size_t entry_count, entry_capacity;
	/* What they come to. */
	sl_time now;
	int64_t id_next, id_first;
	const char *user, *user_first; /* user_first: who begins. */
	struct shell_inside inside[SHELL_DEPTH_MAX];
	size_t depth;
	/* This run of the program. */
	struct shell_source source;
	bool trusted; /* What is read was accepted before: nothing is said or tried. */
	bool script;  /* Lines are printed as they are read, and may be expectations. */
	bool quit;
	int status;         /* Of the last command, as a shell has it in $?. */
	const char *file;   /* The session's, kept up to date; NULL: none. */
	const char *output; /* Of the last command, in a script. */
	uint64_t expectations, failed;
};

/* The words of a line. */
struct shell_words {
	char *word[SHELL_WORDS_MAX + 1];
	size_t count;
	const char *here; /* A text that followed (<<END); NULL. */
};

/* shell_state.c: the rerun. */
/* As it stands now; view_close is the caller's, also on failure. */
int now_open(struct shell *shell, struct view *view, struct sl_err *err);
/* The row of a job's number; UINT32_MAX: it is not there. */
uint32_t now_row(const struct view *view, int64_t id);
/* When it first starts, or ends; SL_NEVER: not as things stand. */
int now_until(struct shell *shell, int64_t id, bool end, sl_time *at, struct sl_err *err);
/* The background's largest job number, which numbers of our own follow. */
int now_first_id(struct shell *shell, struct sl_err *err);
bool now_follows_orders(struct shell *shell);
/* The release of Slurm whose commands these are: "24.11.5". */
const char *now_release(struct shell *shell);
/* why JOB */
int now_explain(struct shell *shell, const char *job, struct sl_err *err);

/* shell_session.c */
int shell_begin(struct shell *shell, struct sl_err *err);
void shell_end(struct shell *shell);
int shell_job_add(struct shell *shell, const struct shell_job *job, struct sl_err *err);
int shell_order_add(struct shell *shell, const char *text, struct sl_err *err);
int shell_entry_add(struct shell *shell, const char *text, struct sl_err *err);
int shell_undo(struct shell *shell, struct sl_err *err);
/* The session as a file. */
int shell_save(const struct shell *shell, const char *path, struct sl_err *err);
int shell_load(struct shell *shell, const char *path, struct sl_err *err);
char *shell_keep(struct shell *shell, const char *text); /* Never NULL: "" where memory is out. */
char *shell_text(struct shell *shell, const char *format, ...) SL_PRINTF(2, 3);

/* shell_line.c: the next line's words. 1; 0 at the end; negative. */
int shell_read(struct shell *shell, char *line, struct sl_err *err);
int shell_words(struct shell *shell, const char *line, struct shell_words *words, struct sl_err *err);
void put_quoted(struct cell *cell, const char *word);
const char *shell_prompt(const struct shell *shell, char text[200]);
const char *shell_date(const struct shell *shell, sl_time time, char text[40]);
extern const char *const shell_names[]; /* Of all commands, for completion; closed by NULL. */

/* shell_run.c: one line, or all. */
bool shell_is_user(const char *name);
int shell_lines(struct shell *shell, struct sl_err *err);

/* A command: its line is words; what it says goes to stdout and stderr, its exit status into shell->status. A
 * negative return ends the session. */
typedef int shell_command(
	struct shell *shell, struct shell_words *words, const char *line, struct sl_err *err);
/* One of them, which may do without any of these. */
#define SHELL_MAY __attribute__((unused))
#define SHELL_COMMAND(name)                                                          \
	int name(SHELL_MAY struct shell *shell, SHELL_MAY struct shell_words *words, \
		SHELL_MAY const char *line, SHELL_MAY struct sl_err *err)
/* A line of stderr, and the exit status. SL_OK, which is also false. */
int shell_says(struct shell *shell, int status, const char *format, ...) SL_PRINTF(3, 4);
/* shell_refuse.c: of a word or reason of the policy's; of a job that no node would do for. */
const char *refusal_words(const char *why);
const char *unavailable_words(const struct view *view, uint32_t row);
bool names_nodes(const struct view *view, const char *hosts); /* One at least that there is. */
shell_command shell_sbatch, shell_srun, shell_salloc;         /* shell_submit.c */
shell_command shell_scancel;                                  /* shell_cancel.c */
shell_command shell_scontrol;                                 /* shell_control.c */
/* What an operator does is tried, and recorded as `line`; what the policy cannot read is reported. */
int shell_order(
	struct shell *shell, const char *tool, const char *text, const char *line, struct sl_err *err);
shell_command shell_advance, shell_now; /* shell_time.c */
shell_command shell_leave;              /* shell_inside.c */
/* Programs of nodes: hostname, nvidia-smi, sleep, echo, env. False: it is none. */
bool shell_program(struct shell *shell, char *const *word, size_t count);
/* The same as a step of the job that was entered: so many tasks of it. */
void shell_step(struct shell *shell, int64_t tasks, char *const *word, size_t count);
/* Shells whose job has ended are left. */
int shell_check_inside(struct shell *shell, struct sl_err *err);
bool shell_shows(struct shell *shell, struct shell_words *words, int *status, struct sl_err *err);
/* The clock goes on to that time. */
void shell_clock(struct shell *shell, sl_time to);

/* shell_options.c: what a line of sbatch, srun or salloc says. */
struct shell_asked {
	const char *tool;
	struct cell options; /* For the reader: "sbatch --nodes=2", quoted. */
	const char *wrap, *array, *run_time, *dependency, *partition;
	const char *name; /* --job-name; NULL. */
	sl_time limit;    /* SL_NONE: not said; SL_NEVER. */
	sl_time sleeps;   /* What a script says; SL_NONE: nothing. */
	int64_t tasks;
	bool parsable, test_only, pty, held, wait;
	size_t script; /* The word that is a script or command; count: none. */
};
/* True: go on; else it was said, and the status is set. from: the first word; script: #SBATCH lines. */
bool asked_words(
	struct shell *shell, struct shell_asked *asked, char *const *word, size_t count, bool script);
bool asked_script(struct shell *shell, struct shell_asked *asked, const char *text);
/* What the text's lines of "sleep 5m" add up to; SL_NONE: none. */
sl_time shell_sleeps(const char *text);
bool shell_duration(const char *text, size_t len, sl_time *time);

#endif
