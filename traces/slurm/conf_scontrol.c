/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_scontrol.c - what scontrol show node, partition, config, reservation, topology and license print; a
 * table of sinfo goes to its own reader (conf_sinfo.c).
 *
 * A record begins at the first column with its kind; the lines behind it that are indented belong to it. A
 * value goes on until the next KEY=, or the end of the line: values have blanks. Keys that slurm.conf spells
 * otherwise get its names here, so that all that follows knows one spelling.
 */
#include <string.h>

#include "traces/slurm/conf.h"

struct displayed {
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
	const char *displayed, *key;
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

static struct sl_place conf_scontrol_place_of(const struct displayed *displayed, const char *p)
{
	return (struct sl_place){ displayed->file, displayed->line,
		(uint32_t)(p - displayed->line_start) + 1 };
}

static int pair_add(
	struct displayed *displayed, const char *key, size_t key_len, const char *value, size_t len)
{
	struct conf *conf = displayed->conf;
	const struct sl_place at = conf_scontrol_place_of(displayed, key);
	const char *name = conf_strdup(&conf->mem, key, key_len);
	const char *text = conf_strdup(&conf->mem, value, len);
	if (!name || !text)
		return sl_fail_memory(conf->err);
	for (size_t i = 0; i < SL_LEN(spellings); i++)
		if (displayed->open->kind == spellings[i].kind && conf_same(name, spellings[i].displayed))
			name = spellings[i].key;
	if (!len || (conf_same(text, "(null)") && displayed->open->count))
		return SL_OK; /* It says nothing. */
	const uint32_t column = (uint32_t)(value - displayed->line_start) + 1;
	const struct conf_pair pair = { .key = name, .value = text, .at = at, .column = column };
	if (conf_pair_add(conf, displayed->into, displayed->open, &pair))
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

static int pairs(struct displayed *displayed, const char *p, const char *end)
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
			status = pair_add(displayed, key, (size_t)(equals - key), equals + 1,
				(size_t)(last - equals - 1));
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

/* Of a key that may stand several times ("Epilog[0]", from 23.02 on) what slurm.conf calls it. */
static const char *before_index(const char *key, const char *end)
{
	const char *p = end;
	if (p == key || p[-1] != ']')
		return end;
	for (p--; p > key && p[-1] >= '0' && p[-1] <= '9';)
		p--;
	return p > key + 1 && p[-1] == '[' && p[0] != ']' ? p - 1 : end;
}

/* "KillWait                = 30 sec": units are those of the file. */
static int config_line(struct displayed *displayed, const char *p, const char *end)
{
	static const char *const unit[] = { " sec", " min", " usec", " msec", " days" };
	const char *equals = memchr(p, '=', (size_t)(end - p));
	if (!equals)
		return SL_OK;
	const char *last = equals;
	while (last > p && last[-1] == ' ')
		last--;
	last = before_index(p, last);
	const char *value = equals + 1;
	while (value < end && *value == ' ')
		value++;
	size_t len = (size_t)(end - value);
	for (size_t i = 0; i < SL_LEN(unit); i++) {
		const size_t more = strlen(unit[i]);
		if (len > more && memcmp(value + len - more, unit[i], more) == 0)
			len -= more;
	}
	displayed->open = conf_line_new(displayed->conf, displayed->into, CONF_CLUSTER);
	if (!displayed->open)
		return sl_fail_memory(displayed->conf->err);
	displayed->open->observed = true;
	const bool empty = len == 6 && memcmp(value, "(null)", 6) == 0;
	const int status = empty ? SL_OK : pair_add(displayed, p, (size_t)(last - p), value, len);
	if (!displayed->open->count)
		displayed->into->count--;
	displayed->open = NULL;
	return status;
}

static struct conf_lines *lines_for(struct displayed *displayed, enum conf_kind kind)
{
	const bool further = displayed->into != &displayed->conf->lines;
	return !further && (kind == CONF_SWITCH || kind == CONF_BLOCK) ? &displayed->conf->topology
								       : displayed->into;
}

static int one_line(struct displayed *displayed, const char *p, const char *end)
{
	static const char config[] = "Configuration data as of";
	enum conf_kind kind;
	if (p == end) {
		displayed->open = NULL;
		displayed->skipping = false;
		return SL_OK;
	}
	if (*p == ' ' || *p == '\t')
		return displayed->open ? pairs(displayed, p, end) : SL_OK;
	if (record_of(p, end, &kind)) {
		struct conf_lines *into = displayed->into;
		displayed->into = lines_for(displayed, kind);
		displayed->config = displayed->skipping = false;
		displayed->open = conf_line_new(displayed->conf, displayed->into, kind);
		if (!displayed->open)
			return sl_fail_memory(displayed->conf->err);
		displayed->open->observed = true;
		const int status = pairs(displayed, p, end);
		if (!status && !displayed->open->count) {
			const struct sl_place at = conf_scontrol_place_of(displayed, p);
			return sl_fail_at(displayed->conf->err, &at, "a record without a name");
		}
		/* Lines that continue it go into the same place: they add pairs, and no line. */
		displayed->into = into;
		return status;
	}
	displayed->open = NULL;
	if ((size_t)(end - p) >= sizeof(config) - 1 && memcmp(p, config, sizeof(config) - 1) == 0) {
		displayed->config = true;
		return SL_OK;
	}
	if (end[-1] == ':') /* "Cgroup Support Configuration:" */
		displayed->skipping = true;
	return displayed->config && !displayed->skipping ? config_line(displayed, p, end) : SL_OK;
}

static int next_line(struct displayed *displayed)
{
	const char *start = displayed->p;
	const char *newline = memchr(start, '\n', (size_t)(displayed->end - start));
	const char *end = newline ? newline : displayed->end;
	displayed->p = newline ? newline + 1 : displayed->end;
	displayed->line_start = start;
	const struct sl_place at = conf_scontrol_place_of(displayed, start);
	if (end - start > CONF_LINE_MAX)
		return sl_fail_at(displayed->conf->err, &at, "a line is longer than 64 KiB");
	while (end > start && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	const int status = one_line(displayed, start, end);
	displayed->line++;
	return status;
}

/* Text up to its end, or to a line that begins a JSON document. */
static int read_scontrol(struct displayed *displayed)
{
	int status = SL_OK;
	while (displayed->p < displayed->end && !status) {
		if (*displayed->p == '{') {
			const char *before = displayed->p;
			status = conf_read_json(
				displayed->conf, displayed->file, before, &displayed->p, displayed->into);
			for (; before < displayed->p; before++)
				displayed->line += *before == '\n';
			displayed->open = NULL;
			continue;
		}
		status = next_line(displayed);
	}
	return status;
}

int conf_read_scontrol(struct conf *conf, struct sl_input *in, struct conf_lines *into)
{
	struct displayed displayed = { .conf = conf, .into = into, .line = 1 };
	int status = conf_text_of(conf, in, &displayed.p, &displayed.end);
	displayed.file = conf_strdup(&conf->mem, sl_input_name(in), strlen(sl_input_name(in)));
	if (!status && !displayed.file)
		status = sl_fail_memory(conf->err);
	if (!status && conf_is_sinfo(displayed.p, (size_t)(displayed.end - displayed.p)))
		status = conf_read_sinfo(conf, displayed.file, displayed.p, displayed.end, into);
	else if (!status)
		status = read_scontrol(&displayed);
	return status ? status : conf_close(conf, in);
}

/* slurm.conf has such lines, too: what is of the moment, or indented lines, parts the two. */
static bool conf_scontrol_is_displayed(
	enum conf_kind kind, const char *text, const char *stop, const char *end)
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

static bool is_displayed_json(const char *text, const char *end)
{
	static const char *const list[] = { "\"sinfo\"", "\"nodes\"", "\"partitions\"", "\"reservations\"",
		"\"licenses\"" };
	for (size_t i = 0; i < SL_LEN(list); i++)
		if (memmem(text, (size_t)(end - text), list[i], strlen(list[i])))
			return strcmp(list[i], "\"sinfo\"") == 0 ||
			       memmem(text, (size_t)(end - text), "\"meta\"", 6) ||
			       memmem(text, (size_t)(end - text), "\"real_memory\"", 13);
	return false;
}

/* A record, or the head of the configuration, in the first line; or JSON that has one of its lists. */
bool conf_is_scontrol(const char *text, size_t len)
{
	static const char config[] = "Configuration data as of";
	const char *end = text + len;
	enum conf_kind kind;
	if (conf_is_sinfo(text, len))
		return true;
	while (text < end && strchr(" \r\n\t", *text))
		text++;
	if (text == end)
		return false;
	if (*text == '{')
		return is_displayed_json(text, end);
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	if (record_of(text, end, &kind))
		return conf_scontrol_is_displayed(kind, text, newline ? newline : end, end);
	return (size_t)(end - text) >= sizeof(config) && memcmp(text, config, sizeof(config) - 1) == 0;
}
