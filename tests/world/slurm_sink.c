/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_sink.c - see slurm_sink.h. Each test is a process of its own, with a folder of its own.
 */
#include "tests/world/slurm_sink.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/registry/registry.h"
#include "tests/world/builtin_registry.h"

enum { SETTINGS_MAX = 2000 };

static struct {
	char folder[64], path[128];
	char text[20000], said[2000];
	size_t len, files;
	struct {
		char kind[40], name[100], key[100], value[200], note[200];
		int coverage;
	} setting[SETTINGS_MAX];
	size_t count;
	struct sl_err err;
} seen;

static void folder_gone(void)
{
	DIR *folder = seen.folder[0] ? opendir(seen.folder) : NULL;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		(void)closedir(folder);
	(void)rmdir(seen.folder);
}

const char *file_beside(const char *name, const char *text)
{
	static char path[200];
	if (!seen.folder[0]) {
		memcpy(seen.folder, "/tmp/slurm-conf-XXXXXX", 23);
		cr_assert(mkdtemp(seen.folder) != NULL);
		cr_assert_eq(atexit(folder_gone), 0);
	}
	(void)snprintf(path, sizeof(path), "%s/%s", seen.folder, name);
	FILE *file = fopen(path, "w");
	cr_assert(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fclose(file) == 0);
	return path;
}

static void put(const char *format, ...) SL_PRINTF(1, 2);
static void put(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	seen.len += (size_t)vsnprintf(seen.text + seen.len, sizeof(seen.text) - seen.len, format, args);
	va_end(args);
	cr_assert_lt(seen.len, sizeof(seen.text));
}

static int on_name(void *self, const char *name, struct sl_err *err)
{
	(void)self;
	(void)err;
	put("name %s\n", name);
	return 0;
}

static int on_whole(void *self, const struct sl_cluster_spec *spec, struct sl_err *err)
{
	static const char *const topology[] = { "none", "tree", "block" };
	(void)self;
	(void)err;
	if (spec->topology || spec->select != SL_SELECT_CORES)
		put("whole %s %s%s\n", spec->select == SL_SELECT_LINEAR ? "linear" : "cores",
			topology[spec->topology], spec->mem_counts ? " mem" : "");
	return 0;
}

static void put_gres(const struct sl_gres *gres)
{
	put(" %s:%s:%" PRId64 "%s", gres->name, gres->type ? gres->type : "", gres->count,
		gres->no_consume ? ":no_consume" : "");
	if (gres->cores)
		put("@%02" PRIx64, gres->cores[0]);
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	static const char *const state[] = { "", " drain", " down", " maint", " powered_down", " planned",
		" future" };
	const struct sl_hardware *h = spec->hardware;
	(void)self;
	cr_assert_eq(sl_hosts_count(spec->hosts, strlen(spec->hosts), at, err), spec->count);
	cr_assert(at->file && spec->name);
	put("nodes %s %" PRId64 "c ", spec->hosts, spec->cpus);
	if (spec->mem == SL_NONE || spec->mem == 1)
		put("-m"); /* Nothing was said. */
	else
		put("%" PRId64 "m", spec->mem);
	put(" %ub%us%uc%ut", h->boards, h->sockets, h->cores, h->threads);
	if (h->cores_kept || h->mem_kept)
		put(" kept %uc%" PRId64 "m", h->cores_kept, h->mem_kept);
	if (h->tmp_disk)
		put(" tmp %" PRId64, h->tmp_disk);
	if (h->weight != 1)
		put(" weight %" PRId64, h->weight);
	for (uint32_t i = 0; i < h->feature_count; i++)
		put("%s%s%s", i ? "," : " [", h->feature[i], i + 1 == h->feature_count ? "]" : "");
	for (uint32_t i = 0; i < h->gres_count; i++)
		put_gres(&h->gres[i]);
	put("%s", state[h->state]);
	if (h->state_reason)
		put(" '%s'", h->state_reason);
	put("\n");
	return 0;
}

static void put_number(const char *word, int64_t value)
{
	if (value != SL_NONE)
		put(" %s %" PRId64, word, value);
}

static void put_pair(const char *word, int64_t a, int64_t b)
{
	if (a != SL_NONE || b != SL_NONE)
		put(" %s %" PRId64 "/%" PRId64, word, a == SL_NONE ? 0 : a, b == SL_NONE ? 0 : b);
}

