/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job.h - the job table: states, requests, dependencies, and profiles of what a job does while it runs. */
#ifndef SL_PLUGIN_JOB_H
#define SL_PLUGIN_JOB_H

#include "base.h"
#include "request.h"

typedef struct {
	uint32_t row;
} sl_job;
#define SL_JOB_NONE ((sl_job){ UINT32_MAX })
static inline bool sl_job_is(sl_job job) { return job.row != UINT32_MAX; }

enum sl_state {
	SL_PENDING, /* Also: not yet submitted. */
	SL_RUNNING,
	SL_SUSPENDED,
	SL_COMPLETED,
	SL_FAILED,
	SL_TIMEOUT,
	SL_CANCELLED,
	SL_NODE_FAIL,
	SL_PREEMPTED,
	SL_OUT_OF_MEMORY,
	SL_DEADLINE,
	SL_BOOT_FAIL,
	SL_STATE_COUNT
};
SL_API const char *sl_state_name(enum sl_state state);

/* What a replay does with a job whose run time is longer than its limit (replay.overrun). */
enum sl_overrun {
	SL_OVERRUN_RAISE,  /* The limit was raised to the run time when the trace was loaded. */
	SL_OVERRUN_EXTEND, /* The limit stays as seen, the job runs on. */
	SL_OVERRUN_KILL,   /* The job is cut at its limit. */
	SL_OVERRUN_COUNT
};

/* The trace as the engine runs it: rows in (submit, place in the file) order; never written after loading. */
struct sl_jobs {
	uint32_t count;
	const int64_t *id;
	const sl_time *submit;
	const sl_time
		*run; /* Its run time without a limit. Only a clairvoyant policy reads it, and says so. */
	const sl_time *limit; /* As the policy sees it (after replay.overrun=raise). */
	const int32_t *
		size; /* SWF: tasks = cpus. Others: gpus of a job that requests any, else cpus; at least 1. */
	const int32_t *user, *account,
		*partition;           /* -1: unknown. SWF: the bare numbers of fields 12, 13, 16. */
	const sl_time *wait_recorded; /* SL_NONE where the log has none; NULL: in no row. */
	const sl_time *estimate;      /* Predictions from a file (replay.estimates); NULL: none. */
	const sl_time
		*cancel; /* When its user cancels it, waiting or running; SL_NONE: never; NULL: no job. */
	const uint32_t *place; /* place[row]: the row's rank in the file among these, a permutation; NULL: the
				* file was in order. */
	/* On nodes; both NULL and 0 on a counted pool. */
	const uint32_t *request; /* By job: of `requests`. */
	const struct sl_request *requests;
	uint32_t request_count;
	/* NULL: bare numbers. Else user, account and partition are indices into these, in order of first
	 * appearance; ids are by row, NULL for those that are numbers. */
	const char *const *id_name, *const *user_name, *const *account_name, *const *partition_name;
	uint32_t user_count, account_count, partition_count; /* 0 without names. */
	const int32_t *gang; /* Jobs of one gang start together; -1: of none; NULL: no job. */
	const sl_time *ran;  /* How long it had run when the replay began; SL_NONE: it had not. NULL: no job
			      * had. Its start lies before the replay's first event. */
	/* By job: of `more`; 0: it says nothing more. NULL: no job does. */
	const uint32_t *more_of;
	const struct sl_job_attributes *more;
	uint32_t more_count;
	const int32_t *gpu_active; /* Of the GPU time allocated to it, how much it is active, in millionths;
				    * -1: not known. NULL: of no job. */
	/* By request: how many jobs had it before replay.fill drew jobs repeatedly or left some out. NULL: it
	 * did not, and the jobs in the table are all. */
	const uint32_t *request_drawn_from;
	uint32_t row_first; /* Of a part of a trace (replay.windows): rows that `more` names (dependencies)
			     * count from so many before the first. */
	/* By job: of `profile`; 0: nothing is said. NULL: of no job. */
	const uint32_t *profile_of;
	const struct sl_profile *profile;
	uint32_t profile_count;
};

/* Dependencies: what must have happened before a job may start (sbatch --dependency). */
enum sl_depend_kind {
	SL_AFTER,       /* It has started (or was cancelled), `delay` ago. */
	SL_AFTER_ANY,   /* It has ended. */
	SL_AFTER_OK,    /* It has COMPLETED; */
	SL_AFTER_NOTOK, /* it has ended otherwise. */
	SL_AFTER_CORR,  /* The task of that array with the same index has COMPLETED. */
	SL_SINGLETON,   /* No job of the same name and user that was submitted before it is left. */
	SL_DEPEND_KINDS
};
struct sl_depend {
	enum sl_depend_kind kind;
	uint32_t job; /* UINT32_MAX: not in the trace: counts as satisfied. */
	sl_time delay;
	bool or_next;   /* This or the next ("?"). */
	bool with_next; /* This and the next are one of them: tasks of one array. */
};

