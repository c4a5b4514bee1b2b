/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf.h - an operator's files of Slurm between what reads them and the sink.
 *
 * Whatever says it (slurm.conf, gres.conf, topology.conf, scontrol's texts, its JSON) becomes lines of keys
 * with values and places (conf_line). Settings patch lines; then lines become nodes, partitions and the rest,
 * once. A node is a name with a variant: nodes of one variant are alike. All of it goes with the arena.
 */
#ifndef TRACES_SLURM_CONF_H
#define TRACES_SLURM_CONF_H

#include "sim/plugin.h"

/* Bounds of what is read. */
enum {
	CONF_LINE_MAX = 1 << 16,    /* Bytes of a line with what continues it. */
	CONF_FILE_MAX = 1 << 28,    /* Bytes of a file. */
	CONF_DEPTH_MAX = 16,        /* Of Include. */
	CONF_FILES_MAX = 1000,      /* Read in all. */
	CONF_PAIRS_MAX = 1 << 22,   /* Keys in all. */
	CONF_LISTED_MAX = 20000000, /* Names of nodes in all lists together. */
	CONF_NAME_MAX = 255,        /* Of a partition, switch, licence or reservation. */
};

/* ---- Memory and text (conf_mem.c) ----------------------------------------------------------- */

struct conf_mem {
	struct sl_arena *arena; /* Made with the first. */
	bool failed;            /* Memory is out: said once, at the end of each step. */
};
/* Zeroed; NULL when memory is out. */
void *conf_alloc(struct conf_mem *mem, size_t count, size_t size);
char *conf_strdup(struct conf_mem *mem, const char *text, size_t len);
char *conf_printf(struct conf_mem *mem, const char *format, ...) SL_PRINTF(2, 3);
void conf_mem_release(struct conf_mem *mem);
bool conf_same(const char *a, const char *b); /* In any case; NULL is like nothing. */
bool conf_begins(const char *text, const char *word);
/* The next part of text up to one of these bytes, trimmed of blanks; *text goes behind it, NULL at the end.
 */
const char *conf_part(const char **text, const char *separators, size_t *len);

/* ---- Lines --------------------------------------------------------------------------------------- */

struct conf_pair {
	const char *key, *value;
	struct sl_place at; /* Of the key. */
	uint32_t column;    /* Of the value. */
	bool reported;      /* Its setting is out, or need not be. */
};

enum conf_kind {
	CONF_CLUSTER,
	CONF_NODE,
	CONF_PARTITION,
	CONF_DOWN,
	CONF_NODESET,
	CONF_GRES,
	CONF_SWITCH,
	CONF_BLOCK,
	CONF_RESERVATION,
	CONF_LICENSE,
	CONF_OTHER, /* Frontends and their like: reported, and left. */
	CONF_KINDS
};

struct conf_line {
	enum conf_kind kind;
	struct conf_pair *pair; /* The first names it, but for CONF_CLUSTER. */
	uint32_t count, capacity;
	const struct conf_line *fallback; /* What NodeName=DEFAULT said before it; NULL: nothing. */
	bool observed;                    /* Of scontrol: what is not known of it is no news. */
};

struct conf_lines {
	struct conf_line *line;
	size_t count, capacity, pairs;
};

/* ---- Nodes ------------------------------------------------------------------------------------------ */

/* What one NodeName line says of all its nodes. */
struct conf_entry {
	const struct conf_line *line;
	const char *hosts;     /* As written; NULL: of scontrol, one by one. */
	const char *signature; /* Of scontrol: what its nodes have in common; NULL else. */
	uint32_t variant;      /* As it is without anything else. */
};

/* An entry as some of its nodes have it: with these devices, in this state. */
struct conf_variant {
	uint32_t entry;
	uint32_t parent;              /* UINT32_MAX: none. */
	const struct conf_line *gres; /* Of gres.conf, beyond the parent's. */
	enum sl_node_state state;
	const char *reason;
	size_t step;                       /* Of the last that made a child of it, */
	uint32_t child;                    /* and that child. */
	uint32_t by_state[SL_NODE_STATES]; /* Children + 1; 0: none. */
	struct sl_hardware *hardware;      /* Made when it is first reported. */
	int64_t cpus, mem;
};

struct conf_node {
	const char *name;
	uint32_t variant;
	uint32_t entry;
	uint32_t rank; /* Where the topology orders nodes; 0 else. */
	bool gone;     /* A setting took it off its entry. */
	bool added;    /* A setting put it there, */
	bool anchor;   /* behind this one: it is wherever that is. */
};

struct conf_file {
	const char *path;
	struct sl_input *in;
	bool own; /* Opened by us. */
};

struct conf {
	struct conf_mem mem;
	struct sl_err *err;
	const struct sl_cluster_sink *sink;
	const struct sl_cluster_setting *setting;
	size_t setting_count;

	const char *folder; /* Where slurm.conf lies: "/etc/slurm/"; "": here. */
	const char *root;   /* --root: where names from the root are sought first; "": nowhere. */
	const char *chain[CONF_DEPTH_MAX + 1];
	uint32_t depth;
	struct conf_file *file;
	size_t file_count, file_capacity;

	struct conf_lines lines, gres, topology, further;
	struct conf_entry *entry;
	size_t entry_count, entry_capacity;
	struct conf_variant *variant;
	size_t variant_count, variant_capacity;
	struct conf_node *node; /* Sorted by name once they are all there. */
	size_t node_count, node_capacity;
	struct sl_map entry_map; /* Of entries by signature. */
	uint32_t *set;           /* NodeSet lines, of lines. */
	size_t set_count;
	size_t listed;  /* Names in lists so far. */
	uint32_t found; /* The node of a list that was looked up last. */
	size_t steps;
	unsigned suggestions; /* "Did you mean" that were looked for. */
	/* topology.yaml: its settings, and how its default topology is to be read. */
	struct sl_setting *yaml;
	size_t yaml_count, yaml_capacity;
	enum sl_topology yaml_topology;
	bool has_yaml;
	struct sl_cluster_spec spec;
	bool observed; /* It was scontrol that said it. */
	/* QOS and associations of the tables, by name, each once if it stands once; and whose they are. */
	struct conf_known {
		const char *name;
		bool qos;
	} * known;
	size_t known_count, known_capacity;
};

/* conf_lines.c */
struct conf_line *conf_line_new(struct conf *conf, struct conf_lines *lines, enum conf_kind kind);
bool conf_pair_add(
	struct conf *conf, struct conf_lines *lines, struct conf_line *line, const struct conf_pair *pair);
/* The last of that key in the line, else in its fallback; NULL: none. */
const struct conf_pair *conf_pair_of(const struct conf_line *line, const char *key);
const struct conf_pair *conf_pair_own(const struct conf_line *line, const char *key);
const char *conf_value_of(const struct conf_line *line, const char *key);
/* Of the cluster; the last one counts. */
const struct conf_pair *conf_global(const struct conf *conf, const char *key);
/* The value's own place. */
struct sl_place conf_at(const struct conf_pair *pair);
/* DEFAULT lines go into those behind them. */
int conf_defaults(struct conf *conf, enum conf_kind kind);
/* Sets or adds a pair, as --set says. */
int conf_patch(struct conf *conf, struct conf_line *line, const char *key, const char *value);
int conf_fail(const struct conf *conf, const struct conf_pair *pair, const char *format, ...) SL_PRINTF(3, 4);
bool conf_is_default(const struct conf_line *line);

/* conf_text.c: files of key=value lines. */
enum conf_dialect { CONF_SLURM, CONF_GRES_FILE, CONF_TOPOLOGY_FILE };
int conf_read_text(struct conf *conf, struct sl_input *in, enum conf_dialect dialect);
/* Opens and keeps a file, which is reported to the sink at its end. */
int conf_open(struct conf *conf, const char *path, struct sl_input **in);
int conf_close(struct conf *conf, struct sl_input *in);
/* All of a file, which must be text. */
int conf_text_of(struct conf *conf, struct sl_input *in, const char **text, const char **end);

/* conf_scontrol.c, conf_json.c: what scontrol shows. */
int conf_read_scontrol(struct conf *conf, struct sl_input *in, struct conf_lines *into);
bool conf_is_scontrol(const char *text, size_t len);
/* conf_sinfo.c: what sinfo prints. */
bool conf_is_sinfo(const char *text, size_t len);
int conf_read_sinfo(
	struct conf *conf, const char *file, const char *text, const char *end, struct conf_lines *into);
int conf_sinfo_json(struct conf *conf, const char *file, const struct sl_json *where, struct sl_doc *doc,
	struct conf_lines *into);
/* One JSON document at text; *end goes behind it. */
int conf_read_json(
	struct conf *conf, const char *file, const char *text, const char **end, struct conf_lines *into);

/* conf_value.c */
/* A whole number within 0..max; "INFINITE" and its like are SL_NONE. An absent pair leaves *value. */
int conf_number(const struct conf *conf, const struct conf_pair *pair, int64_t max, int64_t *value);
int conf_memory(const struct conf *conf, const struct conf_pair *pair, int64_t *mib);
/* Minutes, or Slurm's forms; "INFINITE" is SL_NEVER. */
int conf_minutes(const struct conf *conf, const struct conf_pair *pair, sl_time *value);
int conf_yes(const struct conf *conf, const struct conf_pair *pair, bool *value);
/* One of these words, as far as it goes ("DRAIN" in "DRAINED"); words end in NULL. */
int conf_choice(const struct conf *conf, const struct conf_pair *pair, const char *const *word, int *value);
/* "IDLE+DRAIN", "down*". False: a word of it is none. */
bool conf_state_of(const char *text, enum sl_node_state *state);
bool conf_size(const char *text, int64_t *value); /* "4G" of units: K, M, G, T, P by 1024 (KB by 1000). */
/* As s_p_handle_uint32 reads it: "12", "0x0c", "014", "2k". */
bool conf_whole(const char *text, int64_t *value);
/* Bits of "0-3,8", "[0-3]" or "0-6:2". NULL: it is none, or too large. */
const uint64_t *conf_cores(struct conf *conf, const char *text);

/* conf_keys.c */
/* Keys of which the same is to be said; names end in NULL. */
struct conf_key {
	enum conf_kind kind;
	enum sl_coverage coverage;
	const char *note;
	const char *const *name;
};
const struct conf_key *conf_key_find(enum conf_kind kind, const char *key);
/* The setting of a pair, as the table has it. */
int conf_report(
	struct conf *conf, enum conf_kind kind, const char *name, struct conf_pair *pair, bool observed);
#define CONF_BY_SLURM "slurm, hybrid"
#define CONF_BY_PLACE CONF_BY_SLURM ", place=slurm"
/* conf_options.c: SchedulerParameters, option by option. */
int conf_options_report(struct conf *conf, const char *text, struct sl_place at);
/* conf_words.c: words of other lists that nothing follows. */
int conf_words_report(struct conf *conf, const struct conf_pair *pair);
/* Is it one that Slurm knows? *similar: "did you mean 'bf_interval'?", or "". */
bool conf_option_known(struct conf *conf, const char *option, size_t len, const char **similar);
/* Has it a value that is a whole number, if it must be? */
bool conf_option_value(const char *option, size_t len);

/* conf_values.c: a value that the key cannot have: the word of it; whether Slurm refuses it; those that it
 * may be (NULL: a number). */
struct conf_bad {
	const char *word, *words;
	size_t len;
	bool refused;
};
bool conf_value_bad(enum conf_kind kind, const char *key, const char *value, struct conf_bad *bad);
#define CONF_NO_VALUE "no value that Slurm knows: passed over"
int conf_value_report(struct conf *conf, const char *kind, const char *name, const char *key,
	const struct conf_bad *bad, struct sl_place at);
/* An error, or reported, as it comes. */
int conf_value_check(struct conf *conf, enum conf_kind kind, const char *kind_name, const char *name,
	const struct conf_pair *pair);
int conf_report_line(struct conf *conf, struct conf_line *line);
/* What Slurm only warns of: a value that it does not take as it stands, with what it does instead. Reported
 * as not known: --strict refuses it. */
#define CONF_WARNED "only warned of by Slurm: "
int conf_report_warned(struct conf *conf, enum conf_kind kind, const char *name, const struct conf_pair *pair,
	const char *value, const char *note);
int conf_report_other(struct conf *conf, const struct sl_setting *setting);
/* "did you mean 'x'?", or "" */
const char *conf_suggest(struct conf *conf, const char *text, const char *const *known);

/* conf_nodes.c */
int conf_nodes_make(struct conf *conf);
int conf_nodes_report(struct conf *conf);
/* Row of a node; UINT32_MAX: there is none. */
uint32_t conf_node_find(const struct conf *conf, const char *name);
/* Names in a list that no NodeName has. */
enum conf_unknown {
	CONF_REFUSED,  /* slurmctld does not start. */
	CONF_REPORTED, /* It warns, and passes them over. */
	CONF_PASSED    /* Likewise; they are reported elsewhere. */
};
/* Each node of a list. what: "PartitionName=debug". */
int conf_each_node(struct conf *conf, const struct conf_pair *pair, const char *list, const char *what,
	int (*each)(void *self, struct conf *conf, uint32_t node), void *self);
/* Each that there is. kind, name: of the line, for what is reported of the others. */
int conf_each_known(struct conf *conf, const struct conf_pair *pair, const char *list, enum conf_kind kind,
	const char *name, enum conf_unknown unknown,
	int (*each)(void *self, struct conf *conf, uint32_t node), void *self);
/* States that lines of that kind say, over those of the nodes' entries. strict: of nodes that there are. */
int conf_states_apply(struct conf *conf, const struct conf_lines *lines, enum conf_kind kind);

/* conf_hardware.c */
int conf_hardware_make(struct conf *conf, uint32_t variant);
/* conf_gres.c */
int conf_gres_make(struct conf *conf, const struct conf_variant *variant, struct sl_hardware *hardware);

/* conf_partition.c */
int conf_partitions_report(struct conf *conf);
int conf_licenses_report(struct conf *conf);
/* The nodes that a list of a partition means: sets by name are spelled out. */
int conf_nodes_meant(struct conf *conf, const struct conf_pair *pair, const char **list);
/* Likewise of a switch: hosts that there are not are passed over, and reported. */
int conf_hosts_meant(struct conf *conf, const struct conf_line *line, const char **list);

/* conf_topology.c */
int conf_topology_rank(struct conf *conf);
int conf_topology_report(struct conf *conf);
/* conf_yaml.c */
int conf_yaml_read(struct conf *conf, const char *path);
int conf_yaml_report(struct conf *conf);
int conf_yaml_check(struct conf *conf); /* conf_yaml_check.c; nodes are known. */

/* conf_windows.c */
int conf_reservations_report(struct conf *conf);

/* conf_settings.c */
const char *conf_settings_root(const struct conf *conf); /* root=DIR; "": none. */
int conf_settings_lines(struct conf *conf);              /* conf., partition[]., nodes[]. */
int conf_settings_files(struct conf *conf);              /* accounts= and its like. */
int conf_settings_used(struct conf *conf);               /* What nobody took is an error. */
/* How many nodes the settings make of an entry of so many. */
int conf_settings_count(struct conf *conf, const struct conf_line *line, int64_t *count);

/* conf_accounts.c: tables of sacctmgr and sshare. */
enum conf_table { CONF_TABLE_ACCOUNTS, CONF_TABLE_QOS, CONF_TABLE_USAGE, CONF_TABLE_EVENTS };
int conf_read_table(struct conf *conf, struct sl_input *in, enum conf_table what);
/* A key of a QOS, else of an association, over what the table says. SL_USAGE: there is no such. */
int conf_table_set(struct conf *conf, bool qos, const char *name, const char *key,
	const struct sl_cluster_setting *setting);
/* conf_windows.c: a row of sacctmgr show event. */
struct conf_event {
	const char *node, *from, *until, *state, *reason;
	struct sl_place at;
};
int conf_event_report(struct conf *conf, const struct conf_event *event);

#endif
