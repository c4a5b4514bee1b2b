/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - see options.h. The options are those of sbatch(1), srun(1) and salloc(1) of Slurm 22.05
 * and 23.11.
 */
#include "traces/slurm/options.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/options_parts.h"

/* ---- Words ------------------------------------------------------------------------------ */

struct words {
	const char *p, *end;
	char *space;
};

static bool options_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* A letter that stands for itself wherever it is: one of "-./0123456789=", letters and '_'. */
static inline bool is_plain(char c)
{
	static const uint64_t plain[4] = { UINT64_C(0x23ffe00000000000), UINT64_C(0x07fffffe87fffffe) };
	return plain[(unsigned char)c / 64] >> (unsigned char)c % 64 & 1;
}

/* Copies letters that stand for themselves, inside a quote or outside. */
static void plain_in(struct words *w)
{
	const char *p = w->p;
	const char *const end = w->end;
	char *to = w->space;
	while (p < end && is_plain(*p))
		*to++ = *p++;
	w->p = p;
	w->space = to;
}

/* A quote that is closed later in the line. An apostrophe of what a shell has unquoted already is none. */
static bool opens(const struct words *w) { return memchr(w->p + 1, *w->p, (size_t)(w->end - w->p) - 1); }

/* The next word as a shell parts it, closed by a zero; NULL: there is none. */
static const char *word_next(struct words *w)
{
	while (w->p < w->end && options_is_blank(*w->p))
		w->p++;
	if (w->p == w->end)
		return NULL;
	const char *word = w->space;
	char quote = '\0';
	for (plain_in(w); w->p < w->end && (quote || !options_is_blank(*w->p)); w->p++, plain_in(w)) {
		if (quote ? *w->p == quote : (*w->p == '\'' || *w->p == '"') && opens(w)) {
			quote = (char)(quote ? '\0' : *w->p);
			continue;
		}
		if (*w->p == '\\' && quote != '\'' && w->p + 1 < w->end)
			w->p++;
		*w->space++ = (char)(*w->p ? *w->p : ' ');
	}
	*w->space++ = '\0';
	return word;
}

size_t slurm_options_size(size_t len) { return 2 * len + 64; }

/* ---- Values --------------------------------------------------------------------------------- */

static bool options_count_of(const char *text, size_t len, int64_t *value)
{
	int64_t unit = 1;
	if (len && (text[len - 1] | 0x20) == 'k')
		unit = 1024;
	else if (len && (text[len - 1] | 0x20) == 'm')
		unit = INT64_C(1024) * 1024;
	if (!sl_get_i64(text, len - (unit > 1), value) || *value < 0 || *value > INT32_MAX / unit) {
		*value = SL_NONE;
		return false;
	}
	*value *= unit;
	return true;
}

/* "4", "2-8", "2-", "1,3,5-7:2": the least and the most; and of a list itself, as between them not all will
 * do. */
static bool nodes_in(const char *text, struct sl_job_desc *desc)
{
	desc->node_sizes = strpbrk(text, ",:") ? text : NULL;
	int64_t least = SL_NONE;
	int64_t most = SL_NONE;
	const char *p = text;
	do {
		const size_t len = strcspn(p, "-,:");
		int64_t value;
		if (!len && p > text && p[-1] == '-') { /* Open to above. */
			desc->nodes_min = least;
			desc->nodes_max = SL_NONE;
			return !p[len];
		}
		if (!options_count_of(p, len, &value))
			return false;
		const bool step = p > text && p[-1] == ':';
		if (!step && (least == SL_NONE || value < least))
			least = value;
		if (!step && (most == SL_NONE || value > most))
			most = value;
		p += len;
	} while (*p++);
	desc->nodes_min = least;
	desc->nodes_max = most;
	return true;
}