/* A job's attributes beyond size and time, and what the log recorded of it. Texts: NULL, numbers: SL_NONE
 * where nothing is said. */
struct sl_job_attributes {
	const char *name, *qos, *dependency, *exit_code, *nodes_recorded, *submit_line;
	sl_time begin;    /* Not before then. */
	sl_time deadline; /* Ended by then, or not started at all. */
	sl_time time_min; /* The shortest limit it accepts (--time-min). */
	int64_t nice;
	int64_t array, array_task; /* The array's number and its own index. */
	int64_t array_limit;       /* At most so many of the array run at a time. */
	sl_time start_recorded, end_recorded;
	int64_t attempts_recorded;    /* Attempts in the log. */
	enum sl_state state_recorded; /* SL_PENDING: not known. */
	int8_t requeue;               /* 1, 0; 2: expedited (Slurm 25.11); -1: not said. */
	int8_t kill_invalid_dep; /* --kill-on-invalid-dep, likewise: it is cancelled once its dependency can
				  * no longer be met. */
	bool held;               /* By user or operator, at submission, until `begin` (SL_NONE: for ever). */
	bool censored;           /* Cut by its limit or the log's end: its full run time is unknown.
				  */
	/* The engine's: */
	const struct sl_depend *depend;
	uint32_t depend_count;
	/* Of the log again, as lengths; 0 where there is nothing to say. start_recorded, end_recorded are
	 * those of the last of several attempts: */
	sl_time earlier_recorded;        /* so long before that start, the first attempt started; */
	sl_time held_before_recorded;    /* the attempts before it had nodes allocated so long; */
	sl_time requeued_after_recorded; /* it was requeued so long after its submission. */
	sl_time eligible_after_recorded; /* From its submission until the first attempt was eligible.
					  */
	/* Of a Kubernetes cluster: */
	const char *namespace; /* Its namespace. */
	const char *queue;     /* Its LocalQueue. */
	const char *manifest;  /* The object as its submitter wrote it, in JSON: for sl_pods_of. Jobs with
				  equal manifests share it. */
	int64_t priority;      /* Of its class; higher is more. */
};
/* In an initializer: nothing of all this is said. The priority is the reader's: SL_NONE, or 0. */
#define SL_JOB_ATTRIBUTES_NONE                                                                             \
	.begin = SL_NONE, .deadline = SL_NONE, .time_min = SL_NONE, .nice = SL_NONE, .array = SL_NONE,     \
	.array_task = SL_NONE, .array_limit = SL_NONE, .start_recorded = SL_NONE, .end_recorded = SL_NONE, \
	.attempts_recorded = SL_NONE, .requeue = -1, .kill_invalid_dep = -1

/* ---- What jobs do while they run ----------------------------------------------- */

/* Communication pattern of an iteration. */
enum sl_pattern {
	SL_PATTERN_NONE,
	SL_PATTERN_RING,  /* All-reduce: a ring over all ranks, */
	SL_PATTERN_TREE,  /* a double binary tree, */
	SL_PATTERN_HIER,  /* within each node over NVLink, then a ring over nodes. */
	SL_PATTERN_RS_AG, /* Reduce-scatter, then all-gather: as a ring. */
	SL_PATTERN_ALLTOALL,
	SL_PATTERN_NEIGHBOUR, /* With its neighbours on a 1-, 2- or 3-dimensional grid. */
	SL_PATTERN_BROADCAST,
	SL_PATTERN_SERVER, /* All with one parameter server. */
	SL_PATTERN_COUNT
};

/* How a job's size may change (Feitelson and Rudolph's classes). */
enum sl_elastic {
	SL_RIGID,
	SL_MOLDABLE,  /* The scheduler chooses as it starts, */
	SL_MALLEABLE, /* and at any time. */
	SL_EVOLVING,  /* The job requests another, at its own times. */
	SL_ELASTIC_COUNT
};

/* What a job does while it runs, for models; jobs that do the same share one. Numbers: SL_NONE, texts: NULL
 * where nothing is said. Bytes are bytes, shares are millionths. */
