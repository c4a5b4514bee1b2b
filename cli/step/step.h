/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step.h - a replay gone through step by step.
 *
 * The run is made twice. Once whole, with its history, reasons, node allocations and decisions recorded: what
 * happened when, as a list of instants and, in each, of events. Then once more, as far as one has stepped:
 * the engine's state there is printed and explained. Back is from the beginning again.
 *
 * The engine stands between instants only. Within one, so many of its events are shown: then the state is
 * that of the instant before, with these applied on top (step_picture.c).
 */
#ifndef SL_STEP_H
#define SL_STEP_H

#include "cli/explain/explain.h"

/* ---- What happened ------------------------------------------------------------------------------ */

enum happened {
	HAPPENED_SUBMIT,
	HAPPENED_GATED,    /* Submitted, and not to be considered yet; */
	HAPPENED_RELEASED, /* and now it is. */
	HAPPENED_END,
	HAPPENED_LIMIT,
	HAPPENED_CANCEL,
	HAPPENED_DEADLINE,
	HAPPENED_FAILED,   /* By a model, for good; how: enum sl_state. */
	HAPPENED_REQUEUED, /* The same, and it is requeued. */
	HAPPENED_DEFERRED,
	HAPPENED_NODE_DOWN, /* row: the node, here and in the next three. */
	HAPPENED_NODE_UP,
	HAPPENED_DRAIN,
	HAPPENED_UNDRAIN,
	HAPPENED_WINDOW,
	HAPPENED_START, /* From here on a policy's decisions. */
	HAPPENED_PREEMPT,
	HAPPENED_RESUME,
	HAPPENED_RESIZE,
	HAPPENED_STOP, /* how: enum sl_state */
	HAPPENED_PLAN
};
struct happening {
	sl_time start;             /* Of a plan; SL_NONE: none any more. */
	uint32_t row, beneficiary; /* A job; beneficiary: as of sl_decision. */
	uint8_t what;              /* enum happened */
	uint8_t rule, how;
	uint8_t interval; /* Of the run's recipe: under which policy. */
};
static inline bool is_decision(const struct happening *happening)
{
	return happening->what >= HAPPENED_START;
}
/* The job is over. */
static inline bool is_over(const struct happening *happening)
{
	return happening->what == HAPPENED_END || happening->what == HAPPENED_LIMIT ||
	       happening->what == HAPPENED_CANCEL || happening->what == HAPPENED_DEADLINE ||
	       happening->what == HAPPENED_FAILED || happening->what == HAPPENED_STOP;
}

struct instant {
	sl_time at;
	size_t first;
	uint32_t count;
};

/* ---- Where one stands ------------------------------------------------------------------------------ */

struct stepper {
	struct explain explain; /* Of the whole run; texts are made in its view's arena, which goes with each
				 * command. */
	struct policy_choice choice;
	struct settings settings;
	struct sim_interval interval;
	struct sim_run sim; /* As far as one has stepped. */
	struct instant *instant;
	struct happening *happening;
	size_t instant_count, happening_count, instant_capacity, happening_capacity;

	size_t at;          /* So many instants are over. */
	uint32_t displayed; /* Of the next one, so many events are shown; less than all of them. */
	sl_time now;
	sl_time begin; /* Where it begins, before all that happens. */

	uint32_t quiz;    /* So many questions; 0: no quiz. */
	bool asked;       /* A question stands: who starts next? */
	bool hide;        /* A quiz: plans and reasons are not shown while it does, */
	bool answers;     /* or, on the contrary, the answer stands with the question. */
	uint32_t guesses; /* So far; */
	uint32_t right;   /* right ones. */
	bool by_node;     /* The Gantt strip: a row is a node (or cpus), not a job. */
	uint32_t zoom;    /* Its width in time: half as much a step. */
	uint32_t scroll;  /* First row of the queue that is shown. */
	bool ascii;       /* No characters beyond ASCII. */
};

/* step_open.c. The run from the words of a line (a trace, or a run's directory or snapshot). What fails
 * leaves something for step_close. */
