/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.h - readers and writers of traces, readers of clusters, generators of workloads. */
#ifndef SL_PLUGIN_TRACE_H
#define SL_PLUGIN_TRACE_H

#include "base.h"
#include "cluster.h"
#include "job.h"
#include "request.h"

struct sl_object;
struct sl_doc;

/* ---- Readers ---------------------------------------------------------------- */

/* Columns of a trace: the fields of SWF, in its order, in the units of this interface. */
enum sl_col {
	SL_COL_ID,        /* 1 */
	SL_COL_SUBMIT,    /* 2, us */
	SL_COL_WAIT,      /* 3, us */
	SL_COL_RUN,       /* 4, us */
	SL_COL_CPUS,      /* 5, allocated */
	SL_COL_CPU_TIME,  /* 6, us a cpu */
	SL_COL_MEM,       /* 7, KB a cpu */
	SL_COL_REQ_CPUS,  /* 8 */
	SL_COL_LIMIT,     /* 9, us */
	SL_COL_REQ_MEM,   /* 10, KB a cpu */
	SL_COL_STATUS,    /* 11 */
	SL_COL_USER,      /* 12 */
	SL_COL_GROUP,     /* 13 */
	SL_COL_APP,       /* 14 */
	SL_COL_QUEUE,     /* 15 */
	SL_COL_PARTITION, /* 16 */
	SL_COL_PREV,      /* 17 */
	SL_COL_THINK,     /* 18, us */
	SL_COL_COUNT
};

/* One group of a job; SL_NONE and NULL where the file says nothing. */
struct sl_row_group {
	int64_t tasks, tasks_min, tasks_max, tasks_per_node, nodes_min, nodes_max;
	int64_t cpus, mem, gpus; /* Of one task; memory in MiB. */
	const char *gpu_type;    /* "a100", or several: "a100|h100". */
	bool exclusive;
	uint32_t parts;  /* cpus and gpus are counted in so-manieths: 0 and 1: wholes, 1000: thousandths. */
	int64_t gpu_mem; /* MiB of one device, in place of gpus; 0 and SL_NONE: not said. */
	const char *mig; /* "3g.20gb", in place of gpus; NULL: none. */
};
/* For initializers: no bounds are said. */
#define SL_ROW_GROUP_NOTHING                                                                         \
	.tasks_min = SL_NONE, .tasks_max = SL_NONE, .tasks_per_node = SL_NONE, .nodes_min = SL_NONE, \
	.nodes_max = SL_NONE

/* What a row may have beyond SWF's fields. */
struct sl_row_attributes {
	const char *id;                         /* As spelled, where it is no number. */
	const char *user, *account, *partition; /* Names, in place of the numbers; NULL: unknown. */
	const char *gang;
	const struct sl_row_group *group;
	size_t group_count; /* 0: size tasks of one cpu. */
	/* In place of groups, as written to Slurm; several: the components of a heterogeneous job. */
	const struct sl_job_desc *desc;
	size_t desc_count;
	/* As of sl_job_attributes, whose engine's members stay 0; times as of submit. NULL: nothing. */
	const struct sl_job_attributes *job;
	sl_time cancel; /* When its user cancelled it, as of submit, waiting or running; 0 and SL_NONE: never.
			 */
	const int64_t *gpu_active; /* Of the GPU time that it held, how much it was active, in millionths;
				    * NULL: not known. */
	const struct sl_profile *profile; /* NULL: nothing is said. */
};

struct sl_row {
	int64_t col[SL_COL_COUNT]; /* SL_NONE where the file says unknown. */
	uint64_t line;             /* From 1. */
	const struct sl_row_attributes
		*more; /* NULL: nothing more. Lent for the call, with all that it points to. */
};

struct sl_input;