/* "30", "30:00", "2-12:00:00", "UNLIMITED"; bare numbers are minutes. */
static bool time_limit(const char *text, size_t len, sl_time *limit)
{
	int64_t minutes;
	if ((len == 9 && strncasecmp(text, "UNLIMITED", len) == 0) ||
		(len == 8 && strncasecmp(text, "INFINITE", len) == 0) ||
		(len == 2 && memcmp(text, "-1", 2) == 0)) {
		*limit = SL_NEVER;
		return true;
	}
	if (sl_get_i64(text, len, &minutes)) {
		if (minutes < 0 || minutes > INT64_C(100000000000))
			return false;
		*limit = minutes * 60 * SL_SECOND;
		return true;
	}
	const char *dash = memchr(text, '-', len);
	int64_t days, hours;
	if (dash && !memchr(text, ':', len)) { /* days-hours */
		if (!sl_get_i64(text, (size_t)(dash - text), &days) ||
			!sl_get_i64(dash + 1, len - (size_t)(dash + 1 - text), &hours) || days < 0 ||
			days > 10000000 || hours < 0 || hours > 1000000)
			return false;
		*limit = (days * 24 + hours) * 3600 * SL_SECOND;
		return true;
	}
	return memchr(text, ':', len) && sl_get_duration(text, len, limit) && *limit >= 0;
}

/* "+90", "+1hour", "+2days" behind "now" and the like; nothing: 0. */
static bool later_by(const char *p, sl_time *by)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = { { "seconds", 1 }, { "minutes", 60 }, { "hours", 3600 }, { "days", 86400 },
		{ "weeks", 604800 } };
	*by = 0;
	if (!*p)
		return true;
	const size_t digits = strspn(p + 1, "0123456789");
	const char *unit = p + 1 + digits;
	int64_t number;
	if (*p != '+' || !sl_get_i64(p + 1, digits, &number) || number > INT64_C(10000000000))
		return false;
	for (size_t i = 0; i < SL_LEN(units); i++) {
		if (strncasecmp(unit, units[i].unit, strlen(unit)) == 0) { /* Bare numbers are seconds. */
			if (number > INT64_C(100000000000) / units[i].seconds)
				return false;
			*by = number * units[i].seconds * SL_SECOND;
			return true;
		}
	}
	return false;
}

/* "16:00", "4:30pm", "noon": of that day or the next, whichever comes first. */
static bool clock_in(const char *text, sl_time *of_day)
{
	static const struct {
		const char *word;
		int64_t hour;
	} named[] = { { "midnight", 0 }, { "noon", 12 }, { "fika", 15 }, { "teatime", 16 },
		{ "elevenses", 11 } };
	for (size_t i = 0; i < SL_LEN(named); i++) {
		if (strcasecmp(text, named[i].word) == 0) {
			*of_day = named[i].hour * 3600 * SL_SECOND;
			return true;
		}
	}
	int64_t part[3] = { 0, 0, 0 };
	size_t count = 0;
	const char *p = text;
	while (count < 3) {
		const size_t len = strspn(p, "0123456789");
		if (!len || len > 2 || !sl_get_i64(p, len, &part[count++]))
			return false;
		p += len;
		if (*p != ':')
			break;
		p++;
	}
	const bool pm = strcasecmp(p, "pm") == 0;
	const bool am = strcasecmp(p, "am") == 0;
	if (count < 2 || (*p && !pm && !am) || part[0] > ((am || pm) ? 12 : 23) || part[1] > 59 ||
		part[2] > 59)
		return false;
	if (am || pm)
		part[0] = part[0] % 12 + (pm ? 12 : 0);
	*of_day = (part[0] * 3600 + part[1] * 60 + part[2]) * SL_SECOND;
	return true;
}

static bool point_in(const char *text, sl_time now, sl_time *at)
{
	const sl_time day = 86400 * SL_SECOND;
	if (sl_get_date(text, strlen(text), at))
		return true;
	if (now == SL_NONE || now < 0)
		return false;
	const sl_time midnight = now / day * day;
	sl_time by;
	if (strncasecmp(text, "now", 3) == 0 && later_by(text + 3, &by))
		return !__builtin_add_overflow(now, by, at);
	if (strncasecmp(text, "today", 5) == 0 && later_by(text + 5, &by))
		return !__builtin_add_overflow(midnight, by, at);
	if (strncasecmp(text, "tomorrow", 8) == 0 && later_by(text + 8, &by))
		return !__builtin_add_overflow(midnight, day, at) && !__builtin_add_overflow(*at, by, at);
	if (!clock_in(text, &by) || midnight > INT64_MAX - 2 * day)
		return false;
	*at = midnight + by + (midnight + by < now ? day : 0);
	return true;
}

