/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_script.c - the same commands from a file, line by line, with what they print on stdout; and records.
 *
 * A record is a script with a head that names its run: whoever plays it again sees what the student saw, and
 * whether the predictions came out as the record says.
 *
 *   # schedlab.step/1
 *   # four.swf under easy, digest 8bcd9b52a7ce0f4d
 *   n 3
 *   p 5  # right
 *   # score: 1 of 1 right
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

static const char record_mark[] = "# schedlab.step/1";
static const char right_mark[] = "  # right";
static const char wrong_mark[] = "  # wrong";

enum { LINES_MAX = 1000000, MOVES_REPORTED = 50 };

/* ---- JSON ------------------------------------------------------------------------------------------ */

static const char *const event_name[] = { [HAPPENED_SUBMIT] = "submit",
	[HAPPENED_GATED] = "submit_held",
	[HAPPENED_RELEASED] = "eligible",
	[HAPPENED_END] = "end",
	[HAPPENED_LIMIT] = "time_limit",
	[HAPPENED_CANCEL] = "cancel",
	[HAPPENED_DEADLINE] = "deadline",
	[HAPPENED_FAILED] = "fail",
	[HAPPENED_REQUEUED] = "requeue",
	[HAPPENED_DEFERRED] = "put_off",
	[HAPPENED_NODE_DOWN] = "node_down",
	[HAPPENED_NODE_UP] = "node_up",
	[HAPPENED_DRAIN] = "drain",
	[HAPPENED_UNDRAIN] = "undrain",
	[HAPPENED_WINDOW] = "reservation",
	[HAPPENED_START] = "start",
	[HAPPENED_PREEMPT] = "preempt",
	[HAPPENED_RESUME] = "resume",
	[HAPPENED_RESIZE] = "resize",
	[HAPPENED_STOP] = "stop",
	[HAPPENED_PLAN] = "plan" };

/* As JSON text, into a cell. */
static void put_json(struct cell *cell, const char *text)
{
	cell_put(cell, "\"");
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			cell_put(cell, "\\%c", c);
		else if (c < ' ')
			cell_put(cell, "\\u%04x", c);
		else
			cell_put(cell, "%c", c);
	}
	cell_put(cell, "\"");
}

static void step_script_put_text(struct cell *cell, const char *key, const char *text)
{
	cell_put(cell, ", \"%s\": ", key);
	put_json(cell, text);
}

static void step_script_put_time(struct cell *cell, const char *key, sl_time at)
{
	char text[40];
	*sl_put_micro(text, at == SL_NONE ? 0 : at) = '\0';
	cell_put(cell, ", \"%s\": %s", key, at == SL_NONE ? "null" : text);
}

static void json_happening(struct stepper *stepper, size_t instant, uint32_t number, struct cell *cell)
{
	const struct happening *one = step_happening(stepper, instant, number);
	const struct explain *explain = &stepper->explain;
	const struct sl_cluster *cluster = explain->view.cluster;
	cell_put(cell, "{\"event\": \"%s\"", event_name[one->what]);
	step_script_put_time(cell, "at", stepper->instant[instant].at);
	if (one->what >= HAPPENED_NODE_DOWN && one->what <= HAPPENED_UNDRAIN && cluster->node_name &&
		cluster->node_name[one->row]) {
		step_script_put_text(cell, "node", cluster->node_name[one->row]);
	} else if (one->what < HAPPENED_NODE_DOWN || is_decision(one)) {
		step_script_put_text(cell, "job", id_text(explain, one->row));
	}
	if (is_decision(one) && one->what != HAPPENED_PLAN)
		cell_put(cell, ", \"rule\": \"%s\"", sl_rule_name((enum sl_rule)one->rule));
	if (is_decision(one) && one->beneficiary != UINT32_MAX) {
		step_script_put_text(cell, "for", id_text(explain, one->beneficiary));
	}
	if (one->what == HAPPENED_PLAN)
		step_script_put_time(cell, "planned", one->start);
	step_script_put_text(cell, "text", happening_words(stepper, instant, number));
	cell_put(cell, "}\n");
}

int script_events(struct stepper *stepper, struct sl_err *err)
{
	struct cell cell = { 0 };
	for (size_t i = 0; i < stepper->instant_count; i++) {
		const int status = step_fresh(stepper, err);
		if (status)
			return status;
		if (atomic_load(&cli_stop))
			return sl_fail(err, SL_INTERRUPTED, "interrupted");
		for (uint32_t k = 0; k < stepper->instant[i].count; k++) {
			cell_clear(&cell);
			json_happening(stepper, i, k, &cell);
			(void)fputs(cell.text ? cell.text : "", stdout);
		}
	}
	cell_free(&cell);
	return SL_OK;
}

