/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_write.c - what any cluster reader says, as our cluster file: a sink that writes YAML or JSON.
 *
 * A reader may say things in any order; each section is kept as text until the end. What is written reads the
 * same again, so a second time gives the same bytes. What a field is by default is left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

enum section {
	SECTION_NODES,
	SECTION_PARTITIONS,
	SECTION_SWITCHES,
	SECTION_LICENSES,
	SECTION_RESERVATIONS,
	SECTION_SETTINGS,
	SECTIONS
};

static const char *const section_keys[SECTIONS] = { "nodes", "partitions", "switches", "licenses",
	"reservations", "settings" };

struct cluster_writing {
	struct sl_cluster_sink sink;
	bool json;
	char *name;
	struct sl_cluster_spec whole;
	int64_t pool; /* 0: nodes. */
	struct {
		FILE *file;
		char *text;
		size_t len;
		size_t entries;
	} section[SECTIONS];
};

/* A map that is being written: of the top's lists, or within one of their entries. */
struct pen {
	FILE *file;
	bool json;
	bool flow;  /* In braces, on one line. */
	bool begun; /* It has a key. */
};

/* ---- Texts ------------------------------------------------------------------------------------- */

static void put_quoted(FILE *file, const char *text)
{
	(void)fputc('"', file);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			(void)fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7F)
			(void)fprintf(file, "\\u%04x", c);
		else
			(void)fputc(c, file);
	}
	(void)fputc('"', file);
}

/* Whether YAML takes it without quotes, and everyone's YAML for the same text. */
static bool is_bare(const char *text, bool flow)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-:,[]()=@%";
	static const char *const words[] = { "true", "false", "yes", "no", "on", "off", "null" };
	const size_t len = strlen(text);
	const size_t first = strspn(text, letters);
	if (!len || first != len || strchr("._+-:,[]()=@%", text[0]) || text[len - 1] == ':')
		return false;
	if (flow && strpbrk(text, ":,[]"))
		return false;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return false;
	return true;
}

static void cluster_write_put_text(const struct pen *pen, const char *text)
{
	if (!pen->json && is_bare(text, pen->flow))
		(void)fputs(text, pen->file);
	else
		put_quoted(pen->file, text);
}

/* ---- Maps ---------------------------------------------------------------------------------------- */

/* YAML's lists begin on the next line: no blank behind the key. */
static bool is_list_below(const struct pen *pen, const char *key)
{
	return !pen->json && !pen->flow && strcmp(key, "gres") == 0;
}

static void put_key(struct pen *pen, const char *key)
{
	const char *before = pen->begun ? ", " : "{ ";
	if (!pen->flow && pen->json)
		before = pen->begun ? ",\n      " : "    { ";
	else if (!pen->flow)
		before = pen->begun ? "\n    " : "  - ";
	pen->begun = true;
	(void)fputs(before, pen->file);
	cluster_write_put_text(&(struct pen){ pen->file, pen->json, true, false }, key);
	(void)fputs(is_list_below(pen, key) ? ":" : ": ", pen->file);
}

static void cluster_write_put_number(struct pen *pen, const char *key, int64_t number)
{
	put_key(pen, key);
	(void)fprintf(pen->file, "%lld", (long long)number);
}

/* Whole numbers and words such as true are bare in JSON too. */
static void put_field(struct pen *pen, const struct sl_field *field, const void *base)
{
	char buffer[SL_FIELD_TEXT_MAX];
	const char *text = sl_field_text(field, base, buffer);
	const bool bare = field->kind == SL_FIELD_BOOL ||
			  ((field->kind == SL_FIELD_COUNT || field->kind == SL_FIELD_MILLI ||
				   field->kind == SL_FIELD_U32) &&
				  strcmp(text, "unlimited") != 0);
	put_key(pen, field->key);
	if (bare)
		(void)fputs(text, pen->file);
	else
		cluster_write_put_text(pen, text);
}

