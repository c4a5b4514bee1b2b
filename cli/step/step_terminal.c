/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_terminal.c - by keys, on a terminal that understands ECMA-48 (all but TERM=dumb).
 *
 * A process of its own draws and reads; the first one only waits for it, with the terminal's settings as they
 * were. However the other one ends (a fault, a failed check, SIGKILL), the terminal is put back. Signals are
 * read like keys (signalfd), so that no handler has anything to remember.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/step/step.h"

/* The alternate screen, without a cursor; and back. */
static const char enter_screen[] = "\033[?1049h\033[?25l\033[2J";
static const char leave_screen[] = "\033[m\033[?25h\033[?1049l";

enum { COLUMNS_MIN = 60, ROWS_MIN = 20, COLUMNS_MAX = 500, ROWS_MAX = 200, TYPED_MAX = 200 };

enum key {
	KEY_NONE = 256, /* Below: a byte. */
	KEY_UP,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_ESCAPE,
	KEY_RESIZED,
	KEY_OVER /* Nobody is there any more, or a signal says so. */
};

struct terminal {
	struct stepper *stepper;
	struct sl_out *record;
	struct termios was;
	int signals; /* A signalfd. */
	bool color;
	struct report_lines reported; /* Shown until a key; its texts are kept. */
	char note[300];               /* In the last row. */
	bool warns;
	int status;
	struct sl_err *err;
};

bool terminal_is_there(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

static void write_all(const char *text, size_t len)
{
	while (len) {
		const ssize_t done = write(STDOUT_FILENO, text, len);
		if (done < 0 && errno == EINTR && !atomic_load(&cli_stop))
			continue;
		if (done <= 0)
			return;
		text += done;
		len -= (size_t)done;
	}
}

/* ---- In and out ---------------------------------------------------------------------------------------- */

static void raw_on(const struct terminal *terminal)
{
	struct termios raw = terminal->was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Signals stay: Ctrl-C is one. */
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	write_all(enter_screen, sizeof(enter_screen) - 1);
}

static void raw_off(const struct terminal *terminal)
{
	write_all(leave_screen, sizeof(leave_screen) - 1);
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->was);
}

static void watched(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGWINCH);
	(void)sigaddset(set, SIGHUP);
	(void)sigaddset(set, SIGQUIT);
	(void)sigaddset(set, SIGTSTP);
}

/* Stopped with the terminal as it was; goes on as it is now. */
static void stand_by(const struct terminal *terminal)
{
	raw_off(terminal);
	(void)raise(SIGSTOP);
	raw_on(terminal);
}

static int read_signal(const struct terminal *terminal)
{
	struct signalfd_siginfo info;
	if (read(terminal->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return KEY_NONE;
	if (info.ssi_signo == SIGTSTP)
		stand_by(terminal);
	return info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT ? KEY_OVER : KEY_RESIZED;
}

static bool more_comes(void)
{
	enum { ESCAPE_MS = 50 };
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&wait, 1, ESCAPE_MS) > 0;
}

static int read_byte(void)
{
	unsigned char byte;
	return read(STDIN_FILENO, &byte, 1) == 1 ? byte : -1;
}

/* What follows ESC: "[A", "OA", "[5~"; else it was the key itself. */
static int read_escape(void)
{
	static const struct {
		char last;
		int key;
	} keys[] = { { 'A', KEY_UP }, { 'B', KEY_DOWN }, { 'C', KEY_RIGHT }, { 'D', KEY_LEFT } };
	if (!more_comes())
		return KEY_ESCAPE;
	const int kind = read_byte();
	if (kind != '[' && kind != 'O')
		return KEY_ESCAPE;
	int number = 0;
	int last = -1;
	for (int i = 0; i < 16 && more_comes(); i++) {
		last = read_byte();
		if (last < '0' || last > ';')
			break;
		number = last <= '9' ? (number * 10 + last - '0') % 1000 : 0;
	}
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (keys[i].last == last)
			return keys[i].key;
	return last != '~' ? KEY_NONE : number == 5 ? KEY_PAGE_UP : number == 6 ? KEY_PAGE_DOWN : KEY_NONE;
}

static int read_key(const struct terminal *terminal)
{
	struct pollfd wait[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = terminal->signals, .events = POLLIN } };
	if (atomic_load(&cli_stop) || (poll(wait, 2, -1) < 0 && errno != EINTR))
		return KEY_OVER;
	if (atomic_load(&cli_stop))
		return KEY_OVER;
	if (wait[1].revents & POLLIN)
		return read_signal(terminal);
	if (!wait[0].revents)
		return KEY_NONE;
	const int byte = read_byte();
	return byte < 0 ? KEY_OVER : byte == '\033' ? read_escape() : byte;
}

