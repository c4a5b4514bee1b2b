/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_text.c - files of KEY=VALUE lines, as Slurm reads them: slurm.conf(5).
 *
 * Of each line first what is behind a '#' goes; a backslash at its end then joins the next to it; further
 * backslashes keep the character behind them. Places are those of the file, whatever was joined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/slurm/conf.h"

enum { PATH_CAPACITY = 4096 };

enum { SEGMENTS_MAX = 4096 };

/* From here on in the joined line, text stands there in the file. */
struct segment {
	uint32_t offset, column;
	uint64_t line;
};

struct text {
	struct conf *conf;
	enum conf_dialect dialect;
	const char *file;
	const char *p, *end; /* What is not read yet. */
	uint64_t line;       /* That begins at p. */
	char *joined;        /* CONF_LINE_MAX + 1 bytes. */
	size_t len;
	struct segment *segment;
	size_t segment_count, segment_capacity;
};

static struct sl_place conf_text_place_of(const struct text *text, size_t offset)
{
	size_t low = 0; /* The last segment that begins at offset or before. */
	size_t high = text->segment_count;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		*(text->segment[middle].offset <= offset ? &low : &high) = middle;
	}
	const struct segment *segment = &text->segment[low];
	return (struct sl_place){ text->file, segment->line,
		segment->column + (uint32_t)(offset - segment->offset) };
}

/* ---- Joining ----------------------------------------------------------------------------------- */

static bool conf_text_put(struct text *text, const char *from, const char *line_start, size_t len)
{
	if (SL_GROW(text->segment, text->segment_capacity, text->segment_count + 1, NULL))
		return false;
	text->segment[text->segment_count++] = (struct segment){
		.offset = (uint32_t)text->len, .column = (uint32_t)(from - line_start) + 1, .line = text->line
	};
	memcpy(text->joined + text->len, from, len);
	text->len += len;
	return true;
}

/* Where the comment begins, or the line ends: a '#' behind an even number of backslashes. */
static const char *comment_at(const char *p, const char *end)
{
	bool escaped = false;
	for (; p < end; p++) {
		if (*p == '#' && !escaped)
			return p;
		escaped = *p == '\\' && !escaped;
	}
	return end;
}

/* Takes the blanks and the backslash at the end off, if it ends in one (of an odd number). */
static bool continues(const char *p, const char **end)
{
	const char *q = *end;
	while (q > p && (q[-1] == ' ' || q[-1] == '\t' || q[-1] == '\r'))
		q--;
	size_t slashes = 0;
	while (q - slashes > p && q[-1 - (ptrdiff_t)slashes] == '\\')
		slashes++;
	if (slashes % 2 == 0)
		return false;
	*end = q - 1;
	return true;
}

/* Without the backslashes that keep what is behind them. */
static int put_plain(struct text *text, const char *p, const char *end, const char *line_start)
{
	bool capacity = true;
	while (p < end && capacity) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		const char *stop = slash ? slash : end;
		/* The first character behind a backslash is as it is. */
		if (slash == p) {
			p++;
			slash = end - p > 1 ? memchr(p + 1, '\\', (size_t)(end - p - 1)) : NULL;
			stop = slash ? slash : end;
		}
		capacity = p >= stop || conf_text_put(text, p, line_start, (size_t)(stop - p));
		p = stop;
	}
	return capacity ? SL_OK : sl_fail_memory(text->conf->err);
}

/* The next line with all that continues it. 1; 0: there is none. */
static int next_joined(struct text *text)
{
	text->len = 0;
	text->segment_count = 0;
	for (bool more = true; more && text->p < text->end;) {
		const char *start = text->p;
		const char *newline = memchr(start, '\n', (size_t)(text->end - start));
		const char *stop = newline ? newline : text->end;
		const char *end = comment_at(start, stop);
		more = end == stop && continues(start, &end);
		const struct sl_place at = { text->file, text->line, 1 };
		if (text->len + (size_t)(end - start) > CONF_LINE_MAX || text->segment_count > SEGMENTS_MAX)
			return sl_fail_at(text->conf->err, &at,
				"a line with what continues it is longer than 64 KiB: part it");
		const int status = put_plain(text, start, end, start);
		if (status)
			return status;
		text->p = newline ? newline + 1 : text->end;
		text->line++;
		if (!text->len && !more)
			more = true; /* Nothing in it: the next one, then. */
	}
	text->joined[text->len] = '\0';
	return text->len > 0;
}

/* ---- Keys and values ----------------------------------------------------------------------------- */

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '.';
}

static bool conf_text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static size_t skip_blanks(const struct text *text, size_t at)
{
	while (at < text->len && conf_text_is_blank(text->joined[at]))
		at++;
	return at;
}

