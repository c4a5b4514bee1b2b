/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_commands.c - what one may say: commands of a line, for scripts and, behind its keys, the terminal.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step/step.h"

/* What follows the command's word. */
struct words {
	const char *first; /* NULL: there is none. */
	const char *second;
};

/* A command, which may do without any of these. */
#define MAY __attribute__((unused))
#define COMMAND(name)                                                               \
	static int name(MAY struct stepper *stepper, MAY const struct words *words, \
		MAY struct effect *effect, MAY struct sl_err *err)

static int fail_words(const char *usage, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "write it as: %s", usage);
}

/* ---- Going --------------------------------------------------------------------------------------------- */

static int times_of(const struct words *words, int64_t *times, const char *usage, struct sl_err *err)
{
	*times = 1;
	if (!words->first)
		return SL_OK;
	return sl_get_i64(words->first, strlen(words->first), times) && *times > 0 && *times <= 1000000000
		       ? SL_OK
		       : fail_words(usage, err);
}

COMMAND(go_next)
{
	int64_t times;
	const int status = times_of(words, &times, "n [TIMES]", err);
	if (status)
		return status;
	if (step_is_at_end(stepper))
		return sl_fail(err, SL_USAGE, "this is the end of the run: b goes back");
	const size_t left = stepper->instant_count - stepper->at;
	return step_to(stepper, stepper->at + ((uint64_t)times < left ? (size_t)times : left), 0, err);
}

COMMAND(go_decision)
{
	int64_t times;
	int status = times_of(words, &times, "N [TIMES]", err);
	if (!status && step_is_at_end(stepper))
		return sl_fail(err, SL_USAGE, "this is the end of the run: b goes back");
	size_t at = stepper->at;
	uint32_t displayed = stepper->displayed;
	for (; times > 0 && at < stepper->instant_count; times--)
		if (++displayed >= stepper->instant[at].count) {
			at++;
			displayed = 0;
		}
	return status ? status : step_to(stepper, at, displayed, err);
}

COMMAND(go_back)
{
	int64_t times;
	const int status = times_of(words, &times, "b [TIMES]", err);
	if (status)
		return status;
	if (!stepper->at && !stepper->displayed)
		return sl_fail(err, SL_USAGE, "this is the beginning of the run");
	effect->back = true;
	const sl_time last = stepper->at ? stepper->instant[stepper->at - 1].at : stepper->begin;
	if (stepper->displayed || stepper->now > last) /* The last one first. */
		times--;
	return step_to(stepper, stepper->at > (uint64_t)times ? stepper->at - (size_t)times : 0, 0, err);
}

COMMAND(go_start)
{
	if (words->first)
		return fail_words("s (to the next start)", err);
	for (size_t i = stepper->at; i < stepper->instant_count; i++)
		for (uint32_t k = i == stepper->at ? stepper->displayed : 0; k < stepper->instant[i].count;
			k++)
			if (step_happening(stepper, i, k)->what == HAPPENED_START)
				return step_to(stepper, i + 1, 0, err);
	return sl_fail(err, SL_USAGE, "nobody starts any more");
}

COMMAND(go_time)
{
	const char *text = words->first;
	sl_time time = 0;
	bool good = text && !words->second;
	if (good && strcmp(text, "end") == 0)
		return step_to(stepper, stepper->instant_count, 0, err);
	if (good && strcmp(text, "begin") == 0)
		time = stepper->begin - 1;
	else if (good && (*text == '+' || *text == '-')) {
		good = sl_get_duration(text + 1, strlen(text + 1), &time);
		time = !good                            ? 0
		       : *text == '-'                   ? stepper->now - time
		       : time < SL_NEVER - stepper->now ? stepper->now + time
							: SL_NEVER;
	} else
		good = good && view_time(&stepper->explain.view, text, &time);
	if (!good)
		return fail_words("t 3600, t +1h, t -10m, t 2001-12-31T23:59, t begin, t end", err);
	effect->back = time < stepper->now;
	return step_to_time(stepper, time, err);
}

/* ---- Jobs -----------------------------------------------------------------------------------------------
 */

/* "17", "J17", "train-7". */
static int find_job(const struct stepper *stepper, const char *text, uint32_t *job, struct sl_err *err)
{
	struct sl_err none = { 0 };
	if (explain_find(&stepper->explain, text, job, &none) == SL_OK)
		return SL_OK;
	if ((*text == 'J' || *text == 'j') && text[1] >= '0' && text[1] <= '9')
		text++;
	return explain_find(&stepper->explain, text, job, err);
}

enum milestone { OF_ANY, OF_SUBMIT, OF_START, OF_END };

static bool is_milestone(const struct happening *one, enum milestone wanted)
{
	const bool submit = one->what == HAPPENED_SUBMIT || one->what == HAPPENED_GATED;
	const bool end = is_over(one);
	const bool start = one->what == HAPPENED_START;
	return wanted == OF_SUBMIT  ? submit
	       : wanted == OF_START ? start
	       : wanted == OF_END   ? end
				    : submit || start || end;
}