static void cluster_write_put_end(const struct pen *pen)
{
	if (pen->flow || pen->json)
		(void)fputs(pen->begun ? " }" : "{}", pen->file);
	else
		(void)fputc('\n', pen->file);
}

/* A pen for the next entry of a section. */
static struct pen entry_begin(struct cluster_writing *w, enum section section)
{
	if (w->section[section].entries++ && w->json)
		(void)fputs(",\n", w->section[section].file);
	return (struct pen){ w->section[section].file, w->json, false, false };
}

/* The fields of an entry, and what is by hand in between. */
static void put_entry(struct pen *pen, const struct sl_schema *schema, const void *base,
	void (*other)(struct pen *pen, const char *key, const void *base))
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct sl_field *field = &schema->field[i];
		if (field->kind == SL_FIELD_OTHER && other)
			other(pen, field->key, base);
		else if (sl_field_is_set(field, base))
			put_field(pen, field, base);
	}
	cluster_write_put_end(pen);
}

static int status_of(const struct pen *pen, struct sl_err *err)
{
	return ferror(pen->file) ? sl_fail_memory(err) : SL_OK;
}

/* ---- Nodes -------------------------------------------------------------------------------------- */

static void put_gpus(struct pen *pen, const struct sl_nodes_spec *spec)
{
	if (!spec->gpu_count)
		return;
	put_key(pen, "gpus");
	struct pen map = { pen->file, pen->json, true, false };
	for (size_t i = 0; i < spec->gpu_count; i++)
		cluster_write_put_number(&map, spec->gpu[i].type, spec->gpu[i].count);
	cluster_write_put_end(&map);
}

static void put_features(struct pen *pen, const struct sl_hardware *is)
{
	if (!is->feature_count)
		return;
	put_key(pen, "features");
	const struct pen item = { pen->file, pen->json, true, false };
	for (uint32_t i = 0; i < is->feature_count; i++) {
		(void)fputs(i ? ", " : "[", pen->file);
		cluster_write_put_text(&item, is->feature[i]);
	}
	(void)fputc(']', pen->file);
}

/* "0-15,32" */
static void cores_text(const uint64_t *bits, FILE *file)
{
	const char *before = "";
	for (unsigned core = 0; core < SL_CORES_MAX; core++) {
		unsigned last = core;
		if (!(bits[core / 64] >> (core % 64) & 1))
			continue;
		while (last + 1 < SL_CORES_MAX && (bits[(last + 1) / 64] >> ((last + 1) % 64) & 1))
			last++;
		(void)fprintf(file, "%s%u", before, core);
		if (last > core)
			(void)fprintf(file, "-%u", last);
		before = ",";
		core = last;
	}
}

static bool any_core(const uint64_t *bits)
{
	for (size_t i = 0; bits && i < CORE_WORDS; i++)
		if (bits[i])
			return true;
	return false;
}

static void put_gres_other(struct pen *pen, const char *key, const void *base)
{
	const struct sl_gres *gres = base;
	if (!any_core(gres->cores))
		return;
	put_key(pen, key);
	(void)fputc('"', pen->file);
	cores_text(gres->cores, pen->file);
	(void)fputc('"', pen->file);
}

static void put_gres(struct pen *pen, const struct sl_hardware *is)
{
	if (!is->gres_count)
		return;
	put_key(pen, "gres");
	(void)fputs(pen->json ? "[" : "", pen->file);
	for (uint32_t i = 0; i < is->gres_count; i++) {
		struct pen map = { pen->file, pen->json, true, false };
		(void)fputs(!pen->json ? "\n      - " : i ? ",\n        " : "\n        ", pen->file);
		put_entry(&map, &schema_gres, &is->gres[i], put_gres_other);
	}
	(void)fputs(pen->json ? " ]" : "", pen->file);
}

