/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_scontrol.c - what scontrol show node, partition, config, reservation, topology and license print.
 *
 * A record begins at the first column with its kind; the lines behind it that are indented belong to it. A
 * value goes on until the next KEY=, or the end of the line: values have blanks. Keys that slurm.conf spells
 * otherwise get its names here, so that all that follows knows one spelling.
 */
#include <string.h>

#include "traces/slurm/conf.h"

struct shown {
	struct conf *conf;
	struct conf_lines *into;
	const char *file;
	const char *p, *end;
	const char *line_start;
	uint64_t line;
	struct conf_line *open; /* The record that indented lines belong to; NULL: none. */
	bool config;            /* In "Configuration data": KEY = VALUE lines. */
	bool skipping;          /* A part that says nothing to us, up to an empty line. */
};

static const struct {
	const char *key;
	enum conf_kind kind;
} records[] = {
	{ "NodeName", CONF_NODE },
	{ "PartitionName", CONF_PARTITION },
	{ "ReservationName", CONF_RESERVATION },
	{ "SwitchName", CONF_SWITCH },
	{ "BlockName", CONF_BLOCK },
	{ "LicenseName", CONF_LICENSE },
};

/* scontrol's spelling of a key, and slurm.conf's. */
static const struct {
	enum conf_kind kind;
	const char *shown, *key;
} spellings[] = {
	{ CONF_NODE, "CPUTot", "CPUs" },
	{ CONF_NODE, "AvailableFeatures", "Features" },
	{ CONF_NODE, "CpuSpecList", "CPUSpecList" },
	{ CONF_RESERVATION, "NodeList", "Nodes" },
};

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == ':' || c == '/';
}

static struct sl_place place_of(const struct shown *shown, const char *p)
{
	return (struct sl_place){ shown->file, shown->line, (uint32_t)(p - shown->line_start) + 1 };
}

static int pair_add(struct shown *shown, const char *key, size_t key_len, const char *value, size_t len)
{
	struct conf *conf = shown->conf;
	const struct sl_place at = place_of(shown, key);
	const char *name = conf_strdup(&conf->mem, key, key_len);
	const char *text = conf_strdup(&conf->mem, value, len);
	if (!name || !text)
		return sl_fail_memory(conf->err);
	for (size_t i = 0; i < SL_LEN(spellings); i++)
		if (shown->open->kind == spellings[i].kind && conf_same(name, spellings[i].shown))
			name = spellings[i].key;
	if (!len || (conf_same(text, "(null)") && shown->open->count))
		return SL_OK; /* It says nothing. */
	const uint32_t column = (uint32_t)(value - shown->line_start) + 1;
	const struct conf_pair pair = { .key = name, .value = text, .at = at, .column = column };
	if (conf_pair_add(conf, shown->into, shown->open, &pair))
		return SL_OK;
	return conf->err->status ? conf->err->status : sl_fail_memory(conf->err);
}

/* Where the next KEY= begins behind a blank, or the end. */
static const char *next_key(const char *p, const char *end)
{
	while (p < end) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		if (!blank)
			return end;
		const char *word = blank + 1;
		p = word;
		while (p < end && is_key(*p))
			p++;
		if (p > word && p < end && *p == '=' && ((*word | 0x20) >= 'a' && (*word | 0x20) <= 'z'))
			return word;
	}
	return end;
}

static int pairs(struct shown *shown, const char *p, const char *end)
{
	int status = SL_OK;
	while (p < end && !status) {
		while (p < end && *p == ' ')
			p++;
		const char *equals = memchr(p, '=', (size_t)(end - p));
		if (!equals)
			break; /* Words without a key: a second line of a comment. */
		const char *stop = next_key(equals + 1, end);
		const char *last = stop;
		while (last > equals + 1 && last[-1] == ' ')
			last--;
		/* A reason may have a '=' of its own: words before a key are of the value before it. */
		const char *key = equals;
		while (key > p && is_key(key[-1]))
			key--;
		if (key < equals)
			status = pair_add(
				shown, key, (size_t)(equals - key), equals + 1, (size_t)(last - equals - 1));
		p = stop;
	}
	return status;
}

static bool record_of(const char *p, const char *end, enum conf_kind *kind)
{
	for (size_t i = 0; i < SL_LEN(records); i++) {
		const size_t len = strlen(records[i].key);
		if ((size_t)(end - p) <= len || memcmp(p, records[i].key, len) != 0 || p[len] != '=')
			continue;
		*kind = records[i].kind;
		return true;
	}
	return false;
}

/* "KillWait                = 30 sec": units are those of the file. */
static int config_line(struct shown *shown, const char *p, const char *end)
{
	static const char *const unit[] = { " sec", " min", " usec", " msec", " days" };
	const char *equals = memchr(p, '=', (size_t)(end - p));
	if (!equals)
		return SL_OK;
	const char *last = equals;
	while (last > p && last[-1] == ' ')
		last--;
	const char *value = equals + 1;
	while (value < end && *value == ' ')
		value++;
	size_t len = (size_t)(end - value);
	for (size_t i = 0; i < SL_LEN(unit); i++) {
		const size_t more = strlen(unit[i]);
		if (len > more && memcmp(value + len - more, unit[i], more) == 0)
			len -= more;
	}
	shown->open = conf_line_new(shown->conf, shown->into, CONF_CLUSTER);
	if (!shown->open)
		return sl_fail_memory(shown->conf->err);
	shown->open->observed = true;
	const bool empty = len == 6 && memcmp(value, "(null)", 6) == 0;
	const int status = empty ? SL_OK : pair_add(shown, p, (size_t)(last - p), value, len);
	if (!shown->open->count)
		shown->into->count--;
	shown->open = NULL;
	return status;
}

