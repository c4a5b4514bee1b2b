/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services_load.c - a service's load, as its file says it, into the text that its replicas carry
 * (sl_serves_read): a number, a day's curve, or a curve in CSV.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/table/services.h"

enum { PATH_CAPACITY = 4096 };

#define LOAD_MAX (INT64_C(1000000000) * SL_SECOND)
#define WEEK     (7 * INT64_C(86400) * SL_SECOND)

/* A text that grows until it is full. */
struct words {
	char *text;
	size_t len;
	bool full;
};

static void words_put(struct words *words, const char *text)
{
	const size_t len = strlen(text);
	words->full |= words->len + len > SL_SERVES_TEXT_MAX;
	if (words->full)
		return;
	memcpy(words->text + words->len, text, len + 1);
	words->len += len;
}

static void words_number(struct words *words, const char *before, int64_t micro)
{
	char number[32];
	*sl_put_micro(number, micro) = '\0';
	words_put(words, before);
	words_put(words, number);
}

/* ---- A day's curve ------------------------------------------------------------------------------- */

struct series {
	int64_t day[24], week[7];
	int64_t mean, amplitude, peak;
	sl_time step, phase;
	bool has_day, has_week;
	const struct sl_doc_node *file;
};

static int list_take(struct services_file *f, const struct sl_doc_node *list, int64_t *value, uint32_t count)
{
	int status = SL_OK;
	if (list->kind != SL_DOC_LIST || list->count != count)
		return workflow_fail(&f->w, list,
			count == 24 ? "a list of 24 loads" : "a list of 7 factors, Monday first");
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, list); node && !status;
		node = sl_doc_next(&f->w.doc, node))
		status = services_micro(f, node, 0, count == 24 ? LOAD_MAX : 1000 * SL_SECOND, value++);
	return status;
}

static int series_member(struct services_file *f, const struct sl_doc_node *node, struct series *series)
{
	if (workflow_is(&f->w, node, "day")) {
		series->has_day = true;
		return list_take(f, node, series->day, 24);
	}
	if (workflow_is(&f->w, node, "week")) {
		series->has_week = true;
		return list_take(f, node, series->week, 7);
	}
	if (workflow_is(&f->w, node, "mean"))
		return services_micro(f, node, 0, LOAD_MAX, &series->mean);
	if (workflow_is(&f->w, node, "amplitude"))
		return services_micro(f, node, 0, LOAD_MAX, &series->amplitude);
	if (workflow_is(&f->w, node, "peak"))
		return workflow_number(&f->w, node, 0, 23, &series->peak);
	if (workflow_is(&f->w, node, "step"))
		return workflow_time(&f->w, node, SL_SECOND, &series->step);
	if (workflow_is(&f->w, node, "phase"))
		return workflow_time(&f->w, node, 0, &series->phase);
	if (!workflow_is(&f->w, node, "file"))
		return services_unknown(f, node, "file, day, week, mean, amplitude, peak, step, phase");
	series->file = node;
	return node->kind == SL_DOC_TEXT ? SL_OK : workflow_fail(&f->w, node, "the path of a CSV file");
}

/* The mean and a cosine, at the hours: cos(15 degrees * k) in millionths. */
static void series_wave(struct series *series)
{
	static const int64_t quarter[7] = { 1000000, 965926, 866025, 707107, 500000, 258819, 0 };
	for (int64_t hour = 0; hour < 24; hour++) {
		const int64_t k = (hour - series->peak + 24) % 24;
		const int64_t half = k <= 12 ? k : 24 - k;
		const int64_t of = half <= 6 ? quarter[half] : -quarter[12 - half];
		const int64_t off = sl_mul_div(series->amplitude, of < 0 ? -of : of, SL_SECOND);
		series->day[hour] = of < 0 ? series->mean - off : series->mean + off;
	}
}

static void series_put(struct words *words, const struct series *series, const struct service *s)
{
	words_number(words, ";step=", series->step);
	words_number(words, ";phase=", (series->phase + s->from) % WEEK);
	for (size_t i = 0; i < 24; i++)
		words_number(words, i ? "," : ";day=", series->day[i]);
	for (size_t i = 0; i < 7 && series->has_week; i++)
		words_number(words, i ? "," : ";week=", series->week[i]);
}

/* ---- A curve ---------------------------------------------------------------------------------------- */

/* Points of a curve as they come: each holds until the next. */
struct curve {
	struct services_file *f;
	const struct service *s;
	struct words *words;
	const char *file;
	uint64_t line;
	sl_time last;          /* Time of the line before; SL_NONE: there was none. */
	sl_time said_at;       /* Of the last point that was written, since the service began; */
	int64_t said, pending; /* its load; the load before the service began. */
	uint32_t points;
	bool header;
};

static void curve_point(struct curve *c, sl_time at, int64_t load)
{
	if (c->points && load == c->said)
		return;
	words_number(c->words, c->points ? "," : ";points=", at - c->said_at);
	words_number(c->words, ":", load);
	c->said_at = at;
	c->said = load;
	c->points++;
}

