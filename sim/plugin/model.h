/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - models of what makes run times other than traced: fabric, storage, power, failures, speed-up. */
#ifndef SL_PLUGIN_MODEL_H
#define SL_PLUGIN_MODEL_H

#include "cluster.h"
#include "job.h"
#include "place.h"

struct sim;
struct sl_tally;

/* A model is turned on by name (--model fabric:contention=meanfield). It is told what happens to jobs, once
 * that is settled, and may slow them down, hold them, take nodes down. Jobs run at the product of what the
 * models say of each: 1 is SL_SPEED_ONE. A model sees what is; a policy never sees rates that are to come. */

#define SL_SPEED_ONE (UINT64_C(1) << 32)
#define SL_SPEED_MAX (UINT64_C(1) << 52)

/* A CSV file of a parameter of kind SL_PARAM_CSV: cells by row, then column, as text; lent for the run. */
struct sl_csv_table {
	const char *file;
	uint32_t columns, rows; /* Without the line of names. */
	const char *const *column;
	const char *const *cell;
	const uint64_t *line; /* By row. */
};
/* NULL: none was given. A column's number by its name (in any case), UINT32_MAX: there is none. */
struct sl_model_setup;
SL_API const struct sl_csv_table *sl_csv_table_of(const struct sl_model_setup *setup, const char *key);
SL_API uint32_t sl_csv_column(const struct sl_csv_table *csv, const char *name);
SL_API struct sl_place sl_csv_place(const struct sl_csv_table *csv, uint32_t row, uint32_t column);
/* A parameter of another model that is on in this run, as it is in force; NULL: it is off, or has no such
 * one. */
SL_API const struct sl_value *sl_model_value(
	const struct sl_model_setup *setup, const char *model, const char *key);

struct sl_model_setup {
	struct sl_arena *arena; /* Goes with the run. */
	const struct sl_jobs *jobs;
	const struct sl_cluster
		*cluster; /* Its settings of kind `name` are the model's section in the file. */
	uint64_t seed;
	const struct sl_value *values;
	size_t value_count;
	int64_t epoch;                         /* As of sl_setup. */
	struct sim *sim;                       /* For the functions below. */
	const struct sl_csv_table *const *csv; /* By value: of sl_csv_table_of. NULL: it has none. */
};

/* How a job left what it held. */
enum sl_left {
	SL_LEFT_END,        /* For good. */
	SL_LEFT_REQUEUE,    /* Back into the queue, */
	SL_LEFT_CHECKPOINT, /* with its work; */
	SL_LEFT_SUSPEND     /* it stands still on its nodes, until `started` again. */
};

/* What a job moves to or from a file system. */
enum sl_transfer_kind { SL_TRANSFER_READ, SL_TRANSFER_WRITE };
struct sl_transfer {
	sl_job job;
	enum sl_transfer_kind kind;
	const char *fs; /* NULL: the job's. */
	int64_t bytes;  /* Of all its nodes together. */
	uint32_t token; /* Whose it is is known: given back. */
	uint32_t asker; /* The engine's: kept as it is by whoever carries it out. */
};

/* All but init are optional. What is told comes in the order in which it happened, after the instant's events
 * and passes as far as they have gone; a job that starts and leaves within one pass is not told of. */
