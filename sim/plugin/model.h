/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - models that change a job's speed or fail it: fabric, storage, power, failures, speed-up. */
#ifndef SL_PLUGIN_MODEL_H
#define SL_PLUGIN_MODEL_H

#include "cluster.h"
#include "job.h"
#include "place.h"

struct sim;
struct sl_tally;

/* A model is turned on by name (--model fabric:contention=meanfield). It gets the starts and ends of jobs
 * once they are committed, and may slow jobs down, hold them, take nodes down. A job's speed is the product
 * of what the models set: SL_SPEED_ONE is the traced speed. A model sees the present; a policy never sees
 * future speeds. */

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
/* The value in force of a parameter of another model of this run; NULL: that model is off, or has no such
 * parameter. */
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

/* How a job left its allocation. */
enum sl_left {
	SL_LEFT_END,        /* It ended. */
	SL_LEFT_REQUEUE,    /* Back into the queue, */
	SL_LEFT_CHECKPOINT, /* with its work; */
	SL_LEFT_SUSPEND     /* it is suspended on its nodes, until `started` again. */
};

/* What a job moves to or from a file system. */
enum sl_transfer_kind { SL_TRANSFER_READ, SL_TRANSFER_WRITE };
struct sl_transfer {
	sl_job job;
	enum sl_transfer_kind kind;
	const char *fs; /* NULL: the job's. */
	int64_t bytes;  /* Of all its nodes together. */
	uint32_t token; /* Of the model that requested it; returned unchanged. */
	uint32_t asker; /* The engine's: the carrying model returns it unchanged. */
};

/* All but init are optional. Calls come in the order in which things happened, after the instant's events and
 * passes so far; a job that starts and leaves within one pass is not reported. */
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
	/* It started (or was resumed, or resized): sl_node_tasks_of says where it is. */
	void (*started)(void *state, struct sim *sim, sl_job job);
	/* Its allocation is released (SL_LEFT_SUSPEND: cpus and GPUs alone), and no longer known.
	 */
	void (*left)(void *state, struct sim *sim, sl_job job, enum sl_left how);
	/* sl_model_wake's time has come. */
	void (*timer)(void *state, struct sim *sim, uint32_t row);
	/* Once all of an instant is reported: here speeds are computed, once for all that changed. Models are
	 * settled in the order of the registry. */
	void (*settle)(void *state, struct sim *sim);
	/* All its work is done. True: it keeps its allocation until sl_model_finish. */
	bool (*ends)(void *state, struct sim *sim, sl_job job);
	/* It fails now: of `work` in this attempt (microseconds), how much is kept (by a checkpoint)? The
	 * maximum over the models counts. */
	sl_time (*kept)(void *state, struct sim *sim, sl_job job, sl_time work);
	/* Carries transfers out for any model; the first model of the registry that has this function does.
	 */
	void (*transfer)(void *state, struct sim *sim, const struct sl_transfer *transfer);
	/* A transfer that this model requested is over. */
	void (*transferred)(void *state, struct sim *sim, const struct sl_transfer *transfer);
	/* At which speed would it run there, beside what runs now? Must not change any state. */
	uint64_t (*predict)(
		void *state, struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count);
	/* A node went down, or came up: by whichever model. */
	void (*node)(void *state, struct sim *sim, uint32_t node, bool up);
	/* The run is over: metrics, columns of jobs, tables. */
	union {
		int (*report)(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);
		/* Deprecated: its name up to ABI 4. */
		int (*tell)(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);
	};
	/* This model says how work depends on a job's size, in place of the engine's proportion (tasks /
	 * tasks requested).
	 */
	bool sizes;
	/* A job reported to it runs at another speed from now on, by any model: it may call sl_model_wake,
	 * and nothing else. */
	union {
		void (*speed_changed)(void *state, struct sim *sim, sl_job job);
		/* Deprecated: its name up to ABI 4. */
		void (*rated)(void *state, struct sim *sim, sl_job job);
	};
	/* It reads nodes where there are any: nodes of one cpu are not made a counted pool. */
	bool nodes_if_any;
	/* The number of a node's leaf switch, the same for all nodes of a leaf: for node scorers. */
	uint32_t (*leaf)(void *state, uint32_t node);
};

/* For models, in any of their functions but init, kept and predict; the engine knows which model calls. */
SL_API void sl_model_wake(struct sim *sim, sl_time at, uint32_t row); /* row < 2^28 */
/* This model's factor of a running job's speed: 0 holds it. Set to SL_SPEED_ONE at each start and resume,
 * unchanged by a resize. At most SL_SPEED_MAX, as is the product. */