/* "2@1:00:00": leaf switches, and how long to wait for so few. */
static bool switches_in(const char *text, struct sl_job_desc *desc)
{
	const char *at = strchr(text, '@');
	if (!options_count_of(text, at ? (size_t)(at - text) : strlen(text), &desc->switches))
		return false;
	return !at || time_limit(at + 1, strlen(at + 1), &desc->switches_wait);
}

/* "2:8:1" or "*:8": sockets of a node, cores of a socket, threads of a core. */
static bool extra_in(const char *text, struct sl_job_desc *desc)
{
	int64_t *const part[] = { &desc->sockets_per_node, &desc->cores_per_socket, &desc->threads_per_core };
	for (size_t i = 0; i < SL_LEN(part); i++) {
		const size_t len = strcspn(text, ":");
		const size_t bounds = strcspn(text, ":-");
		if (!(len == 1 && *text == '*') && !options_count_of(text, bounds, part[i]))
			return false;
		text += len;
		if (!*text++)
			return true;
	}
	return false;
}

static bool array_in(const char *text, struct slurm_said *said)
{
	const char *percent = strchr(text, '%');
	said->array = text;
	return !percent || (sl_get_i64(percent + 1, strlen(percent + 1), &said->more.array_limit) &&
				   said->more.array_limit >= 0);
}

static bool exclusive_in(const char *text, struct slurm_said *said)
{
	static const struct {
		const char *word;
		enum sl_exclusive kind;
	} kinds[] = { { "", SL_EXCLUSIVE_NODE }, { "user", SL_EXCLUSIVE_USER }, { "mcs", SL_EXCLUSIVE_MCS },
		{ "exclusive", SL_EXCLUSIVE_NODE }, { "ok", SL_EXCLUSIVE_NODE }, { "no", SL_EXCLUSIVE_NO },
		{ "topo", SL_EXCLUSIVE_TOPO } };
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		if (strcasecmp(text, kinds[i].word) == 0) {
			said->desc[said->desc_count - 1].exclusive = kinds[i].kind;
			return true;
		}
	}
	return false;
}

/* Without "cpu:", "gres/gpu:" or "gres/" (of 23.11 "gres:") before it; NULL: it begins otherwise. */
static const char *behind(const char *text, const char *kind)
{
	const size_t len = strlen(kind);
	const bool begins = strncasecmp(text, "gres", 4) == 0 && (text[4] == '/' || text[4] == ':');
	if (!*kind)
		return begins ? text + 5 : NULL;
	if (begins && strcmp(kind, "cpu:") != 0)
		text += 5;
	else if (strcmp(kind, "cpu:") != 0)
		return NULL;
	return strncasecmp(text, kind, len) == 0 ? text + len : NULL;
}

/* "cpu=4,gres/gpu:a100=1,gres/mps=50": cpus and GPUs of a task as --cpus-per-task and --gpus-per-task say
 * them, other devices as a list of gres of a task; licences of a task are not read. Written over the line's
 * own copy, which shrinks. */
static bool tres_per_task_in(char *text, struct sl_job_desc *desc)
{
	char gpus[64] = "";
	char *to = text;
	bool good = true;
	for (char *at = text, *next; *at; at = next) {
		const size_t len = strcspn(at, ",");
		const char *value;
		next = at + len + (at[len] == ',');
		at[len] = '\0';
		char *equals = strchr(at, '=');
		if (equals)
			*equals = ':';
		if ((value = behind(at, "cpu:"))) {
			good &= options_count_of(value, strlen(value), &desc->cpus_per_task);
		} else if ((value = behind(at, "gpu:")) && strlen(value) < sizeof(gpus)) {
			memcpy(gpus, value, strlen(value) + 1);
		} else if (!value && (value = behind(at, ""))) {
			const size_t size = strlen(value);
			if (to > text)
				*to++ = ',';
			memmove(to, value, size);
			to += size;
		} else {
			good = false;
		}
	}
	desc->gres_per_task = to > text ? text : NULL;
	if (to > text)
		*to++ = '\0';
	if (gpus[0]) {
		memcpy(to, gpus, strlen(gpus) + 1);
		desc->gpus_per_task = to;
	}
	return good;
}

/* ---- Options ---------------------------------------------------------------------------------- */