/* ---- What a command prints ------------------------------------------------------------------------------
 */

struct playing {
	struct stepper *stepper;
	const struct script *script;
	struct sl_out *record;
	struct cell said; /* By the last command, as text; */
	struct cell json; /* the same as JSON lines. */
	char command[64]; /* For messages. */
	size_t line;
	uint32_t contradicted; /* Predictions of a record that came out otherwise. */
};

static const char *line_kind(const struct effect *effect, size_t line)
{
	return effect->answered && line == 0 ? (effect->right ? "right" : "wrong") : "text";
}

static void say_json(struct playing *playing, const char *kind, const char *text)
{
	cell_put(&playing->json, "{\"event\": \"%s\"", kind);
	step_script_put_time(&playing->json, "at", playing->stepper->now);
	step_script_put_text(&playing->json, "text", text);
	cell_put(&playing->json, "}\n");
}

static void step_script_say(struct playing *playing, const char *kind, const char *text)
{
	cell_put(&playing->said, "%s\n", text);
	say_json(playing, kind, text);
}

/* All of them, which go. */
static void say_reported(struct playing *playing, struct report_lines *reported)
{
	for (size_t i = 0; i < reported->count; i++)
		step_script_say(playing, "text", reported->line[i]);
	reported_free(reported);
}

/* What happened on the way, in words; of many the last. */
static void say_moves(struct playing *playing, const struct effect *effect)
{
	struct stepper *stepper = playing->stepper;
	const size_t end = stepper->at < stepper->instant_count
				   ? stepper->instant[stepper->at].first + stepper->displayed
				   : stepper->happening_count;
	const size_t begin = effect->from < stepper->instant_count
				     ? stepper->instant[effect->from].first + effect->from_displayed
				     : stepper->happening_count;
	const size_t count = end > begin ? end - begin : 0;
	const size_t first = count > MOVES_REPORTED && !playing->script->json ? end - MOVES_REPORTED : begin;
	if (first > begin)
		cell_put(&playing->said, "%zu events and decisions, the last of them:\n", count);
	for (size_t i = effect->from; i < stepper->at + (stepper->displayed > 0); i++) {
		const uint32_t displayed = i == stepper->at ? stepper->displayed : stepper->instant[i].count;
		for (uint32_t k = 0; k < displayed; k++) {
			if (stepper->instant[i].first + k < first)
				continue;
			cell_put(&playing->said, "%s  %s\n",
				time_text(&stepper->explain, stepper->instant[i].at),
				happening_words(stepper, i, k));
			json_happening(stepper, i, k, &playing->json);
		}
	}
	if (!count || effect->back)
		step_script_say(playing, "now",
			report_text(&stepper->explain, "now %s", time_text(&stepper->explain, stepper->now)));
}

static int draw_screen(const struct playing *playing, struct cell *text, struct sl_err *err)
{
	struct canvas canvas;
	int status = canvas_init(&canvas, playing->script->columns, playing->script->rows, err);
	if (status)
		return status;
	status = step_draw(playing->stepper, &canvas, NULL, err);
	if (!status)
		canvas_text(&canvas, text);
	canvas_free(&canvas);
	while (text->len > 1 && text->text[text->len - 1] == '\n' && text->text[text->len - 2] == '\n')
		text->text[--text->len] = '\0';
	return status;
}

static int say_screen(struct playing *playing, struct sl_err *err)
{
	struct cell screen = { 0 };
	const int status = draw_screen(playing, &screen, err);
	if (!status) {
		cell_put(&playing->said, "%s", screen.text ? screen.text : "");
		say_json(playing, "screen", screen.text ? screen.text : "");
	}
	cell_free(&screen);
	return status;
}

/* line: the command; NULL: nobody's. */
static void print_said(struct playing *playing, const char *line)
{
	if (playing->script->json)
		(void)fputs(playing->json.text ? playing->json.text : "", stdout);
	else {
		if (playing->script->echo && line)
			(void)printf("> %s\n", line);
		(void)fputs(playing->said.text ? playing->said.text : "", stdout);
	}
	(void)fflush(stdout);
}

/* ---- Records
 * ----------------------------------------------------------------------------------------------- */

static void put_run(const struct stepper *stepper, struct cell *cell)
{
	const char *trace = stepper->explain.view.scenario->input.path;
	const char *slash = strrchr(trace, '/');
	const struct sl_result *result = stepper->explain.view.result;
	cell_put(cell, "# %s under %s, digest %016" PRIx64,
		plain_text(&stepper->explain, slash ? slash + 1 : trace),
		plain_text(&stepper->explain, result->policy), result->digest);
}