/* ---- The screen
 * --------------------------------------------------------------------------------------------- */

static void step_terminal_size_of(int *columns, int *rows)
{
	struct winsize window;
	const bool said = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col && window.ws_row;
	*columns = said ? window.ws_col : 80;
	*rows = said ? window.ws_row : 24;
	*columns = *columns > COLUMNS_MAX ? COLUMNS_MAX : *columns;
	*rows = *rows > ROWS_MAX ? ROWS_MAX : *rows;
}

static void step_terminal_fill(struct terminal *terminal, struct canvas *canvas, const char *last)
{
	if (canvas->columns < COLUMNS_MIN || canvas->rows < ROWS_MIN) {
		(void)canvas_put(canvas, 0, 0, canvas->columns, STYLE_WARN, "too small: 60 columns, 20 rows");
		return;
	}
	terminal->status = step_draw(terminal->stepper, canvas,
		terminal->reported.count ? &terminal->reported : NULL, terminal->err);
	(void)canvas_put(
		canvas, canvas->rows - 1, 0, canvas->columns, terminal->warns ? STYLE_WARN : STYLE_DIM, last);
}

static void step_terminal_draw(struct terminal *terminal, const char *last)
{
	struct canvas canvas;
	struct cell text = { 0 };
	int columns;
	int rows;
	step_terminal_size_of(&columns, &rows);
	terminal->status = canvas_init(&canvas, columns, rows, terminal->err);
	if (terminal->status)
		return;
	step_terminal_fill(terminal, &canvas, last);
	canvas_terminal(&canvas, terminal->color, &text);
	if (text.text)
		write_all(text.text, text.len);
	canvas_free(&canvas);
	cell_free(&text);
}

static const char *keys_line(const struct terminal *terminal)
{
	if (*terminal->note)
		return terminal->note;
	if (terminal->reported.count)
		return "any key goes on";
	return terminal->stepper->asked
		       ? "p answers: which job starts next?   h help  q quit"
		       : "n next  N one  b back  s start  t time  j job  w why  p predict  g strip  h help  q quit";
}

static void set_note(struct terminal *terminal, const char *text, bool warns)
{
	(void)snprintf(terminal->note, sizeof(terminal->note), "%.280s", text);
	terminal->warns = warns;
}

static void free_reported(struct terminal *terminal)
{
	for (size_t i = 0; i < terminal->reported.count; i++)
		free(terminal->reported.line[i]);
	reported_free(&terminal->reported);
}

/* Texts of a command go with the next one: these are to stay. */
static void keep_reported(struct terminal *terminal, const struct report_lines *reported)
{
	free_reported(terminal);
	if (reported->count)
		terminal->reported.line = calloc(reported->count, sizeof(*terminal->reported.line));
	for (size_t i = 0; terminal->reported.line && i < reported->count; i++) {
		char *copy = strdup(reported->line[i]);
		if (copy)
			terminal->reported.line[terminal->reported.count++] = copy;
	}
}

static void drop_reported(struct terminal *terminal)
{
	free_reported(terminal);
	terminal->note[0] = '\0';
	terminal->warns = false;
}

/* ---- A line
 * ------------------------------------------------------------------------------------------------------ */