static struct conf_lines *lines_for(struct shown *shown, enum conf_kind kind)
{
	const bool further = shown->into != &shown->conf->lines;
	return !further && (kind == CONF_SWITCH || kind == CONF_BLOCK) ? &shown->conf->topology : shown->into;
}

static int one_line(struct shown *shown, const char *p, const char *end)
{
	static const char config[] = "Configuration data as of";
	enum conf_kind kind;
	if (p == end) {
		shown->open = NULL;
		shown->skipping = false;
		return SL_OK;
	}
	if (*p == ' ' || *p == '\t')
		return shown->open ? pairs(shown, p, end) : SL_OK;
	if (record_of(p, end, &kind)) {
		struct conf_lines *into = shown->into;
		shown->into = lines_for(shown, kind);
		shown->config = shown->skipping = false;
		shown->open = conf_line_new(shown->conf, shown->into, kind);
		if (!shown->open)
			return sl_fail_memory(shown->conf->err);
		shown->open->observed = true;
		const int status = pairs(shown, p, end);
		if (!status && !shown->open->count) {
			const struct sl_place at = place_of(shown, p);
			return sl_fail_at(shown->conf->err, &at, "a record without a name");
		}
		/* Lines that continue it go into the same place: they add pairs, and no line. */
		shown->into = into;
		return status;
	}
	shown->open = NULL;
	if ((size_t)(end - p) >= sizeof(config) - 1 && memcmp(p, config, sizeof(config) - 1) == 0) {
		shown->config = true;
		return SL_OK;
	}
	if (end[-1] == ':') /* "Cgroup Support Configuration:" */
		shown->skipping = true;
	return shown->config && !shown->skipping ? config_line(shown, p, end) : SL_OK;
}

static int next_line(struct shown *shown)
{
	const char *start = shown->p;
	const char *newline = memchr(start, '\n', (size_t)(shown->end - start));
	const char *end = newline ? newline : shown->end;
	shown->p = newline ? newline + 1 : shown->end;
	shown->line_start = start;
	const struct sl_place at = place_of(shown, start);
	if (end - start > CONF_LINE_MAX)
		return sl_fail_at(shown->conf->err, &at, "a line is longer than 64 KiB");
	while (end > start && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	const int status = one_line(shown, start, end);
	shown->line++;
	return status;
}

/* Text up to its end, or to a line that begins a JSON document. */
static int read_shown(struct shown *shown)
{
	int status = SL_OK;
	while (shown->p < shown->end && !status) {
		if (*shown->p == '{') {
			const char *before = shown->p;
			status = conf_read_json(shown->conf, shown->file, before, &shown->p, shown->into);
			for (; before < shown->p; before++)
				shown->line += *before == '\n';
			shown->open = NULL;
			continue;
		}
		status = next_line(shown);
	}
	return status;
}

int conf_read_scontrol(struct conf *conf, struct sl_input *in, struct conf_lines *into)
{
	struct shown shown = { .conf = conf, .into = into, .line = 1 };
	int status = conf_text_of(conf, in, &shown.p, &shown.end);
	shown.file = conf_strdup(&conf->mem, sl_input_name(in), strlen(sl_input_name(in)));
	if (!status && !shown.file)
		status = sl_fail_memory(conf->err);
	if (!status)
		status = read_shown(&shown);
	return status ? status : conf_close(conf, in);
}

/* slurm.conf has such lines, too: what is of the moment, or indented lines, parts the two. */
static bool is_shown(enum conf_kind kind, const char *text, const char *stop, const char *end)
{
	static const struct {
		enum conf_kind kind;
		const char *word;
	} moment[] = {
		{ CONF_NODE, " CPUAlloc=" },
		{ CONF_NODE, " CPUTot=" },
		{ CONF_NODE, " Arch=" },
		{ CONF_PARTITION, " TotalCPUs=" },
		{ CONF_SWITCH, " Level=" },
		{ CONF_BLOCK, " BlockIndex=" },
	};
	if (kind == CONF_RESERVATION || kind == CONF_LICENSE)
		return true;
	for (size_t i = 0; i < SL_LEN(moment); i++)
		if (moment[i].kind == kind &&
			memmem(text, (size_t)(stop - text), moment[i].word, strlen(moment[i].word)))
			return true;
	return end - stop > 2 && (stop[1] == ' ' || stop[1] == '\t') && stop[-1] != '\\';
}

static bool is_shown_json(const char *text, const char *end)
{
	static const char *const list[] = { "\"nodes\"", "\"partitions\"", "\"reservations\"",
		"\"licenses\"" };
	for (size_t i = 0; i < SL_LEN(list); i++)
		if (memmem(text, (size_t)(end - text), list[i], strlen(list[i])))
			return memmem(text, (size_t)(end - text), "\"meta\"", 6) ||
			       memmem(text, (size_t)(end - text), "\"real_memory\"", 13);
	return false;
}

/* A record, or the head of the configuration, in the first line; or JSON that has one of its lists. */
bool conf_is_scontrol(const char *text, size_t len)
{
	static const char config[] = "Configuration data as of";
	const char *end = text + len;
	enum conf_kind kind;
	while (text < end && strchr(" \r\n\t", *text))
		text++;
	if (text == end)
		return false;
	if (*text == '{')
		return is_shown_json(text, end);
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	if (record_of(text, end, &kind))
		return is_shown(kind, text, newline ? newline : end, end);
	return (size_t)(end - text) >= sizeof(config) && memcmp(text, config, sizeof(config) - 1) == 0;
}