static bool mem_in(const char *text, int64_t *mib)
{
	return sl_get_memory(text, strlen(text), true, mib) && *mib <= SL_MEM_UNBOUNDED;
}

static bool apply_more(
	const struct slurm_option *option, const char *value, sl_time now, struct slurm_said *said)
{
	struct sl_job_attributes *more = &said->more;
	switch (option->what) {
	case OPTION_TIME:
		return time_limit(value, strlen(value), &said->time_limit);
	case OPTION_TIME_MIN:
		return time_limit(value, strlen(value), &more->time_min);
	case OPTION_BEGIN:
		return point_in(value, now, &more->begin);
	case OPTION_DEADLINE:
		return point_in(value, now, &more->deadline);
	case OPTION_NICE:
		more->nice = 100;
		return !*value || sl_get_i64(value, strlen(value), &more->nice);
	case OPTION_ARRAY:
		return array_in(value, said);
	case OPTION_REQUEUE:
		more->requeue = *value ? 2 : 1;
		return !*value || strcasecmp(value, "expedite") == 0;
	case OPTION_NO_REQUEUE:
		more->requeue = 0;
		return true;
	case OPTION_HOLD:
		more->held = true;
		return true;
	case OPTION_KILL_INVALID:
		more->kill_invalid_dep = strcasecmp(value, "yes") == 0;
		return more->kill_invalid_dep || strcasecmp(value, "no") == 0;
	case OPTION_MORE:
		*(const char **)(void *)((char *)more + option->at) = value;
		return true;
	case OPTION_SAID:
		*(const char **)(void *)((char *)said + option->at) = value;
		return true;
	default:
		return true;
	}
}

/* What a further component may say of its own; all else is the whole job's, said by its first. */
static bool apply_own(const struct slurm_option *option, const char *value, struct sl_job_desc *desc)
{
	switch (option->what) {
	case OPTION_TIME:
		return time_limit(value, strlen(value), &desc->limit);
	case OPTION_TIME_MIN:
		return time_limit(value, strlen(value), &desc->time_min);
	case OPTION_MORE:
		if (option->at == offsetof(struct sl_job_attributes, qos))
			desc->qos = value;
		return true;
	case OPTION_SAID:
		if (option->at == offsetof(struct slurm_said, account))
			desc->account = value;
		return true;
	default:
		return true;
	}
}

static bool options_apply(
	const struct slurm_option *option, const char *value, sl_time now, struct slurm_said *said)
{
	struct sl_job_desc *desc = &said->desc[said->desc_count - 1];
	void *at = (char *)desc + option->at;
	switch (option->what) {
	case OPTION_COUNT:
		return options_count_of(value, strcspn(value, "-"), at);
	case OPTION_MEMORY:
		return mem_in(value, at);
	case OPTION_TEXT:
		*(const char **)at = value;
		return true;
	case OPTION_FLAG:
		*(bool *)at = true;
		return true;
	case OPTION_NODES:
		return nodes_in(value, desc);
	case OPTION_EXCLUSIVE:
		return exclusive_in(value, said);
	case OPTION_SWITCHES:
		return switches_in(value, desc);
	case OPTION_EXTRA:
		return extra_in(value, desc);
	case OPTION_HINT:
		desc->no_multithread |= strcasecmp(value, "nomultithread") == 0;
		return true;
	case OPTION_TRES_PER_TASK:
		return tres_per_task_in((char *)(uintptr_t)value, desc);
	case OPTION_DROPPED:
		said->dropped |= UINT32_C(1) << option->at;
		return true;
	case OPTION_WRAP:
		said->hidden = false;
		said->script = "";
		return true;
	default:
		return said->desc_count > 1 ? apply_own(option, value, desc)
					    : apply_more(option, value, now, said);
	}
}

static void options_count(uint32_t *counter, struct slurm_said *said, const char *word)
{
	(*counter)++;
	if (said->first)
		return;
	said->first = word;
	said->position_len = (uint32_t)strcspn(word, "=");
}

/* An option's value: behind "=", or the next word where it needs one. */
static const char *options_value_of(const struct slurm_option *option, const char *behind, struct words *w)
{
	if (behind || option->value != VALUE_NEEDED)
		return behind ? behind : "";
	return word_next(w);
}

