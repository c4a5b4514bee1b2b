/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_step.c - the canvas of step's screens: a column a character, whatever is in names; styles as
 * sequences.
 *
 * Each case is small enough to count its columns by hand.
 */
#include <criterion/criterion.h>

#include "cli/step/step.h"

enum { COLUMNS = 10, ROWS = 2 };

/* Put at that column of the first row, cut to the width; the screen as text. */
static void check_put(int column, int width, const char *text, const char *wanted)
{
	struct canvas canvas;
	struct cell cell = { 0 };
	struct sl_err err = { 0 };
	cr_assert_eq(canvas_init(&canvas, COLUMNS, ROWS, &err), SL_OK);
	(void)canvas_put(&canvas, 0, column, width, STYLE_PLAIN, text);
	canvas_text(&canvas, &cell);
	cr_expect_str_eq(cell.text, wanted, "'%s' at %d, width %d", text, column, width);
	cell_free(&cell);
	canvas_free(&canvas);
}

Test(step, canvas_text)
{
	check_put(0, 10, "job", "job\n\n");
	check_put(2, 10, "job", "  job\n\n");
	check_put(0, 2, "job", "jo\n\n");                   /* Cut to its width, */
	check_put(8, 10, "job", "        jo\n\n");          /* and at the edge. */
	check_put(0, 10, "J\xc3\xbcrg", "J\xc3\xbcrg\n\n"); /* Two bytes, one column. */
	check_put(0, 4, "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbcx", "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\n\n");
	check_put(0, 10, "a\x1b[2Jb", "a?[2Jb\n\n"); /* No sequence of a hostile name comes through, */
	check_put(0, 10,
		"a\xc2\x9b"
		"2Jb",
		"a?2Jb\n\n"); /* nor one of C1, */
	check_put(0, 10,
		"a\xe4\xb8\xad"
		"b",
		"a?b\n\n"); /* nor what takes two columns, */
	check_put(0, 10,
		"a\xcc\x88"
		"b",
		"a?b\n\n"); /* or none. */
	check_put(0, 10,
		"a\xff"
		"b",
		"a?b\n\n");                       /* What is no character is one each byte. */
	check_put(0, 10, "a\xe4\xb8", "a??\n\n"); /* Cut within one. */
}

Test(step, canvas_terminal)
{
	struct canvas canvas;
	struct cell cell = { 0 };
	struct sl_err err = { 0 };
	cr_assert_eq(canvas_init(&canvas, 4, 2, &err), SL_OK);
	(void)canvas_put(&canvas, 0, 0, 4, STYLE_BUSY, "ab");
	(void)canvas_put(&canvas, 0, 2, 4, STYLE_PLAIN, "c");
	canvas_row(&canvas, 1, STYLE_BAR); /* Blanks of a bar are drawn; others are erased at once. */
	canvas_terminal(&canvas, true, &cell);
	cr_expect_str_eq(cell.text, "\033[1;1H\033[m\033[0;36mab\033[0;mc\033[m\033[K"
				    "\033[2;1H\033[m\033[0;7m    \033[m");
	cell_clear(&cell);
	canvas_terminal(&canvas, false, &cell); /* NO_COLOR */
	cr_expect_str_eq(cell.text, "\033[1;1H\033[m\033[0;mab\033[0;mc\033[m\033[K"
				    "\033[2;1H\033[m\033[0;7m    \033[m");
	cell_free(&cell);
	canvas_free(&canvas);
}