void record_head(struct stepper *stepper, struct sl_out *record)
{
	struct cell cell = { 0 };
	put_run(stepper, &cell);
	sl_out_printf(record, "%s\n", record_mark);
	sl_out_text(record, cell.text ? cell.text : "");
	sl_out_text(record, "\n");
	cell_free(&cell);
}

void record_command(const char *line, const struct effect *effect, struct sl_out *record)
{
	if (!record || !effect->keep)
		return;
	sl_out_text(record, line);
	sl_out_text(record, effect->answered ? (effect->right ? right_mark : wrong_mark) : "");
	sl_out_text(record, "\n");
}

void record_end(const struct stepper *stepper, struct sl_out *record)
{
	sl_out_printf(
		record, "# score: %" PRIu32 " of %" PRIu32 " right\n", stepper->right, stepper->guesses);
}

/* The first two lines: of this run? */
static int check_head(struct playing *playing, const char *line, struct sl_err *err)
{
	struct cell cell = { 0 };
	int status = SL_OK;
	if (playing->line == 1 && strcmp(line, record_mark) != 0)
		return sl_fail(err, SL_INPUT,
			"%s:1: this is no record of step: give a file that --record wrote",
			playing->script->path);
	put_run(playing->stepper, &cell);
	if (playing->line == 2 && strcmp(line, cell.text ? cell.text : "") != 0)
		status = sl_fail(err, SL_DIFFERS,
			"%s:2: the record is of another run: it says '%.200s', this one is '%.200s'",
			playing->script->path, line, cell.text ? cell.text : "");
	cell_free(&cell);
	return status;
}

/* ---- Lines
 * ---------------------------------------------------------------------------------------------------- */

/* Runs of blanks and ends of lines as one blank. */
static void fold(const char *text, struct cell *folded)
{
	bool blank = false;
	for (; *text; text++) {
		const bool is = *text == ' ' || *text == '\n' || *text == '\t';
		if (is && blank)
			continue;
		cell_put(folded, "%c", is ? ' ' : *text);
		blank = is;
	}
}

static bool has(const char *text, const char *wanted)
{
	struct cell in = { 0 };
	struct cell of = { 0 };
	fold(text, &in);
	fold(wanted, &of);
	const bool found = strstr(in.text ? in.text : "", of.text ? of.text : "") != NULL;
	cell_free(&in);
	cell_free(&of);
	return found;
}

static int expect(struct playing *playing, const char *wanted, struct sl_err *err)
{
	struct cell screen = { 0 };
	if (has(playing->said.text ? playing->said.text : "", wanted))
		return SL_OK;
	const int status = draw_screen(playing, &screen, err);
	const bool found = !status && has(screen.text ? screen.text : "", wanted);
	cell_free(&screen);
	if (status || found)
		return status;
	return sl_fail(err, SL_CHECK_FAILED,
		"%s:%zu: expected '%.200s': it is neither what '%s' printed nor on the screen",
		playing->script->path, playing->line, wanted, playing->command);
}

/* What is behind " #" says nothing, but of a record's prediction. Returns its note; NULL: none. */
static const char *cut_note(char *line)
{
	const char *note = NULL;
	char *at = strstr(line, " #");
	if (*line == '#')
		*line = '\0';
	else if (at) {
		note = at + 2 + strspn(at + 2, " ");
		*at = '\0';
	}
	for (size_t len = strlen(line); len && (line[len - 1] == ' ' || line[len - 1] == '\t'); len--)
		line[len - 1] = '\0';
	return note;
}

static void compare_note(struct playing *playing, const char *note, const struct effect *effect)
{
	const char *found = effect->right ? "right" : "wrong";
	if (!playing->script->replay || !effect->answered || !note || strcmp(note, found) == 0)
		return;
	playing->contradicted++;
	talk("%s:%zu: the record says '%.20s', but that prediction is %s", playing->script->path,
		playing->line, note, found);
}

static int fail_line(const struct playing *playing, int status, const struct sl_err *why, struct sl_err *err)
{
	return sl_fail(err, status == SL_USAGE ? SL_INPUT : status, "%s:%zu: %s", playing->script->path,
		playing->line, why->text);
}