/* Where a reader puts what it reads. A nonzero return ends the reading, and the reader returns it. */
struct sl_sink {
	void *self;
	int (*job)(void *self, const struct sl_row *row, struct sl_err *err);
	/* A header line "key: value", in file order, keys as the file spells them; the key is "" for a
	 * comment without one, whose text is the value. */
	int (*header)(void *self, const char *key, const char *value, const struct sl_place *at,
		struct sl_err *err);
	/* An anomaly: a line that parses but makes no sense. cause is a short constant ("fewer than 18
	 * fields"), of which a plug-in may have eight of its own. Such lines are left out. Returns nonzero
	 * under --strict. */
	int (*anomaly)(void *self, const char *cause, const struct sl_place *at, struct sl_err *err);
	/* Either may be NULL in what a reader is handed. Before the first job, of a reader whose times are
	 * dates: submits are microseconds since 1970 by the log's own clock, and zero will be the first. */
	int (*dated)(void *self, struct sl_err *err);
	/* What the file has and nothing here models ("column 'gpu_util'"): said once, never an error. */
	int (*ignored)(void *self, const char *what, const struct sl_place *at, struct sl_err *err);
	/* A further file that was read: its hash goes into what identifies a run. Before it is closed, at its
	 * end. May be NULL. */
	int (*file)(void *self, struct sl_input *in, struct sl_err *err);
	/* A field of a job that was found, and how far it is followed, each once; for `inspect`. May be NULL.
	 */
	int (*setting)(void *self, const struct sl_setting *setting, struct sl_err *err);
};

/* Text of one input, decompressed by content (gzip, zstd, xz), read once, forward. */
SL_API int sl_input_open(struct sl_input **in, const char *path, struct sl_err *err); /* "-": stdin */
/* Where a file is that another one names: from the root, or from that one's folder. What a file names is
 * found by this alone: of files that a bundle has it stays in the bundle. False: it does not fit. */
SL_API bool sl_path_beside(char *path, size_t capacity, const char *file, const char *name);
SL_API void sl_input_close(struct sl_input *in);
SL_API const char *sl_input_name(const struct sl_input *in);
/* The next run of whole lines, [*text, *end); the last may lack its newline, and **end is one then. *text
 * is followed by at least 64 readable bytes after *end. Returns 1; 0 at the end; negative on failure (a
 * truncated stream, a line over 1 MiB). Lent until the next call. */