static void long_option(const char *word, struct words *w, sl_time now, struct slurm_said *said)
{
	const size_t len = strcspn(word + 2, "=");
	const char *behind = word[2 + len] ? word + 2 + len + 1 : NULL;
	const struct slurm_option *option = slurm_option_long(word + 2, len);
	if (!option) {
		options_count(&said->unknown, said, word);
		return;
	}
	const char *value = options_value_of(option, behind, w);
	if (!value || !options_apply(option, value, now, said))
		options_count(&said->unread, said, word);
}

/* "-n4", "-n 4", "-sO": letters together, as long as none takes a value. */
static void short_options(const char *word, struct words *w, sl_time now, struct slurm_said *said)
{
	for (const char *p = word + 1; *p; p++) {
		const struct slurm_option *option = slurm_option_short(*p);
		if (!option) {
			options_count(&said->unknown, said, word);
			return;
		}
		const bool takes = option->value != VALUE_NONE;
		const char *behind = takes && p[1] ? p + 1 + (p[1] == '=') : NULL;
		const char *value = options_value_of(option, behind, w);
		if (!value || !options_apply(option, value, now, said))
			options_count(&said->unread, said, word);
		if (takes)
			return;
	}
}

/* ---- The line ---------------------------------------------------------------------------------- */

static void said_clear(struct slurm_said *said, struct sl_job_desc *desc)
{
	*said = (struct slurm_said){
		.desc = desc, .desc_count = 1, .more = { SL_JOB_ATTRIBUTES_NONE }, .time_limit = SL_NONE
	};
	sl_job_desc_clear(desc);
}

/* The program's name without its folder; false: it is none of Slurm's. */
static bool program_of(const char *word, bool *batch)
{
	const char *slash = strrchr(word, '/');
	const char *name = slash ? slash + 1 : word;
	*batch = strcmp(name, "sbatch") == 0;
	return *batch || strcmp(name, "srun") == 0 || strcmp(name, "salloc") == 0;
}

/* Up to the ":" of the next component; false: there is none. */
static bool component_next(struct words *w)
{
	const char *word;
	while ((word = word_next(w)))
		if (strcmp(word, ":") == 0)
			return true;
	return false;
}

/* It begins with those options of the one before that are not reset (slurm_opt.c, reset_each_pass). */
static int begin_component(struct slurm_said *said, struct sl_job_desc *desc, struct sl_err *err)
{
	if (said->desc_count == SLURM_COMPONENTS_MAX)
		return sl_fail(err, SL_INPUT, "more than %d components of one job", SLURM_COMPONENTS_MAX);
	const struct sl_job_desc *before = &desc[said->desc_count - 1];
	struct sl_job_desc *next = &desc[said->desc_count++];
	sl_job_desc_clear(next);
	next->mem_per_node = before->mem_per_node;
	next->exclude = before->exclude;
	next->reservation = before->reservation;
	next->prefer = before->prefer;
	next->account = before->account;
	next->qos = before->qos;
	next->limit = before->limit;
	next->time_min = before->time_min;
	return SL_OK;
}

int slurm_options(
	const struct slurm_line *line, struct sl_job_desc *desc, struct slurm_said *said, struct sl_err *err)
{
	const sl_time now = line->now;
	struct words w = { line->text, line->text + line->len, line->space };
	said_clear(said, desc);
	if (line->len > SLURM_LINE_MAX)
		return sl_fail(err, SL_INPUT, "a line of options is longer than 1 MiB");
	const char *word = word_next(&w);
	bool batch;
	if (!word || !program_of(word, &batch))
		return sl_fail(err, SL_INPUT, "'%.40s' is not sbatch, srun or salloc", word ? word : "");
	said->hidden = batch;
	while ((word = word_next(&w))) {
		int status = SL_OK;
		if (strcmp(word, ":") == 0)
			status = begin_component(said, desc, err);
		else if (word[0] == '-' && word[1] == '-' && word[2])
			long_option(word, &w, now, said);
		else if (word[0] == '-' && word[1] && strcmp(word, "--") != 0)
			short_options(word, &w, now, said);
		else {
			said->script = said->script || strcmp(word, "--") == 0 ? said->script : word;
			if (batch || !component_next(&w)) /* The rest is the script's, or the command's. */
				break;
			status = begin_component(said, desc, err);
		}
		if (status)
			return status;
	}
	return SL_OK;
}