/* Typed in the last row. False: cancelled. */
static bool type_line(struct terminal *terminal, const char *question, char typed[TYPED_MAX])
{
	size_t len = 0;
	typed[0] = '\0';
	for (;;) {
		char line[TYPED_MAX + 100];
		(void)snprintf(line, sizeof(line), "%.80s%s_", question, typed);
		step_terminal_draw(terminal, line);
		const int key = read_key(terminal);
		if (key == KEY_OVER || key == KEY_ESCAPE || (key == 0x04 && !len) || terminal->status)
			return false;
		if (key == '\r' || key == '\n')
			return true;
		if ((key == 0x7f || key == '\b') && len) {
			do /* A character, not a byte of it. */
				len--;
			while (len && ((unsigned char)typed[len] & 0xc0) == 0x80);
		} else if (key >= ' ' && key < KEY_NONE && key != 0x7f && len + 1 < TYPED_MAX)
			typed[len++] = (char)key;
		typed[len] = '\0';
	}
}

/* ---- Commands
 * ------------------------------------------------------------------------------------------------------ */

static bool do_command(struct terminal *terminal, const char *line)
{
	struct effect effect;
	struct sl_err why = { 0 };
	const int status = step_command(terminal->stepper, line, &effect, &why);
	if (status == SL_USAGE)
		set_note(terminal, why.text, true);
	else if (status) {
		*terminal->err = why;
		terminal->status = status;
	} else {
		record_command(line, &effect, terminal->record);
		keep_reported(terminal, &effect.reported);
		if (effect.moved)
			terminal->stepper->scroll = 0;
	}
	reported_free(&effect.reported);
	return !status && effect.quit;
}

/* A word and what is typed; empty: the command alone, if that means something. */
static void do_typed(struct terminal *terminal, const char *word, const char *question, bool alone)
{
	char typed[TYPED_MAX];
	char line[TYPED_MAX + 16];
	if (!type_line(terminal, question, typed) || (!*typed && !alone))
		return;
	(void)snprintf(line, sizeof(line), "%s%s%s", word, *typed ? " " : "", typed);
	(void)do_command(terminal, line);
}

static void ask(struct terminal *terminal)
{
	struct stepper *stepper = terminal->stepper;
	if (!stepper->asked)
		(void)do_command(terminal, "p");
	if (terminal->status || !stepper->asked)
		return;
	free_reported(terminal);
	do_typed(terminal, "p", "predict: which job starts next? ", false);
}

/* The next question of a quiz, or its score. */
static void ask_on(struct terminal *terminal)
{
	struct report_lines reported = { 0 };
	struct stepper *stepper = terminal->stepper;
	const bool over = !quiz_is_on(stepper);
	terminal->status = quiz_goes_on(stepper, &reported, terminal->err);
	if (stepper->asked)
		set_note(terminal, "p: which job starts next?", false);
	else if (!over || reported.count)
		keep_reported(terminal, &reported);
	reported_free(&reported);
}

static void scroll(const struct terminal *terminal, int by)
{
	struct stepper *stepper = terminal->stepper;
	stepper->scroll = by < 0 && stepper->scroll < (uint32_t)-by ? 0 : stepper->scroll + (uint32_t)by;
}

/* Keys that are a command as it stands. */
static const struct {
	int key;
	const char *line;
} plain_keys[] = { { 'n', "n" }, { ' ', "n" }, { '\r', "n" }, { '\n', "n" }, { KEY_RIGHT, "n" }, { 'N', "N" },
	{ 'd', "N" }, { 'b', "b" }, { KEY_LEFT, "b" }, { 0x7f, "b" }, { 's', "s" }, { 'g', "g" },
	{ '+', "zoom in" }, { '=', "zoom in" }, { '-', "zoom out" }, { 'h', "h" }, { '?', "h" }, { 'q', "q" },
	{ 0x04, "q" } };

/* True: it was the last one. */
static bool do_key(struct terminal *terminal, int key)
{
	enum { PAGE = 10 };
	for (size_t i = 0; i < SL_LEN(plain_keys); i++)
		if (plain_keys[i].key == key)
			return do_command(terminal, plain_keys[i].line);
	switch (key) {
	case 't':
		do_typed(terminal, "t", "to which time? (3600, +1h, -10m, a date, end) ", false);
		break;
	case 'j':
		do_typed(terminal, "j", "to which job? (17, or 17 start) ", false);
		break;
	case 'w':
		do_typed(terminal, "w", "why does which job wait? (Enter: the first of the queue) ", true);
		break;
	case 'p':
		ask(terminal);
		break;
	case ':':
		do_typed(terminal, "", ": ", false);
		break;
	case KEY_UP:
	case KEY_PAGE_UP:
		scroll(terminal, key == KEY_UP ? -1 : -PAGE);
		break;
	case KEY_DOWN:
	case KEY_PAGE_DOWN:
		scroll(terminal, key == KEY_DOWN ? 1 : PAGE);
		break;
	default:
		break;
	}
	return false;
}