/* The value from *at on, without its quotes; *at goes behind it. */
static int value_at(
	struct text *text, const char *key, size_t *at, const char **value, struct sl_place *place)
{
	const char *line = text->joined;
	size_t from = skip_blanks(text, *at);
	*place = conf_text_place_of(text, from < text->len ? from : text->len - 1);
	const bool quoted = from < text->len && line[from] == '"';
	size_t end = from += quoted;
	while (end < text->len && (quoted ? line[end] != '"' : !conf_text_is_blank(line[end])))
		end++;
	if (quoted && end == text->len)
		return sl_fail_at(text->conf->err, place, "the quotes of '%.60s' are not closed", key);
	if (end == from)
		return sl_fail_at(
			text->conf->err, place, "'%.60s' has no value: give one, or leave it out", key);
	*value = conf_strdup(&text->conf->mem, line + from, end - from);
	*at = end + quoted;
	return *value ? SL_OK : sl_fail_memory(text->conf->err);
}

/* The first key says what the line is about. */
static const struct {
	const char *key;
	enum conf_dialect dialect;
	enum conf_kind kind;
} leading[] = {
	{ "NodeName", CONF_SLURM, CONF_NODE },
	{ "PartitionName", CONF_SLURM, CONF_PARTITION },
	{ "DownNodes", CONF_SLURM, CONF_DOWN },
	{ "NodeSet", CONF_SLURM, CONF_NODESET },
	{ "FrontendName", CONF_SLURM, CONF_OTHER },
	{ "SwitchName", CONF_TOPOLOGY_FILE, CONF_SWITCH },
	{ "BlockName", CONF_TOPOLOGY_FILE, CONF_BLOCK },
	{ "BlockSizes", CONF_TOPOLOGY_FILE, CONF_BLOCK },
};

static enum conf_kind conf_text_kind_of(enum conf_dialect dialect, const char *key)
{
	if (dialect == CONF_GRES_FILE)
		return CONF_GRES;
	for (size_t i = 0; i < SL_LEN(leading); i++)
		if (leading[i].dialect == dialect && conf_same(leading[i].key, key))
			return leading[i].kind;
	return dialect == CONF_SLURM ? CONF_CLUSTER : CONF_OTHER;
}

static struct conf_lines *lines_of(struct conf *conf, enum conf_dialect dialect)
{
	return dialect == CONF_SLURM       ? &conf->lines
	       : dialect == CONF_GRES_FILE ? &conf->gres
					   : &conf->topology;
}

static int pairs(struct text *text)
{
	struct conf *conf = text->conf;
	struct conf_lines *lines = lines_of(conf, text->dialect);
	struct conf_line *line = NULL;
	int status = SL_OK;
	for (size_t at = skip_blanks(text, 0); at < text->len && !status; at = skip_blanks(text, at)) {
		const struct sl_place place = conf_text_place_of(text, at);
		struct sl_place value_place;
		const size_t from = at;
		while (at < text->len && is_key(text->joined[at]))
			at++;
		const size_t len = at - from;
		at = skip_blanks(text, at);
		if (!len || at == text->len || text->joined[at] != '=')
			return sl_fail_at(
				conf->err, &place, "KEY=VALUE is due here, not '%.40s'", text->joined + from);
		at++;
		const char *value = NULL;
		const char *key = conf_strdup(&conf->mem, text->joined + from, len);
		if (!key)
			return sl_fail_memory(conf->err);
		status = value_at(text, key, &at, &value, &value_place);
		if (!status && !line)
			line = conf_line_new(conf, lines, conf_text_kind_of(text->dialect, key));
		const struct conf_pair pair = {
			.key = key, .value = value, .at = place, .column = value_place.column
		};
		if (!status && (!line || !conf_pair_add(conf, lines, line, &pair)))
			status = conf->err->status ? conf->err->status : sl_fail_memory(conf->err);
	}
	return status;
}

/* ---- Include ----------------------------------------------------------------------------------------- */