SL_API int sl_input_next(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
/* The same bytes will be returned again by the next sl_input_next. */
SL_API void sl_input_rewind(struct sl_input *in);
/* The first bytes, for sniffing the format; the next read begins with them too. A line may be cut.
 * Returns as sl_input_next. */
SL_API int sl_input_peek(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
/* All of it at once, in place of sl_input_next, for formats that have no lines: up to 1 GiB; **end is a zero.
 * Lent until the input is closed. 0, or negative. */
SL_API int sl_input_all(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
SL_API const char *sl_input_packing(const struct sl_input *in); /* "gzip", "zstd", "xz", "none" */
SL_API uint64_t sl_input_size(const struct sl_input *in);       /* Of the file as stored; 0: not known. */
SL_API uint64_t sl_input_bytes(const struct sl_input *in);      /* Of the file, consumed so far. */
SL_API const char *sl_input_sha256(struct sl_input *in); /* Of the file's bytes as stored; after the end. */

struct sl_reader {
	struct sl_abi abi;
	const char *name;    /* "swf" */
	const char *summary; /* One line, for `list`. */
	/* How certain that these first bytes are of its format: 0 no .. 100 yes. */
	int (*sniff)(const char *text, size_t len);
	int (*read)(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err);
};

/* ---- Clusters from files --------------------------------------------------------- */

/* Nodes that are alike: "n", count 3 are n1, n2, n3; "n", count 1 is n. */
struct sl_nodes_spec {
	const char *name;
	int64_t count;
	int64_t cpus, mem; /* MiB; SL_NONE: unbounded. */
	struct {
		const char *type; /* "gpu" where the file names none. */
		int64_t count;
	} gpu[8];
	size_t gpu_count;
	/* The names, in place of name and count: "dgx[0180-0189]". name is then what the entry is called by.
	 */
	const char *hosts;
	/* How they are built; NULL: not said. GPUs of its gres are not in gpu[] again. */
	const struct sl_hardware *hardware;
	uint32_t parts;  /* cpus are counted in so-manieths; 0 and 1: wholes. */
	uint32_t island; /* So many nodes in a row share an NVLink island; 0: each node has its own. */
};

struct sl_window_spec {
	const char *name;
	const char *nodes; /* Names as in the file ("n[1-4],m7", or the name of an entry); NULL: cpus of a
			      pool. */
	int64_t cpus;
	/* As replay.from takes times; until or, NULL there, the duration `length`. Without any: always. */
	const char *from, *until, *length;
	enum sl_window_kind kind;
	const char *users, *accounts, *flags; /* Flags DAILY, WEEKLY, WEEKDAY, WEEKEND, HOURLY repeat it. */
};

/* The whole cluster. */
struct sl_cluster_spec {
	enum sl_select select;
	enum sl_topology topology;
	bool mem_counts;
};

struct sl_doc;
struct sl_plugin;

struct sl_cluster_sink {
	void *self;
	int (*name)(void *self, const char *name, struct sl_err *err);
	int (*pool)(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err); /* Counted. */
	int (*nodes)(
		void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err);
	int (*window)(
		void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err);
	/* Any of these may be NULL in what a reader is handed. The engine's members of the structs are 0. */
	int (*whole)(void *self, const struct sl_cluster_spec *spec, struct sl_err *err);
	int (*partition)(
		void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err);
	int (*sw)(void *self, const struct sl_switch *spec, const struct sl_place *at, struct sl_err *err);
	int (*license)(
		void *self, const struct sl_license *spec, const struct sl_place *at, struct sl_err *err);
	int (*setting)(void *self, const struct sl_setting *setting, struct sl_err *err);
	/* A further file that was read: its hash goes into what identifies a run. Before it is closed, at its
	 * end. */
	int (*file)(void *self, struct sl_input *in, struct sl_err *err);
	/* Objects of Kubernetes, in the order of the file, all of this document. Its contents move to the
	 * sink, also on failure: it is empty then. */
	int (*objects)(void *self, struct sl_doc *doc, const struct sl_object *object, size_t count,
		struct sl_err *err);
	const struct sl_plugin *registry; /* What is known by name: models, types of nodes, models of MIG. */
};

/* A setting under "cluster." that the reader is to apply while it reads, in this order. */
struct sl_cluster_setting {
	const char
		*key; /* Without "cluster.": "nodes[gpu].count", with "+" or "-" behind it for += and -=. */
	const char *value;
	bool *used; /* Set when it was. */
};

struct sl_cluster_reader {
	struct sl_abi abi;
	const char *name; /* "yaml" */
	const char *summary;
	/* How certain that this is of its kind, by path and first bytes (none of a folder): 0..100. */
	int (*sniff)(const char *path, const char *text, size_t len);
	/* in: NULL for a folder. */
	int (*read)(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
		size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err);
};

/* ---- Writers --------------------------------------------------------------------- */

struct sl_writer {
	struct sl_abi abi;
	const char *name; /* "swf" */
	const char *summary;
	/* header: lines "key: value" to open with, NULL-ended pairs. */
	int (*begin)(struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err);
	int (*job)(struct sl_out *out, const struct sl_row *row, struct sl_err *err);
	bool names; /* It writes names; else rows have numbers in their place. */
	/* In place of begin, of a trace each of whose rows has more->job; else none has. NULL: there is
	 * nothing to write of that. */
	int (*begin_more)(
		struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err);
	bool dates; /* It writes dates: submits and all times as of submit are microseconds since 1970. */
	/* In place of both, of a trace each of whose rows has more->gpu_active (SL_NONE: not known), so that
	 * its groups may request memory or profiles of GPUs; else none has. says_more: each has more->job
	 * too. NULL: there is nothing to write of that. */
	int (*begin_gpus)(struct sl_out *out, const char *const (*header)[2], size_t count, bool says_more,
		struct sl_err *err);
	/* In place of all three, of a trace each of whose rows has more->profile; else none has. NULL: there
	 * is nothing to write of that. */
	int (*begin_profile)(struct sl_out *out, const char *const (*header)[2], size_t count, bool says_gpus,
		bool says_more, struct sl_err *err);
};

/* ---- Workload models --------------------------------------------------------- */

struct sl_generator {
	struct sl_abi abi;
	const char *name; /* "lublin" */
	const char *summary;
	const char *paper;
	const struct sl_param *params;
	size_t param_count;
	/* Emits header lines, then jobs in submit order. Same values, same bytes, anywhere. */
	int (*generate)(const struct sl_value *values, size_t count, uint64_t seed,
		const struct sl_sink *sink, struct sl_err *err);
};

#endif