static int on_partition(
	void *self, const struct sl_partition *p, const struct sl_place *at, struct sl_err *err)
{
	static const char *const state[] = { "", " down", " drain", " inactive" };
	(void)self;
	(void)err;
	cr_assert(at->file != NULL);
	put("part %s %s%s", p->name, p->nodes ? p->nodes : "-", p->is_default ? " default" : "");
	if (p->max_time != SL_NEVER)
		put(" max %" PRId64, p->max_time / SL_SECOND);
	if (p->default_time != SL_NONE)
		put(" time %" PRId64, p->default_time / SL_SECOND);
	put_number("min", p->nodes_min);
	put_number("nodes", p->nodes_max);
	if (p->tier != 1)
		put_number("tier", p->tier);
	if (p->job_factor != 1)
		put_number("factor", p->job_factor);
	put_number("cpn", p->cpus_per_node_max);
	put_pair("mem", p->mem_per_node, p->mem_per_cpu);
	put_pair("memmax", p->mem_per_node_max, p->mem_per_cpu_max);
	put_number("mpg", p->mem_per_gpu);
	put_number("cpg", p->cpus_per_gpu);
	if (p->share == SL_SHARE_FORCE || p->share == SL_SHARE_YES)
		put(" %s:%" PRId64, p->share == SL_SHARE_FORCE ? "force" : "yes", p->shares);
	put("%s%s%s%s%s%s\n", p->share == SL_SHARE_EXCLUSIVE ? " exclusive" : "", state[p->state],
		p->hidden ? " hidden" : "", p->root_only ? " root" : "", p->exclusive_user ? " user" : "",
		p->least_loaded ? " lln" : "");
	return 0;
}

static int on_switch(void *self, const struct sl_switch *sw, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	(void)err;
	put("switch %s %s %s\n", sw->name, sw->nodes ? sw->nodes : "-", sw->switches ? sw->switches : "-");
	return 0;
}

static int on_license(
	void *self, const struct sl_license *license, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	(void)err;
	put("license %s %" PRId64 "\n", license->name, license->total);
	return 0;
}

static int on_window(
	void *self, const struct sl_window_spec *w, const struct sl_place *at, struct sl_err *err)
{
	static const char *const kind[] = { "reserved", "maint", "outage", "state" };
	(void)self;
	(void)at;
	(void)err;
	put("window %s: %s %s %s-%s%s%s%s%s%s%s%s\n", w->name, kind[w->kind], w->nodes, w->from,
		w->until ? w->until : "+", w->length ? w->length : "", w->users ? " users " : "",
		w->users ? w->users : "", w->accounts ? " accounts " : "", w->accounts ? w->accounts : "",
		w->flags ? " " : "", w->flags ? w->flags : "");
	return 0;
}

static int on_setting(void *self, const struct sl_setting *s, struct sl_err *err)
{
	(void)self;
	(void)err;
	cr_assert_lt(seen.count, SETTINGS_MAX);
	(void)snprintf(seen.setting[seen.count].kind, sizeof(seen.setting[0].kind), "%s", s->kind);
	(void)snprintf(seen.setting[seen.count].name, sizeof(seen.setting[0].name), "%s", s->name);
	(void)snprintf(seen.setting[seen.count].key, sizeof(seen.setting[0].key), "%s", s->key);
	(void)snprintf(seen.setting[seen.count].value, sizeof(seen.setting[0].value), "%s", s->value);
	(void)snprintf(seen.setting[seen.count].note, sizeof(seen.setting[0].note), "%s",
		s->note ? s->note
		: s->by ? s->by
			: "");
	seen.setting[seen.count++].coverage = (int)s->coverage;
	return 0;
}

static int on_file(void *self, struct sl_input *in, struct sl_err *err)
{
	(void)self;
	(void)err;
	seen.files++;
	cr_assert(strlen(sl_input_sha256(in)) == 64, "%s is told of before its end", sl_input_name(in));
	return 0;
}

static const struct sl_cluster_reader *reader_of(const char *name)
{
	const struct sl_cluster_reader *const *reader = builtin_registry()->known.cluster_readers;
	while (*reader && strcmp((*reader)->name, name) != 0)
		reader++;
	cr_assert(*reader != NULL);
	return *reader;
}