SL_API void sl_model_speed(struct sim *sim, sl_job job, uint64_t rate);
SL_API uint64_t sl_speed_of(const struct sim *sim, sl_job job); /* Of all models together. */
/* The share of time in which the job works, by all models but the calling one, at most SL_SPEED_ONE; of a
 * model with `sizes` only whether it holds the job. */
SL_API uint64_t sl_model_works(const struct sim *sim, sl_job job);
SL_API void sl_model_finish(struct sim *sim, sl_job job); /* After `ends`. */
/* Work of this attempt, to the microsecond, rounded down; and kept from those before. */
SL_API sl_time sl_done_of(const struct sim *sim, sl_job job);
SL_API sl_time sl_kept_of(const struct sim *sim, sl_job job);
/* When its work of this attempt reaches `work` (microseconds), at its present speed and size: SL_NEVER while
 * it is held, or does not run. A speed set at this instant takes effect, and `speed_changed` is called, once
 * all models are settled. */
SL_API sl_time sl_reaches(const struct sim *sim, sl_job job, sl_time work);
/* Jobs on it fail (sl_model_fail, NODE_FAIL, requeued if they may be), nothing starts there until it is up.
 * expected: when the operator expects it back, for plans; SL_NEVER: not known. Counted: taken down
 * twice it has to come up twice. */
SL_API void sl_model_node_down(struct sim *sim, uint32_t node, sl_time expected);
SL_API void sl_model_node_up(struct sim *sim, uint32_t node);
/* Nothing new starts there (true), what runs goes on. Counted likewise. */
SL_API void sl_model_node_drain(struct sim *sim, uint32_t node, bool drain);
/* How soon a node could run jobs; all are SL_READY at first. Each can be allocated nevertheless: the model
 * says what the wait costs. by_this: nodes are ordered by it before the scorer's score, the least first. */
enum sl_ready { SL_READY, SL_READY_BOOTS, SL_READY_OFF, SL_READY_GOES_OFF };
SL_API void sl_model_node_ready(struct sim *sim, uint32_t node, enum sl_ready ready, bool by_this);
SL_API enum sl_ready sl_node_ready(const struct sim *sim, uint32_t node);
SL_API bool sl_node_is_up(const struct sim *sim, uint32_t node);
/* The job has an allocation there, running or suspended. */
SL_API bool sl_holds_on(const struct sim *sim, sl_job job, uint32_t node);
SL_API bool sl_node_is_drained(const struct sim *sim, uint32_t node);
/* A running job ends now in that state; retry: it is requeued if it may be (a limit on attempts is the
 * caller's), with the work that models keep. */
SL_API void sl_model_fail(struct sim *sim, sl_job job, enum sl_state as, bool retry);
/* A job that has just failed and waits is not eligible before then (BeginTime). Not with SL_USE_CONTROL: the
 * policy has delays of its own. */
SL_API void sl_model_defer_until(struct sim *sim, sl_job job, sl_time at);
/* A waiting or running job is cancelled. */
SL_API void sl_model_cancel(struct sim *sim, sl_job job);
/* False: no model carries transfers. Else `transferred` is called, at another instant or this one. */
SL_API bool sl_model_transfer(struct sim *sim, const struct sl_transfer *transfer);
/* For the model that carries transfers: this one, unchanged, is over. */
SL_API void sl_model_transferred(struct sim *sim, const struct sl_transfer *transfer);
/* The product of all models' predictions; for node scorers of policies too. SL_SPEED_ONE without models. */
SL_API uint64_t sl_predict(struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count);
/* The leaf switch of a node, by the first model that knows; UINT32_MAX: none does. Not before all models are
 * made. */
SL_API uint32_t sl_leaf_of(const struct sim *sim, uint32_t node);
/* Requests a scheduling pass at this instant: what policies can read has changed in favour of waiting jobs.
 */
SL_API void sl_model_pass(struct sim *sim);
/* A figure that all may read, policies too ("price", "carbon", "power"), in millionths, by name. SL_NONE:
 * there is none. */
SL_API void sl_model_set_figure(struct sim *sim, const char *name, int64_t value);
SL_API int64_t sl_figure_of(const struct sim *sim, const char *name);

/* What a model or policy reports as the run is over. Texts are lent for the run, columns by job row;
 * millionths; SL_NONE: an empty field. */
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

/* What was reported, in that order. */
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