static int curve_line(struct curve *c, const char *text, size_t len)
{
	static const char head[] = "time,requests_per_s";
	const struct sl_place at = { c->file, c->line, 0 };
	struct sl_err *err = c->f->w.err;
	int64_t time;
	int64_t load;
	if (len && text[len - 1] == '\r')
		len--;
	if (!len || *text == '#')
		return SL_OK;
	if (!c->header) {
		c->header = true;
		return len == strlen(head) && memcmp(text, head, len) == 0
			       ? SL_OK
			       : sl_fail_at(err, &at, "a load's first line is '%s': put it there", head);
	}
	const char *comma = memchr(text, ',', len);
	const size_t front = comma ? (size_t)(comma - text) : 0;
	if (!comma || !sl_get_micro(text, front, &time) || !sl_get_micro(comma + 1, len - front - 1, &load) ||
		time < 0 || time > LOAD_MAX || load < 0 || load > LOAD_MAX)
		return sl_fail_at(err, &at,
			"must be a time in seconds and requests a second, both from 0 to 1e9: '60,12.5'");
	if (c->last != SL_NONE && time <= c->last)
		return sl_fail_at(
			err, &at, "the time is not after that of the line before: put them in order");
	c->last = time;
	if (time <= c->s->from) {
		c->pending = load;
		return SL_OK;
	}
	if (!c->points)
		curve_point(c, 0, c->pending);
	if (time < c->s->until)
		curve_point(c, time - c->s->from, load);
	return SL_OK;
}

static int curve_read(struct curve *c, struct sl_input *in)
{
	struct sl_err *err = c->f->w.err;
	const char *text;
	const char *end;
	int more;
	while ((more = sl_input_next(in, &text, &end, err)) > 0) {
		while (text < end) {
			const char *newline = memchr(text, '\n', (size_t)(end - text));
			const char *stop = newline ? newline : end;
			c->line++;
			const int status = curve_line(c, text, (size_t)(stop - text));
			if (status)
				return status;
			text = newline ? stop + 1 : end;
		}
	}
	if (more)
		return more;
	if (c->last == SL_NONE)
		return sl_fail(err, SL_INPUT, "%s: has no load in it: give lines such as 0,12.5", c->file);
	if (!c->points)
		curve_point(c, 0, c->pending);
	return c->f->sink->file ? c->f->sink->file(c->f->sink->self, in, err) : SL_OK;
}

/* Sought from the folder of the services file. */
static int curve_take(
	struct services_file *f, const struct service *s, const struct sl_doc_node *node, struct words *words)
{
	const char *name = workflow_text(&f->w, node);
	char path[PATH_CAPACITY];
	struct sl_input *in;
	if (!sl_path_beside(path, sizeof(path), f->w.t.file, name))
		return sl_fail(f->w.err, SL_INPUT, "%s: '%.200s': the path is too long", f->w.t.file, name);
	struct curve curve = { .f = f, .s = s, .words = words, .file = path, .last = SL_NONE };
	int status = sl_input_open(&in, path, f->w.err);
	if (!status) {
		status = curve_read(&curve, in);
		sl_input_close(in);
	}
	if (!status && (words->full || curve.points > SL_SERVES_POINTS_MAX))
		status = sl_fail(f->w.err, SL_INPUT,
			"%s: the load changes too often to be kept (60000 bytes of times and loads): give it over "
			"longer steps",
			path);
	return status;
}

/* ---- Any of them -------------------------------------------------------------------------------------- */

static int series_take(struct services_file *f, const struct service *s, struct words *words)
{
	struct series series = { .mean = SL_NONE, .peak = 14, .step = 60 * SL_SECOND };
	const struct sl_place at = sl_doc_place(&f->w.doc, s->load);
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, s->load); node && !status;
		node = sl_doc_next(&f->w.doc, node))
		status = series_member(f, node, &series);
	if (status)
		return status;
	if ((series.file != NULL) + series.has_day + (series.mean != SL_NONE) != 1)
		return sl_fail_at(f->w.err, &at, "a load needs one of 'file', 'day' and 'mean': give one");
	if (series.file)
		return curve_take(f, s, series.file, words);
	if (series.step > 86400 * SL_SECOND)
		return sl_fail_at(f->w.err, &at, "a 'step' is at most a day: give a shorter one");
	if (!series.has_day && series.amplitude > series.mean)
		return sl_fail_at(f->w.err, &at, "'amplitude' is larger than 'mean': a load is not negative");
	if (!series.has_day)
		series_wave(&series);
	series_put(words, &series, s);
	return SL_OK;
}

int services_load(struct services_file *f, struct service *s)
{
	struct words words = { .text = malloc(SL_SERVES_TEXT_MAX + 1) };
	int64_t load = 0;
	int status = SL_OK;
	s->text = words.text;
	if (!words.text)
		return sl_fail_memory(f->w.err);
	words_number(&words, "capacity=", s->capacity);
	words_number(&words, ";cold=", s->cold);
	words_number(&words, ";until=", s->until - s->from);
	if (s->load->kind == SL_DOC_TEXT)
		status = services_micro(f, s->load, 0, LOAD_MAX, &load);
	else if (s->load->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, s->load, "a number of requests a second, or a map");
	else
		status = series_take(f, s, &words);
	if (!status && s->load->kind == SL_DOC_TEXT)
		words_number(&words, ";points=0:", load);
	if (status)
		return status;
	const char *wrong = sl_serves_read(&s->serves, s->text);
	return wrong ? workflow_fail(&f->w, s->load, wrong) : SL_OK;
}