struct sl_model {
	struct sl_abi abi;
	const char *name; /* "fabric" */
	const char *summary;
	const char *paper;
	const struct sl_param *params;
	size_t param_count;
	bool on_nodes; /* It makes no sense on a counted pool: SL_USAGE there. */
	int (*init)(void **state, const struct sl_model_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* Once, before the first event. */
	void (*begin)(void *state, struct sim *sim);
	/* It started (or was resumed, or another size came in force): sl_node_tasks_of says where it is. */
	void (*started)(void *state, struct sim *sim, sl_job job);
	/* It holds nothing any more (SL_LEFT_SUSPEND: no cpus and GPUs). Where it was is not known any more.
	 */
	void (*left)(void *state, struct sim *sim, sl_job job, enum sl_left how);
	/* sl_model_wake's time has come. */
	void (*timer)(void *state, struct sim *sim, uint32_t row);
	/* Once all of an instant is told: here rates are computed, once for all that changed. Models are
	 * settled in the order of the registry. */
	void (*settle)(void *state, struct sim *sim);
	/* All its work is done. True: it goes on holding what it has, until sl_model_finish. */
	bool (*ends)(void *state, struct sim *sim, sl_job job);
	/* It fails now: of so much work in this attempt (us), what is kept? The most of all models counts. */
	sl_time (*kept)(void *state, struct sim *sim, sl_job job, sl_time work);
	/* Carries transfers out, for whichever model asks; the first of the registry that has it does. */
	void (*transfer)(void *state, struct sim *sim, const struct sl_transfer *transfer);
	/* One that this model asked for is over. */
	void (*transferred)(void *state, struct sim *sim, const struct sl_transfer *transfer);
	/* At which rate would it run there, beside what runs now? Nothing changes by the question. */
	uint64_t (*predict)(
		void *state, struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count);
	/* A node went down, or came up: by whichever model. */
	void (*node)(void *state, struct sim *sim, uint32_t node, bool up);
	/* The run is over: metrics, columns of jobs, tables. */
	union {
		int (*report)(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);
		int (*tell)(void *state, struct sim *sim, struct sl_tally *tally,
			struct sl_err *err); /* Deprecated: its name up to ABI 4. */
	};
	/* Work is counted by what this model says of a job's size: the engine's own proportion does not
	 * count.
	 */
	bool sizes;
	/* A job that it was told of works at another rate from now on, through whichever model: it may set a
	 * wake, no more. */
	union {
		void (*speed_changed)(void *state, struct sim *sim, sl_job job);
		void (*rated)(
			void *state, struct sim *sim, sl_job job); /* Deprecated: its name up to ABI 4. */
	};
	/* It looks at nodes where there are any: nodes of one cpu are not counted as a pool. */
	bool nodes_if_any;
	/* The number of the leaf switch that a node hangs on, one for all nodes of a leaf: for placings. */
	uint32_t (*leaf)(void *state, uint32_t node);
};

/* For models, in any of their functions but init, kept and predict; each knows whose call it is. */
SL_API void sl_model_wake(struct sim *sim, sl_time at, uint32_t row); /* row < 2^28 */
/* How fast a running job works, as far as this model goes: 0 holds it. SL_SPEED_ONE at each start, and as it
 * is resumed; another size leaves it. At most SL_SPEED_MAX, as is the product. */
SL_API void sl_model_speed(struct sim *sim, sl_job job, uint64_t rate);
SL_API uint64_t sl_speed_of(const struct sim *sim, sl_job job); /* Of all models together. */
/* Of all models but the asking one, and of one that counts by size only whether it holds the job: how much of
 * its time it works, at most SL_SPEED_ONE. */
SL_API uint64_t sl_model_works(const struct sim *sim, sl_job job);
SL_API void sl_model_finish(struct sim *sim, sl_job job); /* After `ends`. */
/* Work of this attempt, to the microsecond, rounded down; and kept from those before. */
SL_API sl_time sl_done_of(const struct sim *sim, sl_job job);
SL_API sl_time sl_kept_of(const struct sim *sim, sl_job job);
/* When its work of this attempt comes to so much, at its rate and size of now: SL_NEVER while it is held, or
 * does not run. A rate that is set at this instant is in force, and `rated` told, once all are settled. */
SL_API sl_time sl_reaches(const struct sim *sim, sl_job job, sl_time work);
/* Jobs on it fail (sl_model_fail, NODE_FAIL, requeued if they may be), nothing starts there until it is up.
 * expected: when the operator expects it back, for plans; SL_NEVER: nobody knows. Counted: taken down
 * twice it has to come up twice. */
SL_API void sl_model_node_down(struct sim *sim, uint32_t node, sl_time expected);
SL_API void sl_model_node_up(struct sim *sim, uint32_t node);
/* Nothing new starts there (true), what runs goes on. Counted likewise. */
SL_API void sl_model_node_drain(struct sim *sim, uint32_t node, bool drain);
/* How soon a node could work; all are at SL_READY at first. Each can be had nevertheless: what the wait costs
 * is the model's to say. by_this: nodes go by it before the placing's score, the least first. */
enum sl_ready { SL_READY, SL_READY_BOOTS, SL_READY_OFF, SL_READY_GOES_OFF };
SL_API void sl_model_node_ready(struct sim *sim, uint32_t node, enum sl_ready ready, bool by_this);
SL_API enum sl_ready sl_node_ready(const struct sim *sim, uint32_t node);
SL_API bool sl_node_is_up(const struct sim *sim, uint32_t node);
/* It holds something there, running or suspended. */
SL_API bool sl_holds_on(const struct sim *sim, sl_job job, uint32_t node);
SL_API bool sl_node_is_drained(const struct sim *sim, uint32_t node);
/* A running job ends now in that state; again: it goes back into the queue if it may (a limit on attempts is
 * the caller's), with the work that models keep. */
SL_API void sl_model_fail(struct sim *sim, sl_job job, enum sl_state as, bool retry);
/* One that has just failed and waits is not considered before then (BeginTime). Not with SL_USE_CONTROL: the
 * policy has delays of its own. */
SL_API void sl_model_defer_until(struct sim *sim, sl_job job, sl_time at);
/* A waiting or running job is cancelled. */
SL_API void sl_model_cancel(struct sim *sim, sl_job job);
/* False: no model carries transfers. Else `transferred` is called, at another instant or this one. */
SL_API bool sl_model_transfer(struct sim *sim, const struct sl_transfer *transfer);
/* For the model that carries transfers: this one, as it was handed over, is through. */
SL_API void sl_model_transferred(struct sim *sim, const struct sl_transfer *transfer);
/* What all models predict together; for placings of policies too. SL_SPEED_ONE without models. */
SL_API uint64_t sl_predict(struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count);
/* The leaf of a node, as the first model says that knows; UINT32_MAX: none does. Not before all are made. */
SL_API uint32_t sl_leaf_of(const struct sim *sim, uint32_t node);
/* Policies are to look again, at this instant: what they are shown has changed for the better. */
SL_API void sl_model_pass(struct sim *sim);
/* A figure that all may see, policies too ("price", "carbon", "power"), in millionths, by name. SL_NONE:
 * there is none. */
SL_API void sl_model_set_figure(struct sim *sim, const char *name, int64_t value);
SL_API int64_t sl_figure_of(const struct sim *sim, const char *name);

/* What a model tells as the run is over. Texts are lent for the run, columns by job row; millionths;
 * SL_NONE: an empty field. */
SL_API int sl_report_metric(struct sl_tally *tally, const char *name, int64_t micro, struct sl_err *err);
SL_API int sl_report_job_column(
	struct sl_tally *tally, const char *name, const int64_t *micro, struct sl_err *err);
/* A file NAME.csv in the run's directory: rows of cells, each a text, or (NULL) a number in millionths. */
struct sl_cell {
	const char *text;
	int64_t micro;
};
SL_API int sl_report_add_table(struct sl_tally *tally, const char *name, const char *const *column,
	uint32_t columns, const struct sl_cell *cell, size_t rows, struct sl_err *err);

/* What was told, in the order of telling. */
struct sl_report_column {
	const char *name;
	const int64_t *micro;
};
struct sl_report_table {
	const char *name;
	const char *const *column;
	uint32_t columns;
	const struct sl_cell *cell;
	size_t rows;
};

#endif