static int read_as(const char *name, const char *text, const char *const *settings)
{
	static const struct sl_cluster_sink sink = { .name = on_name,
		.nodes = on_nodes,
		.window = on_window,
		.whole = on_whole,
		.partition = on_partition,
		.sw = on_switch,
		.license = on_license,
		.setting = on_setting,
		.file = on_file };
	const struct sl_cluster_reader *reader = reader_of(name);
	struct sl_cluster_setting setting[20];
	bool used[20] = { false };
	char key[20][100];
	size_t count = 0;
	seen.len = seen.count = seen.files = 0;
	seen.text[0] = '\0';
	seen.err = (struct sl_err){ 0 };
	(void)snprintf(seen.path, sizeof(seen.path), "%s", file_beside("slurm.conf", text));
	for (; settings && settings[count]; count++) {
		const char *equals = strchr(settings[count], '=');
		(void)snprintf(
			key[count], sizeof(key[0]), "%.*s", (int)(equals - settings[count]), settings[count]);
		setting[count] = (struct sl_cluster_setting){ key[count], equals + 1, &used[count] };
	}
	struct sl_input *in;
	cr_assert_eq(sl_input_open(&in, seen.path, &seen.err), 0);
	const char *peek;
	const char *end;
	if (sl_input_peek(in, &peek, &end, &seen.err) == 1)
		cr_expect_gt(reader->sniff(seen.path, peek, (size_t)(end - peek)), -1);
	const int status = reader->read(seen.path, in, setting, count, &sink, &seen.err);
	sl_input_close(in);
	cr_assert_eq(status, seen.err.status);
	for (size_t i = 0; i < count; i++)
		cr_expect(status || used[i], "%s was not used", key[i]);
	return status;
}

int read_conf(const char *text, const char *const *settings) { return read_as("slurm", text, settings); }

int read_scontrol(const char *text, const char *const *settings)
{
	return read_as("scontrol", text, settings);
}

const char *reported(void) { return seen.text; }

/* The path is another in each run. */
const char *said(void)
{
	const size_t len = strlen(seen.path);
	char *out = seen.said;
	for (const char *p = seen.err.text; *p;) {
		const bool path = len && strncmp(p, seen.path, len) == 0;
		*out++ = path ? '@' : *p;
		p += path ? len : 1;
	}
	*out = '\0';
	return seen.said;
}

static size_t find(const char *kind, const char *name, const char *key)
{
	for (size_t i = seen.count; i-- > 0;)
		if (strcmp(seen.setting[i].kind, kind) == 0 && strcmp(seen.setting[i].name, name) == 0 &&
			strcmp(seen.setting[i].key, key) == 0)
			return i;
	return SIZE_MAX;
}

const char *setting(const char *kind, const char *name, const char *key)
{
	const size_t at = find(kind, name, key);
	return at == SIZE_MAX ? "" : seen.setting[at].value;
}

const char *note(const char *kind, const char *name, const char *key)
{
	const size_t at = find(kind, name, key);
	return at == SIZE_MAX ? "" : seen.setting[at].note;
}

int coverage(const char *kind, const char *name, const char *key)
{
	const size_t at = find(kind, name, key);
	return at == SIZE_MAX ? -1 : seen.setting[at].coverage;
}

size_t files_reported(void) { return seen.files; }

void expect_reported_set(const char *text, const char *const *settings, const char *want)
{
	cr_expect_eq(read_conf(text, settings), 0, "%s\nof\n%s", said(), text);
	cr_expect_str_eq(reported(), want, "got:\n%s\nwant:\n%s\nof\n%s", reported(), want, text);
}

void expect_reported(const char *text, const char *want) { expect_reported_set(text, NULL, want); }

void expect_error_set(const char *text, const char *const *settings, const char *want)
{
	cr_expect_neq(read_conf(text, settings), 0, "told: %s\nof\n%.200s", reported(), text);
	const char *got = said();
	const size_t folder = strlen(seen.folder);
	if (*got == '@')
		got++;
	else if (*want == '/' && strncmp(got, seen.folder, folder) == 0)
		got += folder;
	cr_expect_str_eq(got, want, "got:  %s\nwant: %s\nof\n%.200s", got, want, text);
}

void expect_error(const char *text, const char *want) { expect_error_set(text, NULL, want); }

void expect_error_ends(const char *text, const char *has, const char *ends)
{
	cr_expect_neq(read_conf(text, NULL), 0);
	const size_t len = strlen(said());
	cr_expect(strstr(said(), has) != NULL, "%s", said());
	cr_expect(len >= strlen(ends) && strcmp(said() + len - strlen(ends), ends) == 0, "%s", said());
}