static void put_node_other(struct pen *pen, const char *key, const void *base)
{
	const struct node_entry *entry = base;
	if (strcmp(key, "gpus") == 0)
		put_gpus(pen, &entry->spec);
	else if (strcmp(key, "features") == 0)
		put_features(pen, &entry->hardware);
	else if (strcmp(key, "gres") == 0)
		put_gres(pen, &entry->hardware);
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	struct node_entry *entry = calloc(1, sizeof(*entry));
	if (!entry)
		return sl_fail(err, SL_SYSTEM, "out of memory for the cluster file");
	sl_schema_clear(&schema_nodes, entry);
	entry->spec = *spec;
	entry->cpus = spec->cpus * (CPU_PARTS / sl_parts(spec->parts));
	if (spec->hardware)
		entry->hardware = *spec->hardware;
	if (spec->hosts) {
		entry->spec.count = 1; /* They say how many. */
		if (spec->name && strcmp(spec->name, spec->hosts) == 0 &&
			strlen(spec->hosts) <= SL_FIELD_WORD_MAX)
			entry->spec.name = NULL;
	}
	struct pen pen = entry_begin(self, SECTION_NODES);
	put_entry(&pen, &schema_nodes, entry, put_node_other);
	free(entry);
	return status_of(&pen, err);
}

/* ---- The rest of the sink ------------------------------------------------------------------------ */

static int on_name(void *self, const char *name, struct sl_err *err)
{
	struct cluster_writing *w = self;
	free(w->name);
	w->name = strdup(name);
	return w->name ? SL_OK : sl_fail_memory(err);
}

static int on_pool(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err)
{
	struct cluster_writing *w = self;
	(void)at;
	(void)err;
	w->pool = cpus;
	return SL_OK;
}

static int on_whole(void *self, const struct sl_cluster_spec *spec, struct sl_err *err)
{
	struct cluster_writing *w = self;
	(void)err;
	w->whole = *spec;
	return SL_OK;
}

static int put_plain(struct cluster_writing *w, enum section section, const struct sl_schema *schema,
	const void *base, struct sl_err *err)
{
	struct pen pen = entry_begin(w, section);
	put_entry(&pen, schema, base, NULL);
	return status_of(&pen, err);
}

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return put_plain(self, SECTION_PARTITIONS, &schema_partition, spec, err);
}

static int on_switch(void *self, const struct sl_switch *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return put_plain(self, SECTION_SWITCHES, &schema_switch, spec, err);
}

static int on_license(
	void *self, const struct sl_license *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return put_plain(self, SECTION_LICENSES, &schema_license, spec, err);
}

static int on_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return put_plain(self, SECTION_RESERVATIONS, &schema_window, spec, err);
}

/* Entries, switches and partitions say it themselves; what is kept for policies may be more than they hold.
 */
static bool cluster_write_is_said(const struct sl_setting *setting)
{
	static const char *const kinds[] = { "node", "nodeset", "down", "gres", "switch" };
	static const char options[] = "SchedulerParameters."; /* The whole of them is a setting, too. */
	if (strncmp(setting->key, options, sizeof(options) - 1) == 0)
		return true;
	if (setting->kind && strcmp(setting->kind, "node") == 0 && is_model_node_key(setting->key))
		return false;
	for (size_t i = 0; setting->kind && i < SL_LEN(kinds); i++)
		if (strcmp(setting->kind, kinds[i]) == 0)
			return setting->coverage == SL_MODELLED || setting->coverage == SL_APPROXIMATED;
	return setting->kind && strcmp(setting->kind, "partition") == 0 && setting->coverage == SL_MODELLED &&
	       !setting->by;
}

static int on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	struct sl_setting is = *setting;
	if (cluster_write_is_said(setting))
		return SL_OK;
	if (is.kind && strcmp(is.kind, "cluster") == 0)
		is.kind = NULL;
	if (is.name && !is.name[0])
		is.name = NULL;
	is.value = is.value ? is.value : "";
	return put_plain(self, SECTION_SETTINGS, &schema_setting, &is, err);
}

/* ---- Beginning and end ---------------------------------------------------------------------------- */