int step_open(struct stepper *stepper, const struct args *args, struct sl_err *err);
void step_close(struct stepper *stepper);
/* The texts of the last command go. */
int step_fresh(struct stepper *stepper, struct sl_err *err);

/* step_move.c */
int step_to(struct stepper *stepper, size_t at, uint32_t displayed, struct sl_err *err);
int step_to_time(struct stepper *stepper, sl_time time, struct sl_err *err);
static inline bool step_is_at_end(const struct stepper *stepper)
{
	return stepper->at >= stepper->instant_count;
}
/* Happenings that come before the first decision of an instant. */
uint32_t step_events(const struct stepper *stepper, size_t instant);
const struct happening *step_happening(const struct stepper *stepper, size_t instant, uint32_t number);
/* Events that are shown, from the last one back. */
struct backwards {
	size_t instant;
	uint32_t number;
};
static inline struct backwards step_latest(const struct stepper *stepper)
{
	return (struct backwards){ stepper->at + (stepper->displayed > 0), 0 };
}
const struct happening *step_before(const struct stepper *stepper, struct backwards *at); /* NULL: none. */

/* ---- What is there (step_picture.c) ------------------------------------------------------------------ */

enum { FLAG_STARTS = 1, FLAG_NEW = 2, FLAG_BACK = 4, FLAG_HELD = 8 };
struct waiting {
	uint32_t job;
	unsigned flags;
};
struct picture {
	struct waiting *waiting; /* In the order of the queue; those held back behind it. */
	size_t waiting_count;    /* With those that start in what is shown; */
	size_t starting;         /* so many. */
	uint32_t *running;       /* By their start. */
	size_t running_count;
	int64_t cpus_free, gpus_free;   /* In parts. */
	int64_t *node_cpus, *node_gpus; /* In use, by node; NULL on a counted pool. */
};
/* In the arena of texts. */
int picture_take(const struct stepper *stepper, struct picture *picture, struct sl_err *err);
/* When it would fit by the limits of what runs, if nobody else came; SL_NONE: now, never, or not known. */
sl_time capacity_by_limits(const struct stepper *stepper, const struct picture *picture, uint32_t job);
/* What a job requests, in parts. */
int64_t job_cpus(const struct stepper *stepper, uint32_t job);
int64_t job_gpus(const struct stepper *stepper, uint32_t job);

/* ---- Words (step_words.c) ------------------------------------------------------------------------------ */

const char *job_words(const struct stepper *stepper, uint32_t job);       /* "J5", "train-7" */
const char *asks_words(const struct stepper *stepper, uint32_t job);      /* "2 cpus, 8 s" */
const char *brief_words(const struct stepper *stepper, uint32_t job);     /* "4 GPUs 32 cpus" */
const char *policy_words(const struct stepper *stepper, size_t interval); /* "easy" */
size_t interval_now(const struct stepper *stepper);
const char *happening_words(const struct stepper *stepper, size_t instant, uint32_t number);
/* Planned then, once all of the instant has happened; SL_NONE: not. */
sl_time planned_start(const struct stepper *stepper, size_t instant, uint32_t job);
sl_time planned_now(const struct stepper *stepper, uint32_t job);
sl_time limit_end(const struct stepper *stepper, uint32_t job, sl_time start); /* SL_NEVER: no limit. */
sl_time submitted_at(const struct stepper *stepper, uint32_t job);
sl_time waits_since(const struct stepper *stepper, uint32_t job);
/* What it is charged to now; SL_REASON_NONE: nothing. */
enum sl_reason reason_now(const struct stepper *stepper, uint32_t job);

/* ---- Told: lines of text, or of JSON ----------------------------------------------------------------------
 */

struct report_lines {
	char **line;
	size_t count, capacity;
};
void report_line(struct stepper *stepper, struct report_lines *reported, const char *format, ...)
	SL_PRINTF(3, 4);
void reported_free(struct report_lines *reported);