/* The first such instant of those; instant_count: none. */
static size_t find_milestone(
	const struct stepper *stepper, size_t from, size_t to, uint32_t job, enum milestone wanted)
{
	for (size_t i = from; i < to; i++)
		for (uint32_t k = 0; k < stepper->instant[i].count; k++) {
			const struct happening *one = step_happening(stepper, i, k);
			const bool of_job = one->what < HAPPENED_NODE_DOWN || one->what > HAPPENED_WINDOW;
			if (of_job && one->row == job && is_milestone(one, wanted))
				return i;
		}
	return stepper->instant_count;
}

COMMAND(go_job)
{
	static const char *const word[] = { [OF_SUBMIT] = "submit", [OF_START] = "start", [OF_END] = "end" };
	enum milestone wanted = OF_ANY;
	uint32_t job;
	if (!words->first)
		return fail_words("j JOB [submit|start|end]", err);
	for (int i = OF_SUBMIT; words->second && i <= OF_END; i++)
		if (strcmp(words->second, word[i]) == 0)
			wanted = (enum milestone)i;
	if (words->second && wanted == OF_ANY)
		return fail_words("j JOB [submit|start|end]", err);
	const int status = find_job(stepper, words->first, &job, err);
	if (status)
		return status;
	size_t at = find_milestone(stepper, stepper->at, stepper->instant_count, job, wanted);
	if (at == stepper->instant_count && wanted != OF_ANY)
		at = find_milestone(stepper, 0, stepper->at, job, wanted);
	if (at == stepper->instant_count)
		return wanted == OF_ANY
			       ? sl_fail(err, SL_USAGE, "nothing more happens to %s: j %s start goes back",
					 job_words(stepper, job), words->first)
			       : sl_fail(err, SL_USAGE, "there is no %s of %s in this replay", word[wanted],
					 job_words(stepper, job));
	effect->back = at < stepper->at;
	return step_to(stepper, at + 1, 0, err);
}

/* Who is first in the queue; UINT32_MAX: nobody waits. */
static int first_waiting(struct stepper *stepper, uint32_t *job, struct sl_err *err)
{
	struct picture picture;
	const int status = picture_take(stepper, &picture, err);
	*job = UINT32_MAX;
	for (size_t i = 0; !status && i < picture.waiting_count && *job == UINT32_MAX; i++)
		if (!(picture.waiting[i].flags & FLAG_STARTS))
			*job = picture.waiting[i].job;
	return status;
}

COMMAND(say_why)
{
	uint32_t job;
	if (words->second)
		return fail_words("w [JOB]", err);
	const int status =
		words->first ? find_job(stepper, words->first, &job, err) : first_waiting(stepper, &job, err);
	if (status)
		return status;
	if (job == UINT32_MAX)
		report_line(stepper, &effect->reported, "nobody waits");
	else
		report_why(stepper, job, &effect->reported);
	return SL_OK;
}

/* ---- Predictions ------------------------------------------------------------------------------------------
 */

static int check_waits(struct stepper *stepper, uint32_t job, struct sl_err *err)
{
	struct picture picture;
	const int status = picture_take(stepper, &picture, err);
	for (size_t i = 0; !status && i < picture.waiting_count; i++)
		if (picture.waiting[i].job == job)
			return SL_OK;
	return status ? status
		      : sl_fail(err, SL_USAGE, "%s does not wait at %s: name a job of the queue",
				job_words(stepper, job), time_text(&stepper->explain, stepper->now));
}

COMMAND(predict)
{
	bool found;
	uint32_t job = UINT32_MAX;
	if (words->second)
		return fail_words("p [JOB]", err);
	int status = question_find(stepper, &found, err);
	if (status)
		return status;
	if (!found) {
		report_line(stepper, &effect->reported, "nothing is left to predict");
		return SL_OK;
	}
	if (!words->first) {
		report_question(stepper, &effect->reported);
		return SL_OK;
	}
	status = find_job(stepper, words->first, &job, err);
	if (!status)
		status = check_waits(stepper, job, err);
	if (!status)
		status = question_answer(stepper, job, &effect->right, &effect->reported, err);
	effect->answered = !status;
	return status;
}

COMMAND(say_score)
{
	report_score(stepper, &effect->reported);
	return SL_OK;
}

/* ---- The screen
 * -------------------------------------------------------------------------------------------- */

COMMAND(set_strip)
{
	if (words->first && strcmp(words->first, "jobs") != 0 && strcmp(words->first, "nodes") != 0)
		return fail_words("g [jobs|nodes]", err);
	stepper->by_node = words->first ? *words->first == 'n' : !stepper->by_node;
	return SL_OK;
}

