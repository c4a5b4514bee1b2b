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

/* "KEY =" begins there. */
static bool is_pair_at(const struct text *text, size_t at)
{
	const size_t from = at;
	while (at < text->len && is_key(text->joined[at]))
		at++;
	const bool named = at > from;
	at = skip_blanks(text, at);
	return named && at < text->len && text->joined[at] == '=';
}

/* The quote that closes a value which one opens; 0: as Slurm has it, quotes that do not stand around all of
 * the value, as in "a","b", are letters of it like others. */
static size_t closing_quote(const struct text *text, size_t from)
{
	size_t end = from + 1;
	if (from >= text->len || text->joined[from] != '"')
		return 0;
	while (end < text->len && text->joined[end] != '"')
		end++;
	return end < text->len && (end + 1 == text->len || conf_text_is_blank(text->joined[end + 1])) ? end
												      : 0;
}

/* The value from *at on, without the quotes around it; *at goes behind it. */
static int value_at(
	struct text *text, const char *key, size_t *at, const char **value, struct sl_place *place)
{
	const char *line = text->joined;
	size_t from = skip_blanks(text, *at);
	*place = conf_text_place_of(text, from < text->len ? from : text->len - 1);
	const size_t quote = closing_quote(text, from);
	size_t end = quote;
	from += quote != 0;
	if (!quote)
		for (end = from; end < text->len && !conf_text_is_blank(line[end]);)
			end++;
	if (end == from && !quote)
		return sl_fail_at(
			text->conf->err, place, "'%.60s' has no value: give one, or leave it out", key);
	*value = conf_strdup(&text->conf->mem, line + from, end - from);
	*at = skip_blanks(text, end + (quote != 0));
	if (!quote && line[from] == '"' && *at < text->len && !is_pair_at(text, *at))
		return sl_fail_at(text->conf->err, place,
			"the quotes of '%.60s' do not stand around all of its value: close them, or take them out",
			key);
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
		/* KEY+=VALUE and its like: slurm.conf's keys take them as KEY=VALUE. */
		if (at + 1 < text->len && strchr("-*+/", text->joined[at]) && text->joined[at + 1] == '=')
			at++;
		if (!len || at == text->len || text->joined[at] != '=')
			return sl_fail_at(
				conf->err, &place, "KEY=VALUE is due here, not '%.40s'", text->joined + from);
		at++;
		const char *value = NULL;
		const char *key = conf_strdup(&conf->mem, text->joined + from, len);
		if (!key)
			return sl_fail_memory(conf->err);
		status = value_at(text, key, &at, &value, &value_place);
		const enum conf_kind kind = conf_text_kind_of(text->dialect, key);
		if (!status && !line && !*value && kind != CONF_CLUSTER && kind != CONF_GRES)
			return sl_fail_at(conf->err, &value_place,
				"'%.60s' has no value: it is the name of what the line is about", key);
		if (!status && !line)
			line = conf_line_new(conf, lines, kind);
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

static bool is_file(const char *path, struct stat *about)
{
	return path && stat(path, about) == 0 && !S_ISDIR(about->st_mode);
}

/* %c is the cluster's name in small letters, as get_extra_conf_path's caller has it. NULL: memory is out. */
static const char *name_of_cluster(struct conf *conf, const char *name)
{
	const struct conf_pair *named = conf_global(conf, "ClusterName");
	const char *at;
	while (name && (at = strstr(name, "%c"))) {
		char *cluster =
			conf_strdup(&conf->mem, named ? named->value : "", named ? strlen(named->value) : 0);
		for (char *p = cluster; p && *p; p++)
			if (*p >= 'A' && *p <= 'Z')
				*p = (char)(*p | 0x20);
		if (cluster && strstr(cluster, "%c"))
			return name;
		name = cluster ? conf_printf(&conf->mem, "%.*s%s%s", (int)(at - name), name, cluster, at + 2)
			       : NULL;
	}
	return name;
}

/* Names from the root: below --root; else where slurm.conf lies, by as many of its folders as there are there
 * (a copy of /etc/slurm has /etc/slurm/nodes/a.conf as nodes/a.conf); else as it stands. */
static const char *path_rooted(struct text *text, const char *name, struct stat *about)
{
	struct conf *conf = text->conf;
	/* In a bundle only what is in it: its files are ".//...". */
	const bool closed = strncmp(conf->folder, ".//", 3) == 0;
	const char *path = *conf->root && !(closed && *conf->root == '/')
				   ? conf_printf(&conf->mem, "%s%s%s", closed ? ".//" : "", conf->root, name)
				   : NULL;
	for (const char *tail = name; !is_file(path, about) && tail; tail = strchr(tail + 1, '/'))
		path = conf_printf(&conf->mem, "%s%s", conf->folder, tail + 1);
	return is_file(path, about) ? path : NULL;
}

/* Where an included file is: as Slurm, in slurm.conf's folder where its name does not begin at the root;
 * where there is none, beside the file that includes it. NULL: memory is out. */
static const char *path_of(struct text *text, const char *name, struct stat *about)
{
	struct conf *conf = text->conf;
	char plain[PATH_CAPACITY];
	const char *path = *name == '/' ? path_rooted(text, name, about) : NULL;
	const char *main = conf_printf(&conf->mem, "%sslurm.conf", conf->folder);
	if (*name != '/' && main && sl_path_beside(plain, sizeof(plain), main, name))
		path = conf_strdup(&conf->mem, plain, strlen(plain));
	if (is_file(path, about))
		return path;
	return sl_path_beside(plain, sizeof(plain), text->file, name)
		       ? conf_strdup(&conf->mem, plain, strlen(plain))
		       : name;
}

static int fail_missing(
	const struct text *text, const struct sl_place *place, const char *name, const char *path)
{
	if (strchr(name, '*'))
		return sl_fail_at(text->conf->err, place,
			"Include takes no patterns, as '%.200s': name each file, as Slurm wants it", name);
	return sl_fail_at(text->conf->err, place,
		"cannot open the included '%.200s': copy it beside slurm.conf, give --root DIR with it, or take the "
		"line out",
		path);
}

/* What Include names, without quotes around it; NULL with the error. */
static const char *name_included(struct text *text, size_t at, const struct sl_place *place)
{
	struct conf *conf = text->conf;
	size_t end = text->len;
	at = skip_blanks(text, at);
	while (end > at && conf_text_is_blank(text->joined[end - 1]))
		end--;
	if (end - at >= 2 && text->joined[at] == '"' && text->joined[end - 1] == '"') {
		at++;
		end--;
	}
	if (end == at) {
		(void)sl_fail_at(conf->err, place, "Include names no file");
		return NULL;
	}
	const char *name = name_of_cluster(conf, conf_strdup(&conf->mem, text->joined + at, end - at));
	if (!name)
		(void)sl_fail_memory(conf->err);
	return name;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as CONF_DEPTH_MAX. */
static int include(struct text *text, size_t at)
{
	struct conf *conf = text->conf;
	const struct sl_place place = conf_text_place_of(text, 0);
	char chain[500];
	struct stat about;
	const char *name = name_included(text, at, &place);
	if (!name)
		return conf->err->status;
	const char *path = path_of(text, name, &about);
	if (!path)
		return sl_fail_memory(conf->err);
	for (uint32_t i = 0; i < conf->depth; i++)
		if (strcmp(conf->chain[i], path) == 0)
			return sl_fail_at(conf->err, &place, "a file includes itself: %s",
				chain_text(conf, path, chain, sizeof(chain)));
	if (conf->depth == CONF_DEPTH_MAX)
		return sl_fail_at(conf->err, &place, "files include one another more than %d deep: %s",
			CONF_DEPTH_MAX, chain_text(conf, path, chain, sizeof(chain)));
	if (stat(path, &about) != 0)
		return fail_missing(text, &place, name, path);
	if (S_ISREG(about.st_mode) && !about.st_size)
		return SL_OK; /* As in Slurm, an empty file says nothing. */
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