/* step_query.c: why a job waits, as of now. */
void report_why(struct stepper *stepper, uint32_t job, struct report_lines *reported);
/* Goes to the next instant at whose decisions one may be wrong about who starts; false: there is none. */
int question_find(struct stepper *stepper, bool *found, struct sl_err *err);
void report_question(struct stepper *stepper, struct report_lines *reported);
/* The answer, by what happened; steps over the decisions. job UINT32_MAX: nobody. *right: it was. */
int question_answer(struct stepper *stepper, uint32_t job, bool *right, struct report_lines *reported,
	struct sl_err *err);
/* Of a quiz: the next question, or the score. */
int quiz_goes_on(struct stepper *stepper, struct report_lines *reported, struct sl_err *err);
static inline bool quiz_is_on(const struct stepper *stepper) { return stepper->guesses < stepper->quiz; }
void report_score(struct stepper *stepper, struct report_lines *reported);

/* step_commands.c: one command of a line, as scripts and the terminal have it. */
struct effect {
	struct report_lines reported;
	size_t from;             /* Where one stood before: of what happened since, */
	uint32_t from_displayed; /* forwards, scripts print. */
	bool moved, back, screen, quit, answered, right;
	bool keep; /* It belongs into a record. */
};
/* SL_USAGE: it is none, or not now. The output before is gone. */
int step_command(struct stepper *stepper, const char *line, struct effect *effect, struct sl_err *err);
extern const char *const step_help[]; /* Lines, closed by NULL. */

/* step_canvas.c: a screen of characters. */
enum { STYLE_PLAIN, STYLE_BOLD, STYLE_BAR, STYLE_DIM, STYLE_BUSY, STYLE_PLAN, STYLE_WARN, STYLES };
struct canvas {
	uint32_t *glyph; /* Code points, by row. */
	uint8_t *style;
	int columns, rows;
};
int canvas_init(struct canvas *canvas, int columns, int rows, struct sl_err *err);
void canvas_free(struct canvas *canvas);
/* Cut at the canvas's end and behind `width` columns; returns the column behind the text. */
int canvas_put(struct canvas *canvas, int row, int column, int width, int style, const char *text);
void canvas_glyph(struct canvas *canvas, int row, int column, int style, uint32_t glyph);
void canvas_row(struct canvas *canvas, int row, int style); /* All of it in that style. */
/* Rows as text, without blanks at their ends. */
void canvas_text(const struct canvas *canvas, struct cell *text);
/* With the sequences of a terminal; color: else bold and reverse alone. */
void canvas_terminal(const struct canvas *canvas, bool color, struct cell *text);

/* step_draw.c: the screen; reported: drawn over its lower part (NULL: nothing); the last row is left free. */
int step_draw(struct stepper *stepper, struct canvas *canvas, const struct report_lines *reported,
	struct sl_err *err);
/* step_gantt.c */
void gantt_draw(const struct stepper *stepper, const struct picture *picture, struct canvas *canvas, int row,
	int rows);
/* step_nodes.c */
struct area {
	int row, rows, column, columns;
};
void nodes_draw(const struct stepper *stepper, const struct picture *picture, struct canvas *canvas,
	const struct area *area);

/* step_script.c: commands from a file, "-" being stdin; what they print, on stdout. */
struct script {
	const char *path;
	bool json, echo;
	bool replay; /* A record: its predictions are compared, and its run. */
	int columns, rows;
};
int script_run(
	struct stepper *stepper, const struct script *script, struct sl_out *record, struct sl_err *err);
int script_events(struct stepper *stepper, struct sl_err *err); /* All of them, as JSON lines. */
void record_head(struct stepper *stepper, struct sl_out *record);
/* record NULL: nothing is written. */
void record_command(const char *line, const struct effect *effect, struct sl_out *record);
void record_end(const struct stepper *stepper, struct sl_out *record);

/* step_terminal.c: by keys. */
int terminal_run(struct stepper *stepper, struct sl_out *record, struct sl_err *err);
bool terminal_is_there(void);

#endif
