/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_hardware.c - how the nodes of a variant are built: sockets, cores and threads, what is kept of them.
 *
 * What a line leaves open, and what does not add up, is settled as slurmctld does (read_config.c of 22.05).
 */
#include <string.h>

#include "traces/slurm/conf.h"

enum { COUNT_MAX = 65535 };

struct built {
	int64_t boards, sockets, cores, threads, cpus, kept;
};

/* A count, which is at least 1; false in *given: nothing was said. */
static int conf_hardware_count_of(const struct conf *conf, const struct conf_line *line, const char *key,
	int64_t *value, bool *given, int *status)
{
	const struct conf_pair *pair = conf_pair_of(line, key);
	if (given)
		*given = pair != NULL;
	if (!pair || *status)
		return *status;
	*status = conf_number(conf, pair, COUNT_MAX, value);
	if (*value < 1) /* 0, which slurmctld takes for 1, and INFINITE. */
		*value = 1;
	return *status;
}

static int conf_hardware_note(
	struct conf *conf, const struct conf_pair *pair, const char *name, const char *why)
{
	return conf_report_other(conf, &(struct sl_setting){ "node", name, pair->key, pair->value, pair->at,
					       SL_APPROXIMATED, why, NULL });
}

/* Sockets, where they are not said. */
static void sockets_of(struct built *b, bool cpus_given, bool per_board_given, int64_t per_board)
{
	const int64_t each = b->cores * b->threads;
	if (per_board_given)
		b->sockets = b->boards * per_board;
	else if (cpus_given && b->cpus >= each && b->cpus % each == 0)
		b->sockets = b->cpus / each;
	else
		b->sockets = b->boards;
}

static int processors(struct conf *conf, const struct conf_line *line, struct built *b)
{
	int64_t per_board = 1;
	bool has_cpus;
	bool has_procs = false;
	bool has_sockets;
	bool has_per_board;
	int status = SL_OK;
	*b = (struct built){ 1, 1, 1, 1, 1, 0 };
	(void)conf_hardware_count_of(conf, line, "Boards", &b->boards, NULL, &status);
	(void)conf_hardware_count_of(conf, line, "CoresPerSocket", &b->cores, NULL, &status);
	(void)conf_hardware_count_of(conf, line, "ThreadsPerCore", &b->threads, NULL, &status);
	(void)conf_hardware_count_of(conf, line, "CPUs", &b->cpus, &has_cpus, &status);
	if (!has_cpus)
		(void)conf_hardware_count_of(conf, line, "Procs", &b->cpus, &has_procs, &status);
	(void)conf_hardware_count_of(conf, line, "Sockets", &b->sockets, &has_sockets, &status);
	(void)conf_hardware_count_of(conf, line, "SocketsPerBoard", &per_board, &has_per_board, &status);
	has_cpus |= has_procs;
	if (status)
		return status;
	if (!has_sockets || has_per_board)
		sockets_of(b, has_cpus, has_per_board, per_board);
	const int64_t all = b->sockets * b->cores * b->threads;
	if (!has_cpus)
		b->cpus = all;
	if (b->sockets < b->boards)
		b->boards = 1;
	if (b->cpus != b->sockets && b->cpus != b->sockets * b->cores && b->cpus != all) {
		const struct conf_pair *pair = conf_pair_of(line, has_procs ? "Procs" : "CPUs");
		b->cpus = all;
		status = conf_hardware_note(conf, pair, line->pair[0].value,
			"is neither the sockets nor their cores nor their threads: as in Slurm, the product counts");
	}
	/* A cpu is a thread, or all of a core, or all of a socket. */
	if (b->cpus == b->sockets * b->cores)
		b->threads = 1;
	else if (b->cpus == b->sockets && b->cpus != all)
		b->cores = b->threads = 1;
	return status;
}

/* CPUs of CPUSpecList, as cores. */
static int64_t listed_cores(struct conf *conf, const struct conf_pair *pair, int64_t threads)
{
	const uint64_t *bits = conf_cores(conf, pair->value);
	int64_t count = 0;
	for (int i = 0; bits && i < SL_CORES_MAX; i++)
		count += (int64_t)(bits[i / 64] >> i % 64 & 1);
	return (count + threads - 1) / threads;
}