COMMAND(set_zoom)
{
	enum { ZOOM_MAX = 20 };
	if (!words->first || (strcmp(words->first, "in") != 0 && strcmp(words->first, "out") != 0))
		return fail_words("zoom in, zoom out", err);
	if (words->first[0] == 'i')
		stepper->zoom += stepper->zoom < ZOOM_MAX;
	else
		stepper->zoom -= stepper->zoom > 0;
	return SL_OK;
}

COMMAND(show)
{
	effect->screen = true;
	return SL_OK;
}

COMMAND(quit)
{
	effect->quit = true;
	return SL_OK;
}

const char *const step_help[] = {
	"keys, and commands of a line (:)",
	"n, Enter, right       the next event: all that happens at one instant",
	"N, d                  the next event or decision, one at a time",
	"b, left               one instant back",
	"s                     the next start",
	"t TIME                to a time: t 3600, t +1h, t -10m, a date, t begin, t end",
	"j JOB [submit|start|end]  to what happens next to a job, or to that of it",
	"w [JOB]               why it waits now; without a name: the first of the queue",
	"p [JOB]               predict: which job starts next?",
	"score                 predictions so far",
	"g [jobs|nodes]        the strip: rows are jobs, or nodes",
	"+, -, zoom in|out     less time in the strip, or more",
	"up, down              through the queue",
	"show                  the screen, in a script",
	"expect TEXT           in a script: it stands in what was printed last, or on the screen",
	"q                     quit",
	"strip: = ran, - may run on to its limit, . waited, ~ planned",
	NULL,
};

COMMAND(help)
{
	for (size_t i = 0; step_help[i]; i++)
		report_line(stepper, &effect->reported, "%s", step_help[i]);
	return SL_OK;
}

/* ---- All of them
 * --------------------------------------------------------------------------------------------- */

static const struct {
	const char *word, *brief;
	int (*run)(struct stepper *stepper, const struct words *words, struct effect *effect,
		struct sl_err *err);
	bool keep;      /* Belongs into a record. */
	bool reporting; /* Would reveal the answer of a quiz. */
} commands[] = {
	{ "next", "n", go_next, true, true },
	{ "decision", "N", go_decision, true, true },
	{ "decision", "d", go_decision, true, true },
	{ "back", "b", go_back, true, true },
	{ "start", "s", go_start, true, true },
	{ "time", "t", go_time, true, true },
	{ "job", "j", go_job, true, true },
	{ "why", "w", say_why, true, false },
	{ "predict", "p", predict, true, false },
	{ "score", "score", say_score, false, false },
	{ "strip", "g", set_strip, false, false },
	{ "zoom", "zoom", set_zoom, false, false },
	{ "show", "show", show, false, false },
	{ "help", "h", help, false, false },
	{ "quit", "q", quit, false, false },
};

enum { LINE_MAX_BYTES = 1000 };

static const char *word_at(const void *list, size_t i)
{
	(void)list;
	return i < SL_LEN(commands) ? commands[i].word : NULL;
}

static int fail_unknown(const char *word, struct sl_err *err)
{
	char similar[128];
	return sl_fail(err, SL_USAGE, "unknown command '%.40s': %sh shows all", word,
		did_you_mean(similar, nearest(word, word_at, NULL)));
}

/* Cut out of the text; NULL: there are no more. */
static char *next_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end = word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

int step_command(struct stepper *stepper, const char *line, struct effect *effect, struct sl_err *err)
{
	char text[LINE_MAX_BYTES];
	char *left = text;
	*effect = (struct effect){ .from = stepper->at, .from_displayed = stepper->displayed };
	int status = step_fresh(stepper, err);
	if (status)
		return status;
	if (strlen(line) >= sizeof(text))
		return sl_fail(err, SL_USAGE, "a command has at most %d characters", LINE_MAX_BYTES - 1);
	memcpy(text, line, strlen(line) + 1);
	const char *word = next_word(&left);
	struct words words = { .first = word ? next_word(&left) : NULL };
	words.second = words.first ? next_word(&left) : NULL;
	if (words.second && next_word(&left))
		return sl_fail(
			err, SL_USAGE, "'%.40s' is followed by too many words: h shows how it goes", word);
	size_t i = 0;
	while (word && i < SL_LEN(commands) && strcmp(word, commands[i].word) != 0 &&
		strcmp(word, commands[i].brief) != 0)
		i++;
	if (!word || i == SL_LEN(commands))
		return fail_unknown(word ? word : "", err);
	if (commands[i].reporting && stepper->hide && quiz_is_on(stepper))
		return sl_fail(err, SL_USAGE, "a question stands: answer it with p JOB");
	effect->keep = commands[i].keep;
	status = commands[i].run(stepper, &words, effect, err);
	effect->moved =
		stepper->at != effect->from || stepper->displayed != effect->from_displayed || effect->back;
	return status;
}