static void loop(struct terminal *terminal)
{
	bool over = false;
	if (terminal->stepper->quiz)
		ask_on(terminal);
	while (!over && !terminal->status) {
		step_terminal_draw(terminal, keys_line(terminal));
		const int key = terminal->status ? KEY_OVER : read_key(terminal);
		if (key == KEY_OVER)
			break;
		if (key == KEY_NONE || key == KEY_RESIZED)
			continue;
		const bool read = terminal->reported.count > 0;
		drop_reported(terminal);
		if (read && (key == ' ' || key == '\r' || key == KEY_ESCAPE))
			; /* It only says: seen. */
		else
			over = do_key(terminal, key);
		if (!over && !terminal->status && !terminal->reported.count &&
			quiz_is_on(terminal->stepper) && !terminal->stepper->asked)
			ask_on(terminal);
	}
}

/* ---- Two processes
 * ---------------------------------------------------------------------------------------------------- */

static int draw_and_read(struct terminal *terminal)
{
	sigset_t set;
	sigset_t before;
	watched(&set);
	(void)pthread_sigmask(SIG_BLOCK, &set, &before);
	terminal->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (terminal->signals < 0)
		return sl_fail_sys(terminal->err, SL_SYSTEM, "watch", "signals");
	raw_on(terminal);
	loop(terminal);
	raw_off(terminal);
	(void)close(terminal->signals);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	drop_reported(terminal);
	if (terminal->stepper->guesses)
		(void)printf("score: %u of %u right\n", terminal->stepper->right, terminal->stepper->guesses);
	if (!terminal->status && atomic_load(&cli_stop))
		return sl_fail(terminal->err, SL_INTERRUPTED, "interrupted");
	return terminal->status;
}

/* Waits for the other; stops and goes on with it. */
static int wait_for(pid_t child)
{
	int how = 0;
	bool reported = false;
	for (;;) {
		const pid_t found = waitpid(child, &how, WUNTRACED);
		if (found < 0 && errno == EINTR) {
			if (atomic_load(&cli_stop) && !reported)
				(void)kill(child, SIGTERM);
			reported = atomic_load(&cli_stop);
			continue;
		}
		if (found < 0 || !WIFSTOPPED(how))
			return how;
		(void)raise(SIGSTOP);
		(void)kill(child, SIGCONT);
	}
}

/* The first process: it never returns. */
static _Noreturn void guard(const struct terminal *terminal, pid_t child)
{
	sigset_t set;
	watched(&set);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	const int how = wait_for(child);
	if (WIFEXITED(how))
		_exit(WEXITSTATUS(how));
	raw_off(terminal);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	(void)fprintf(stderr, "schedlab: step was ended by signal %d\n", WTERMSIG(how));
	_exit(-SL_SYSTEM);
}

int terminal_run(struct stepper *stepper, struct sl_out *record, struct sl_err *err)
{
	struct terminal terminal = { .stepper = stepper, .record = record, .err = err };
	const char *no_color = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	terminal.color = !no_color || !*no_color;
	if (tcgetattr(STDIN_FILENO, &terminal.was) != 0)
		return sl_fail_sys(err, SL_SYSTEM, "ask", "the terminal");
	(void)fflush(NULL);
	const pid_t self = getpid();
	const pid_t child = fork();
	if (child < 0)
		return sl_fail_sys(err, SL_SYSTEM, "start", "a process");
	if (child > 0)
		guard(&terminal, child);
	/* Who waits is gone: nobody would put the terminal back. */
	if (prctl(PR_SET_PDEATHSIG, SIGHUP) != 0 || getppid() != self)
		return sl_fail(err, SL_SYSTEM, "step's first process is gone");
	return draw_and_read(&terminal);
}