static int kept(struct conf *conf, const struct conf_line *line, struct built *b)
{
	const struct conf_pair *count = conf_pair_of(line, "CoreSpecCount");
	const struct conf_pair *list = conf_pair_of(line, "CPUSpecList");
	int status = conf_number(conf, count, COUNT_MAX, &b->kept);
	if (b->kept == SL_NONE)
		b->kept = 0;
	if (!status && list && !conf_same(list->value, "(null)"))
		b->kept = listed_cores(conf, list, b->threads);
	const int64_t cores = b->sockets * b->cores;
	if (b->kept >= cores) /* As slurmctld: all of them cannot be. */
		b->kept = cores > 1;
	return status;
}

static int features(struct conf *conf, const struct conf_line *line, struct sl_hardware *hardware)
{
	enum { FEATURES_MAX = 1000 };
	const struct conf_pair *pair = conf_pair_own(line, "Feature");
	if (!pair)
		pair = conf_pair_own(line, "Features");
	if (!pair)
		pair = conf_pair_of(line, "Feature");
	if (!pair)
		pair = conf_pair_of(line, "Features");
	if (!pair || conf_same(pair->value, "(null)"))
		return SL_OK;
	size_t count = 1;
	for (const char *p = pair->value; *p; p++)
		count += *p == ',';
	if (count > FEATURES_MAX)
		return conf_fail(conf, pair, "more than %d features on one node", FEATURES_MAX);
	const char **feature = conf_alloc(&conf->mem, count, sizeof(*feature));
	if (!feature)
		return sl_fail_memory(conf->err);
	const char *text = pair->value;
	for (size_t len; text;) {
		const char *part = conf_part(&text, ",", &len);
		if (!len)
			continue;
		feature[hardware->feature_count] = conf_strdup(&conf->mem, part, len);
		if (!feature[hardware->feature_count++])
			return sl_fail_memory(conf->err);
	}
	hardware->feature = feature;
	return SL_OK;
}

static int memory(struct conf *conf, const struct conf_line *line, struct conf_variant *variant,
	struct sl_hardware *hardware)
{
	const struct conf_pair *real = conf_pair_of(line, "RealMemory");
	/* slurmctld takes 1 MiB where nothing is said; where memory is not given out, that says nothing. */
	variant->mem = conf->spec.mem_counts ? 1 : SL_NONE;
	int status = conf_memory(conf, real, &variant->mem);
	if (!status)
		status = conf_memory(conf, conf_pair_of(line, "MemSpecLimit"), &hardware->mem_kept);
	if (!status)
		status = conf_memory(conf, conf_pair_of(line, "TmpDisk"), &hardware->tmp_disk);
	if (status)
		return status;
	if (hardware->tmp_disk == SL_NONE)
		hardware->tmp_disk = 0;
	if (hardware->mem_kept == SL_NONE || variant->mem == SL_NONE || hardware->mem_kept >= variant->mem)
		hardware->mem_kept = 0;
	if (variant->mem != SL_NONE)
		variant->mem -= hardware->mem_kept;
	return SL_OK;
}

int conf_hardware_make(struct conf *conf, uint32_t row)
{
	struct conf_variant *variant = &conf->variant[row];
	const struct conf_line *line = conf->entry[variant->entry].line;
	struct built b;
	if (variant->hardware)
		return SL_OK;
	struct sl_hardware *hardware = conf_alloc(&conf->mem, 1, sizeof(*hardware));
	if (!hardware)
		return sl_fail_memory(conf->err);
	hardware->weight = 1;
	int status = processors(conf, line, &b);
	if (!status && b.sockets * b.cores > SL_CORES_MAX)
		status = conf_fail(conf, line->pair, "a node of %lld cores: at most %d are known",
			(long long)b.sockets * b.cores, SL_CORES_MAX);
	if (!status)
		status = kept(conf, line, &b);
	if (!status)
		status = memory(conf, line, variant, hardware);
	if (!status)
		status = conf_number(conf, conf_pair_of(line, "Weight"), UINT32_MAX, &hardware->weight);
	if (hardware->weight == SL_NONE)
		hardware->weight = UINT32_MAX - 1;
	if (!status)
		status = features(conf, line, hardware);
	if (status)
		return status;
	variant->cpus = b.cpus;
	hardware->boards = (uint32_t)b.boards;
	hardware->sockets = (uint32_t)b.sockets;
	hardware->cores = (uint32_t)b.cores;
	hardware->threads = (uint32_t)b.threads;
	hardware->cores_kept = (uint32_t)b.kept;
	hardware->state = variant->state;
	hardware->state_reason = variant->reason;
	status = conf_gres_make(conf, variant, hardware);
	variant->hardware = hardware;
	return status;
}