static int play(struct playing *playing, char *line, bool *quits, struct sl_err *err)
{
	static const char expects[] = "expect ";
	struct effect effect = { 0 };
	struct sl_err why = { 0 };
	if (strncmp(line, expects, sizeof(expects) - 1) == 0)
		return expect(playing, line + sizeof(expects) - 1, err);
	const char *note = cut_note(line);
	line += strspn(line, " \t");
	if (!*line)
		return SL_OK;
	(void)snprintf(playing->command, sizeof(playing->command), "%.60s", line);
	cell_clear(&playing->said);
	cell_clear(&playing->json);
	int status = step_command(playing->stepper, line, &effect, &why);
	if (!status && effect.moved && !effect.answered)
		say_moves(playing, &effect);
	for (size_t i = 0; !status && i < effect.reported.count; i++)
		step_script_say(playing, line_kind(&effect, i), effect.reported.line[i]);
	if (!status && effect.screen)
		status = say_screen(playing, &why);
	reported_free(&effect.reported);
	if (!status && effect.answered) {
		struct report_lines reported = { 0 };
		status = quiz_goes_on(playing->stepper, &reported, &why);
		say_reported(playing, &reported);
	}
	if (status == SL_USAGE && !playing->script->echo && !playing->script->json) { /* Somebody types. */
		(void)printf("%s\n", why.text);
		return SL_OK;
	}
	if (status)
		return fail_line(playing, status, &why, err);
	compare_note(playing, note, &effect);
	record_command(line, &effect, playing->record);
	print_said(playing, line);
	*quits = effect.quit;
	return SL_OK;
}

static void begin_quiz(struct playing *playing, struct sl_err *err, int *status)
{
	struct report_lines reported = { 0 };
	*status = quiz_goes_on(playing->stepper, &reported, err);
	say_reported(playing, &reported);
	print_said(playing, NULL);
}

/* Prompts whoever types. */
static bool next_line(const struct playing *playing, char *line, int size, FILE *file)
{
	const bool typed = !playing->script->echo && !playing->script->json;
	if (typed) {
		(void)fputs("step> ", stdout);
		(void)fflush(stdout);
	}
	if (fgets(line, size, file))
		return true;
	if (typed)
		(void)fputc('\n', stdout);
	return false;
}

static int read_lines(struct playing *playing, FILE *file, struct sl_err *err)
{
	enum { BYTES_MAX = 4000 };
	char line[BYTES_MAX + 2];
	bool quits = false;
	int status = SL_OK;
	if (playing->stepper->quiz)
		begin_quiz(playing, err, &status);
	while (!status && !quits && next_line(playing, line, sizeof(line), file)) {
		size_t len = strlen(line);
		playing->line++;
		if (len > BYTES_MAX || playing->line > LINES_MAX)
			return sl_fail(err, SL_INPUT,
				"%s:%zu: the script is too long: lines of at most %d bytes, %d of them",
				playing->script->path, playing->line, BYTES_MAX, LINES_MAX);
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		if (playing->script->replay && playing->line <= 2)
			status = check_head(playing, line, err);
		else
			status = play(playing, line, &quits, err);
		if (!status && atomic_load(&cli_stop))
			status = sl_fail(err, SL_INTERRUPTED, "interrupted");
	}
	if (!status && ferror(file))
		return sl_fail_sys(err, SL_INPUT, "read", playing->script->path);
	if (!status && playing->script->replay && playing->line < 2)
		return sl_fail(err, SL_INPUT,
			"%s: this is no record of step: give a file that --record wrote",
			playing->script->path);
	return status;
}

int script_run(
	struct stepper *stepper, const struct script *script, struct sl_out *record, struct sl_err *err)
{
	struct playing playing = {
		.stepper = stepper, .script = script, .record = record, .command = "the beginning"
	};
	FILE *file = strcmp(script->path, "-") == 0 ? stdin : fopen(script->path, "r");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", script->path);
	int status = read_lines(&playing, file, err);
	if (file != stdin)
		(void)fclose(file);
	if (!status && (quiz_is_on(stepper) || (script->replay && stepper->guesses))) {
		struct report_lines reported = { 0 };
		report_score(stepper, &reported);
		if (script->json)
			(void)printf("{\"event\": \"score\", \"right\": %" PRIu32 ", \"asked\": %" PRIu32
				     "}\n",
				stepper->right, stepper->guesses);
		else
			(void)printf("%s\n", reported.count ? reported.line[0] : "");
		reported_free(&reported);
	}
	if (!status && playing.contradicted)
		status = sl_fail(err, SL_CHECK_FAILED,
			"%s: %" PRIu32 " of its predictions came out otherwise than it says", script->path,
			playing.contradicted);
	cell_free(&playing.said);
	cell_free(&playing.json);
	return status;
}