int cluster_write_begin(struct cluster_writing **writing, const struct sl_cluster_sink **sink,
	const struct sl_plugin *registry, bool json, struct sl_err *err)
{
	struct cluster_writing *w = *writing = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail_memory(err);
	w->json = json;
	w->whole.mem_counts = true;
	w->sink = (struct sl_cluster_sink){ .self = w,
		.name = on_name,
		.pool = on_pool,
		.nodes = on_nodes,
		.window = on_window,
		.whole = on_whole,
		.partition = on_partition,
		.sw = on_switch,
		.license = on_license,
		.setting = on_setting,
		.registry = registry };
	*sink = &w->sink;
	for (size_t i = 0; i < SECTIONS; i++) {
		w->section[i].file = open_memstream(&w->section[i].text, &w->section[i].len);
		if (!w->section[i].file)
			return sl_fail_memory(err);
	}
	return SL_OK;
}

void cluster_write_free(struct cluster_writing *w)
{
	for (size_t i = 0; w && i < SECTIONS; i++) {
		if (w->section[i].file)
			(void)fclose(w->section[i].file);
		free(w->section[i].text);
	}
	free(w ? w->name : NULL);
	free(w);
}

/* Long texts are written in parts: there is a bound to what is put at once. */
static void put_out(struct sl_out *out, const char *text, size_t len)
{
	enum { PART = 1 << 14 };
	for (size_t done = 0; done < len;) {
		const size_t size = len - done < PART ? len - done : PART;
		char *p = sl_out_reserve(out, PART);
		memcpy(p, text + done, size);
		sl_out_advance(out, p + size);
		done += size;
	}
}

/* name, select and so on: "key: text", each on its line. */
static int put_head(const struct cluster_writing *w, FILE *file)
{
	const struct cluster_head head = { w->name, w->whole };
	const char *before = w->json ? "{\n  " : "";
	const struct pen pen = { file, w->json, false, false };
	char buffer[SL_FIELD_TEXT_MAX];
	for (size_t i = 0; i < schema_cluster.count; i++) {
		const struct sl_field *field = &schema_cluster.field[i];
		if (!sl_field_is_set(field, &head))
			continue;
		(void)fprintf(file, w->json ? "%s\"%s\": " : "%s%s: ", before, field->key);
		if (field->kind == SL_FIELD_BOOL)
			(void)fputs(sl_field_text(field, &head, buffer), file);
		else
			cluster_write_put_text(&pen, sl_field_text(field, &head, buffer));
		before = w->json ? ",\n  " : "\n";
	}
	if (w->pool) {
		(void)fprintf(
			file, w->json ? "%s\"cpus\": %lld" : "%scpus: %lld", before, (long long)w->pool);
		before = w->json ? ",\n  " : "\n";
	}
	(void)fputs(w->json ? "" : before, file);
	return before[0] == '{' || !before[0]; /* Nothing was said. */
}

int cluster_write_end(struct cluster_writing *w, struct sl_out *out, struct sl_err *err)
{
	char *head = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&head, &len);
	if (!file)
		return sl_fail_memory(err);
	const char *before = put_head(w, file) ? "{\n  " : ",\n  ";
	bool failed = fclose(file) != 0;
	for (size_t i = 0; i < SECTIONS; i++)
		failed = fflush(w->section[i].file) != 0 || ferror(w->section[i].file) || failed;
	if (!failed)
		put_out(out, head, len);
	for (size_t i = 0; i < SECTIONS && !failed; i++) {
		if (!w->section[i].entries)
			continue;
		if (w->json)
			sl_out_printf(out, "%s\"%s\": [\n", before, section_keys[i]);
		else
			sl_out_printf(out, "%s:\n", section_keys[i]);
		put_out(out, w->section[i].text, w->section[i].len);
		sl_out_text(out, w->json ? " ]" : "");
		before = ",\n  ";
	}
	sl_out_text(out, w->json ? "\n}\n" : "");
	free(head);
	return failed ? sl_fail_memory(err) : SL_OK;
}