struct sl_profile {
	/* Iterations: time is the traced run time, whatever one iteration takes. */
	int64_t comp;    /* Nanoseconds of compute an iteration, on the GPUs of the trace. */
	int64_t bytes;   /* That a rank sends an iteration (of a collective: its buffer). */
	int64_t pattern; /* enum sl_pattern */
	int64_t dims;    /* SL_PATTERN_NEIGHBOUR: 1 to 3. */
	int64_t overlap; /* Of the compute, how much communication may hide behind; or */
	int64_t gamma;   /* Pollux: T = (comp^g + comm^g)^(1/g), in millionths. */
	int64_t sens;    /* In place of comp and bytes: communication's share of an iteration. */
	/* Files. */
	const char *fs;              /* The file system; NULL: the first. */
	int64_t read, write;         /* Before it begins, and after it is done; of all its nodes together. */
	int64_t read_each;           /* In each iteration, streamed. */
	const char *dataset, *image; /* Which a node may keep from the job before. */
	int64_t dataset_bytes, image_bytes; /* Read by each of its nodes. */
	/* Checkpoints. */
	int64_t checkpoint;       /* Bytes of one, of all its nodes together. */
	sl_time checkpoint_every; /* Of work between two; 0: never; SL_NONE: as the model says. */
	sl_time checkpoint_cost;  /* In place of bytes: so long it stands still. */
	int64_t checkpoint_async; /* 1: it goes on meanwhile. */
	/* Speed by size and by GPU. */
	const char *model;             /* Its row in tables of throughputs: "ResNet-18". */
	int64_t serial;                /* Amdahl: the share of its work that is serial. */
	int64_t parallelism, variance; /* Downey: A, sigma; millionths. */
	int64_t elastic;               /* enum sl_elastic */
	const char *evolves;           /* "600:8,1800:4": after so many seconds of work, so many tasks. */
	/* Power. */
	int64_t intensity; /* How hard it drives its GPUs (of a job without: its cpus). */
	/* Families and services. */
	const char *family; /* Trials of one search, replicas of one service; */
	int64_t member;     /* its number there, from 0. */
	int64_t score;      /* Of a trial, as it ends: millionths; less is better. */
	int64_t score_from; /* As it begins. */
	sl_time score_time; /* What it lacks halves in so long a time of work. */
	const char *serves; /* Of a replica: what its service is, for sl_serves_read. */
	sl_time since;      /* It was submitted so long after the service began. */
	int64_t retires;    /* The member that is cancelled once this one is ready. */
};
/* Nothing is said. */
SL_API void sl_profile_clear(struct sl_profile *profile);
/* Its members as columns of tables, by number; see schedlab-models(7). NULL, UINT32_MAX: there is none. */
enum { SL_PROFILE_COLUMNS = 34 };
SL_API const char *sl_profile_column(uint32_t column);
SL_API uint32_t sl_profile_find(const char *name, size_t len);
SL_API bool sl_profile_is_text(uint32_t column);
SL_API bool sl_profile_says(const struct sl_profile *profile, uint32_t column);
/* Sets the member from a cell of that column; a text is lent. NULL: it is set; else what it must be, for
 * messages. */
SL_API const char *sl_profile_take(struct sl_profile *profile, uint32_t column, const char *text);
/* The cell as it is read, into buffer where it is a number; NULL: nothing is said. */
SL_API const char *sl_profile_put(const struct sl_profile *profile, uint32_t column, char buffer[40]);
/* What `evolves` says: after so much work, in the job's run time as traced, so many tasks are requested. */
enum { SL_EVOLVES_MAX = 256 };
struct sl_evolution {
	sl_time work;
	uint32_t tasks;
};
/* "600:8,1800:4", ascending: how many; -1: it is no such list. */
SL_API int sl_evolves_read(const char *text, struct sl_evolution step[SL_EVOLVES_MAX]);
/* How many tasks are requested after that much work, 0: none yet. *next: the work at the next request,
 * SL_NEVER: none. */
SL_API uint32_t sl_evolves_by(const struct sl_evolution *step, int count, sl_time work, sl_time *next);
/* Fills members that are not set from the weaker profile. */
SL_API void sl_profile_over(struct sl_profile *profile, const struct sl_profile *weaker);

/* A service as its replicas' profiles state it (sl_profile.serves): keys with values, separated by ';'. Times
 * are seconds since it began, loads requests a second:
 *
 *   capacity=12;cold=90;until=86400;points=0:5,60:7.5      each so long after the one before
 *   capacity=12;cold=90;until=86400;step=60;phase=0;day=1,2,...;week=1,1,1,1,1,0.5,0.5
 *
 * Of a day's 24 hours the load goes straight from one to the next, and holds for a step; a day of the week
 * multiplies it. phase: the time of the week as the service began, from Monday's midnight. */
enum { SL_SERVES_TEXT_MAX = 60000, SL_SERVES_POINTS_MAX = 20000 };
struct sl_load_point {
	sl_time at;
	int64_t load; /* Millionths of a request a second. */
};
struct sl_serves {
	int64_t capacity;    /* Of one replica: millionths of a request a second. */
	sl_time cold, until; /* Time until it is ready; how long the service lasts. */
	struct sl_load_point *point;
	uint32_t points; /* 0: by day and week. */
	sl_time step, phase;
	int64_t day[24], week[7]; /* Millionths. */
};
/* NULL: it is read; else what is wrong with it. To be released in both cases. */
SL_API const char *sl_serves_read(struct sl_serves *serves, const char *text);
SL_API void sl_serves_release(struct sl_serves *serves);
/* The load so long after it began, in millionths, and until when it stays. */
SL_API int64_t sl_load_at(const struct sl_serves *serves, sl_time at, sl_time *until);

#endif