/* "a.conf -> b.conf -> a.conf", for messages. */
static const char *chain_text(struct conf *conf, const char *last, char *text, size_t size)
{
	size_t len = 0;
	for (uint32_t i = 0; i < conf->depth && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s -> ", conf->chain[i]);
	if (len < size)
		(void)snprintf(text + len, size - len, "%s", last);
	return text;
}

/* The folder of the file that includes, for names that do not begin at the root; %c is the cluster's name. */
static const char *path_of(struct text *text, const char *name)
{
	struct conf *conf = text->conf;
	char path[PATH_CAPACITY];
	const char *cluster = strstr(name, "%c");
	const struct conf_pair *named = conf_global(conf, "ClusterName");
	if (cluster)
		name = conf_printf(&conf->mem, "%.*s%s%s", (int)(cluster - name), name,
			named ? named->value : "", cluster + 2);
	if (!name)
		return NULL;
	return sl_path_beside(path, sizeof(path), text->file, name)
		       ? conf_strdup(&conf->mem, path, strlen(path))
		       : name;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as CONF_DEPTH_MAX. */
static int include(struct text *text, size_t at)
{
	struct conf *conf = text->conf;
	const struct sl_place place = conf_text_place_of(text, 0);
	char chain[500];
	size_t end = text->len;
	at = skip_blanks(text, at);
	while (end > at && conf_text_is_blank(text->joined[end - 1]))
		end--;
	if (end - at >= 2 && text->joined[at] == '"' && text->joined[end - 1] == '"') {
		at++;
		end--;
	}
	if (end == at)
		return sl_fail_at(conf->err, &place, "Include names no file");
	const char *name = conf_strdup(&conf->mem, text->joined + at, end - at);
	const char *path = name ? path_of(text, name) : NULL;
	if (!path)
		return sl_fail_memory(conf->err);
	for (uint32_t i = 0; i < conf->depth; i++)
		if (strcmp(conf->chain[i], path) == 0)
			return sl_fail_at(conf->err, &place, "a file includes itself: %s",
				chain_text(conf, path, chain, sizeof(chain)));
	if (conf->depth == CONF_DEPTH_MAX)
		return sl_fail_at(conf->err, &place, "files include one another more than %d deep: %s",
			CONF_DEPTH_MAX, chain_text(conf, path, chain, sizeof(chain)));
	struct stat about;
	if (stat(path, &about) != 0)
		return sl_fail_at(conf->err, &place,
			"cannot open the included '%.200s': copy it too, or take the "
			"line out",
			path);
	struct sl_input *in = NULL;
	int status = conf_open(conf, path, &in);
	if (!status)
		status = conf_read_text(conf, in, text->dialect);
	return status;
}

static bool is_include(const struct text *text, size_t *at)
{
	static const char word[] = "Include";
	*at = skip_blanks(text, 0);
	if (!conf_begins(text->joined + *at, word))
		return false;
	*at += sizeof(word) - 1;
	return conf_text_is_blank(text->joined[*at]) || !text->joined[*at];
}

/* ---- Files ------------------------------------------------------------------------------------------- */

int conf_open(struct conf *conf, const char *path, struct sl_input **in)
{
	if (conf->file_count == CONF_FILES_MAX)
		return sl_fail(conf->err, SL_INPUT, "%s: more than %d files", path, CONF_FILES_MAX);
	if (SL_GROW(conf->file, conf->file_capacity, conf->file_count + 1, conf->err))
		return SL_SYSTEM;
	const int status = sl_input_open(in, path, conf->err);
	if (!status)
		conf->file[conf->file_count++] = (struct conf_file){ path, *in, true };
	return status;
}

int conf_text_of(struct conf *conf, struct sl_input *in, const char **text, const char **end)
{
	int status = sl_input_all(in, text, end, conf->err);
	const struct sl_place at = { sl_input_name(in), 0, 0 };
	if (!status && *end - *text > CONF_FILE_MAX)
		status = sl_fail_at(conf->err, &at, "is larger than 256 MiB: no file of Slurm's is");
	if (status)
		return status;
	uint64_t line = 1;
	const char *start = *text;
	for (const char *p = *text; p < *end; p++) {
		if (*p == '\n') {
			line++;
			start = p + 1;
		} else if ((unsigned char)*p < ' ' && !conf_text_is_blank(*p)) {
			const struct sl_place place = { at.file, line, (uint32_t)(p - start) + 1 };
			return sl_fail_at(
				conf->err, &place, "byte 0x%02x: this is no text", (unsigned char)*p);
		}
	}
	return SL_OK;
}

int conf_close(struct conf *conf, struct sl_input *in)
{
	for (size_t i = 0; i < conf->file_count; i++)
		if (conf->file[i].in == in && conf->sink->file)
			return conf->sink->file(conf->sink->self, in, conf->err);
	return SL_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above. */
static int read_lines(struct text *text)
{
	int status;
	while ((status = next_joined(text)) > 0) {
		size_t at;
		status = is_include(text, &at) ? include(text, at) : pairs(text);
		if (status)
			break;
	}
	return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above. */
int conf_read_text(struct conf *conf, struct sl_input *in, enum conf_dialect dialect)
{
	struct text text = { .conf = conf, .dialect = dialect, .line = 1 };
	int status = conf_text_of(conf, in, &text.p, &text.end);
	text.file = conf_strdup(&conf->mem, sl_input_name(in), strlen(sl_input_name(in)));
	text.joined = calloc(1, CONF_LINE_MAX + 1);
	if (!status && (!text.file || !text.joined))
		status = sl_fail_memory(conf->err);
	if (!status) {
		SL_CHECK(conf->depth < CONF_DEPTH_MAX + 1);
		conf->chain[conf->depth++] = text.file;
		status = read_lines(&text);
		conf->depth--;
	}
	free(text.joined);
	free(text.segment);
	return status ? status : conf_close(conf, in);
}
