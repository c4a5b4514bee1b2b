/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_samples.c - what the samples of a comparison are: reported by the command, written into
 * compare.json, and used by whoever rereads its runs, so that one difference has one interval everywhere.
 *
 * Blocks are recut from the runs' jobs. Logs, seeds and windows are not in the folders of the runs: of these
 * nothing is said, but why.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare/compare.h"

/* ---- Blocks ---------------------------------------------------------------------------------------- */

int samples_cut(struct differences *differences, const char *blocks, struct sl_err *err)
{
	const sl_time day = 86400 * SL_SECOND;
	char *end = NULL;
	if (strcmp(blocks, "week") == 0) {
		differences_cut(differences, 7 * day, 0, "weeks");
		return SL_OK;
	}
	if (strcmp(blocks, "day") == 0) {
		differences_cut(differences, day, 0, "days");
		return SL_OK;
	}
	const unsigned long count = strspn(blocks, "0123456789") ? strtoul(blocks, &end, 10) : 0;
	if (!end || *end || count < 6 || count > 1000)
		return sl_fail(err, SL_USAGE,
			"--blocks takes 'week', 'day', or how many equal spans, from 6 to 1000; not '%.60s'",
			blocks);
	differences_cut(differences, 0, (unsigned)count, "equal spans");
	return SL_OK;
}

/* ---- Several logs ------------------------------------------------------------------------------------ */

int samples_logs(struct comparison *all, struct sl_err *err)
{
	const struct args *args = all->args;
	char(*sha256)[65] = sl_alloc(args->arena, args->word_count, sizeof(*sha256));
	all->log_sha256 = sl_alloc(args->arena, args->word_count, sizeof(*all->log_sha256));
	if (!sha256 || !all->log_sha256)
		return sl_fail_memory(err);
	for (size_t i = 0; i < args->word_count; i++) {
		if (strcmp(args->word[i], "-") == 0)
			continue;
		const int status = registry_hash(args->word[i], sha256[i], err);
		if (status)
			return status;
		all->log_sha256[i] = sha256[i];
		for (size_t k = 0; k < i; k++)
			if (all->log_sha256[k] && strcmp(sha256[k], sha256[i]) == 0)
				return sl_fail(err, SL_USAGE,
					"'%s' and '%s' are the same log: each log is a sample, give it once",
					args->word[k], args->word[i]);
	}
	return SL_OK;
}

/* ---- compare.json ------------------------------------------------------------------------------------ */

void samples_record(struct outdir *dir, const struct comparison *all)
{
	const char *blocks = arg(all->args, "blocks");
	const bool several = all->log || all->windows || arg(all->args, "reps");
	outdir_samples(dir, (struct outdir_samples){ .of = all->log                 ? "logs"
							   : all->windows           ? "windows"
							   : arg(all->args, "reps") ? "seeds"
							   : blocks                 ? "blocks"
										    : "batches",
				    .blocks = blocks,
				    .count = several ? all->each : 0,
				    .log = all->log,
				    .sha256 = all->log_sha256 });
}

/* Of the comparison that a run's folder stands in. */
struct sampled {
	char *folder;              /* Without links; NULL: in none. */
	const char *of;            /* NULL: it is not said. */
	const char *blocks, *word; /* word: the run, as it was given. */
	unsigned count;
};

static bool names_run(const struct sl_doc *record, const char *run)
{
	SL_DOC_EACH (item, record, sl_doc_member(record, record->node, "runs")) {
		const char *name = sl_doc_string(record, item);
		if (name && strcmp(name, run) == 0)
			return true;
	}
	return false;
}

static const char *compare_samples_text_in(
	const struct sl_doc *record, const char *path, struct sl_arena *arena)
{
	const char *text = sl_doc_string(record, sl_doc_at(record, record->node, path));
	return text ? sl_strdup(arena, text, strlen(text)) : NULL;
}

/* A record that is not ours, or does not name the run, says nothing. */
static int sampled_read(struct sampled *sampled, const char *path, const char *run, struct sl_arena *arena,
	struct sl_err *err)
{
	struct sl_doc record;
	double count;
	const int status = json_read(path, &record, err);
	const char *schema = status ? NULL : compare_samples_text_in(&record, "schema", arena);
	if (schema && strcmp(schema, "schedlab.compare/1") == 0 && names_run(&record, run)) {
		sampled->of = compare_samples_text_in(&record, "samples.of", arena);
		sampled->blocks = compare_samples_text_in(&record, "samples.blocks", arena);
		if (sl_doc_number(&record, sl_doc_at(&record, record.node, "samples.count"), &count) &&
			count > 0 && count < 1e9)
			sampled->count = (unsigned)count;
	} else {
		sampled->folder = NULL;
	}
	sl_doc_release(&record);
	return status;
}

static int sampled_of(struct sampled *sampled, const char *word, struct sl_arena *arena, struct sl_err *err)
{
	*sampled = (struct sampled){ .word = word };
	char *real = realpath(word, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	char *path = NULL;
	int status = SL_OK;
	if (slash && slash > real) {
		*slash = '\0';
		sampled->folder = sl_strdup(arena, real, strlen(real));
		if (!sampled->folder || asprintf(&path, "%s/compare.json", real) < 0)
			status = sl_fail_memory(err);
		else if (access(path, F_OK) == 0)
			status = sampled_read(sampled, path, slash + 1, arena, err);
		else
			sampled->folder = NULL;
	}
	free(path);
	free(real);
	return status;
}

/* "no interval here: ... of 7 logs" */
static int report_why(struct differences *differences, const struct sampled *first, struct sl_arena *arena,
	struct sl_err *err)
{
	char *text = NULL;
	const bool windows = strcmp(first->of, "windows") == 0;
	const bool logs = strcmp(first->of, "logs") == 0;
	const int length = windows ? asprintf(&text,
					     "no interval here, as these are means over %u windows: the "
					     "differences.csv beside the runs has those over the windows",
					     first->count)
				   : asprintf(&text,
					     "no interval here, as these are runs of the first of %u %s: the "
					     "differences.csv beside the runs has those over all %s",
					     first->count, logs ? "logs" : "seeds", logs ? "logs" : "seeds");
	const char *why = length < 0 ? NULL : sl_strdup(arena, text, (size_t)length);
	if (length >= 0)
		free(text);
	if (!why)
		return sl_fail_memory(err);
	differences_untold(differences, why);
	return SL_OK;
}

/* Another of the runs stands in the first's comparison. */
static int compare_samples_follow(struct differences *differences, const struct sampled *first,
	const char *const *word, size_t count, struct sl_arena *arena, struct sl_err *err)
{
	for (size_t i = 1; i < count; i++) {
		struct sampled other;
		const int status = sampled_of(&other, word[i], arena, err);
		if (status)
			return status;
		if (other.folder && strcmp(other.folder, first->folder) == 0)
			return report_why(differences, first, arena, err);
	}
	return SL_OK;
}

int samples_follow(struct differences *differences, const char *const *word, size_t count,
	struct sl_arena *arena, struct sl_err *err)
{
	struct sampled first;
	const int status = count > 1 ? sampled_of(&first, word[0], arena, err) : SL_OK;
	if (status || count < 2 || !first.folder || !first.of || strcmp(first.of, "batches") == 0)
		return status;
	if (strcmp(first.of, "blocks") != 0)
		return compare_samples_follow(differences, &first, word, count, arena, err);
	struct sl_err unknown = { 0 };
	if (first.blocks && samples_cut(differences, first.blocks, &unknown) == SL_OK)
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"%s/compare.json: 'samples' has no blocks that there are: write it anew", first.folder);
}
