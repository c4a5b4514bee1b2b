/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_format.c - formats and lists, as Slurm's commands parse them.
 *
 * "%[.][width]letter" and "name[:[.]width]": a width cuts and pads, a dot sets to the right, text between the
 * columns is kept. Of sacct and sshare "name[%width]": what is cut ends in '+'.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

/* ---- Formats --------------------------------------------------------------------------------------- */

static const struct view_field *field_by_letter(const struct view_field *fields, char letter)
{
	for (; fields->letter || fields->name; fields++)
		if (fields->letter == letter)
			return fields;
	return NULL;
}

/* Names in any case, with or without '-' and '_': "tres-alloc", "exit_code". */
static bool same_name(const char *known, const char *name, size_t len)
{
	const char *end = name + len;
	for (;; known++, name++) {
		known += strspn(known, "-_");
		while (name < end && (*name == '-' || *name == '_'))
			name++;
		if (!*known || name == end)
			return !*known && name == end;
		if (strncasecmp(known, name, 1) != 0)
			return false;
	}
}

static const struct view_field *field_by_name(const struct view_field *fields, const char *name, size_t len)
{
	for (; fields->letter || fields->name; fields++)
		if (fields->name && same_name(fields->name, name, len))
			return fields;
	return NULL;
}

static int width_of(const char **text)
{
	int width = 0;
	for (; **text >= '0' && **text <= '9'; (*text)++)
		width = width < 100000 ? width * 10 + (**text - '0') : width;
	return width;
}

static int too_many(const char *tool, struct sl_err *err)
{
	return view_refuse(tool, err, "error: a format has at most %d fields", VIEW_COLUMNS_MAX);
}

int format_short(struct view_format *format, const char *text, const struct view_field *fields,
	const char *tool, struct sl_err *err)
{
	const char *p = strchrnul(text, '%');
	*format = (struct view_format){ .head = text, .head_len = (size_t)(p - text) };
	while (*p) {
		struct view_column column = { 0 };
		p++;
		column.right = *p == '.';
		p += strspn(p, ".#");
		column.width = width_of(&p);
		if (!*p)
			break;
		const char letter = *p++;
		column.field = field_by_letter(fields, letter);
		column.suffix = p;
		p = strchrnul(p, '%');
		column.suffix_len = (size_t)(p - column.suffix);
		if (!column.field) {
			(void)fprintf(stderr, "%s: error: Invalid %s format specification: %c\n", tool,
				strcmp(tool, "sinfo") == 0 ? "node" : "job", letter);
			continue;
		}
		if (format->count == VIEW_COLUMNS_MAX)
			return too_many(tool, err);
		format->column[format->count++] = column;
	}
	return SL_OK;
}

int format_long(struct view_format *format, const char *text, const struct view_field *fields,
	const char *tool, struct sl_err *err)
{
	enum { WIDTH = 20 };
	*format = (struct view_format){ .head = text };
	for (const char *p = text; *p;) {
		const char *end = strchrnul(p, ',');
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon ? colon : end;
		struct view_column column = { .width = WIDTH };
		if (colon) {
			const char *rest = colon + 1;
			column.right = *rest == '.';
			rest += column.right;
			column.width = *rest >= '0' && *rest <= '9' ? width_of(&rest) : WIDTH;
			column.suffix = rest;
			column.suffix_len = (size_t)(end - rest);
		}
		column.field = field_by_name(fields, p, (size_t)(stop - p));
		if (!column.field)
			return view_refuse(tool, err, "error: Invalid job format specification: %.*s",
				(int)(stop - p), p);
		if (format->count == VIEW_COLUMNS_MAX)
			return too_many(tool, err);
		format->column[format->count++] = column;
		p = end + (*end == ',');
	}
	return SL_OK;
}

static void print_column(const struct view_column *column, const char *text, size_t len)
{
	const size_t width = (size_t)column->width;
	const size_t printed = width && len > width ? width : len;
	const int pad = (int)(width > printed ? width - printed : 0);
	printf("%*s%.*s%*s%.*s", column->right ? pad : 0, "", (int)printed, text, column->right ? 0 : pad, "",
		(int)column->suffix_len, column->suffix ? column->suffix : "");
}

void format_heading(const struct view_format *format)
{
	printf("%.*s", (int)format->head_len, format->head);
	for (size_t i = 0; i < format->count; i++) {
		const char *heading = format->column[i].field->heading;
		print_column(&format->column[i], heading, strlen(heading));
	}
	putchar('\n');
}

void format_line(const struct view_format *format, const struct view *view, const void *line)
{
	struct cell cell = { 0 };
	printf("%.*s", (int)format->head_len, format->head);
	for (size_t i = 0; i < format->count; i++) {
		const struct view_field *field = format->column[i].field;
		cell_clear(&cell);
		if (field->put)
			field->put(&cell, view, line);
		struct cell safe = { 0 };
		for (const char *at = cell.len ? cell.text : ""; *at;) {
			char letter[SL_INERT_SIZE];
			(void)sl_inert(&at, letter);
			cell_put(&safe, "%s", letter);
		}
		print_column(&format->column[i], safe.len ? safe.text : "", safe.len);
		cell_free(&safe);
	}
	putchar('\n');
	cell_free(&cell);
}

/* ---- Columns by name ----------------------------------------------------------------------------------- */

/* Of that name; else the first whose name begins so. */
static const struct view_named *view_format_named(
	const struct view_names *names, const char *name, size_t len)
{
	const struct view_named *found = NULL;
	for (size_t i = names->field_count; i-- > 0 && len;)
		if (strncasecmp(names->field[i].name, name, len) == 0) {
			if (!names->field[i].name[len])
				return &names->field[i];
			found = &names->field[i];
		}
	return found;
}

static int take_named(struct view_names *names, const char *text, size_t len, struct sl_err *err)
{
	const int64_t most = names->lenient ? 1000 : 10000;
	const char *percent = memchr(text, '%', len);
	const size_t name = percent ? (size_t)(percent - text) : len;
	const struct view_named *field = view_format_named(names, text, name);
	int64_t width = 0;
	if (!field)
		return view_refuse(
			names->tool, err, "error: Invalid field requested: \"%.*s\"", (int)name, text);
	const bool good = percent && sl_get_i64(percent + 1, len - name - 1, &width) && width >= -most &&
			  width <= most && (width || !names->lenient);
	if (percent && !good && !names->lenient)
		return view_refuse(names->tool, err, "error: Invalid field width: \"%.*s\"", (int)len, text);
	if (names->count == VIEW_NAMED_MAX)
		return view_refuse(names->tool, err, "error: a format has at most %d fields", VIEW_NAMED_MAX);
	names->column[names->count].field = field;
	names->column[names->count++].width = good ? (int)width : field->width;
	return SL_OK;
}

int names_take(struct view_names *names, const char *text, struct sl_err *err)
{
	int status = SL_OK;
	while (*text && !status) {
		const size_t len = strcspn(text, ", ");
		status = len ? take_named(names, text, len, err) : SL_OK;
		text += len + (text[len] != '\0');
	}
	return status;
}

static void print_named(const struct view_names *names, size_t i, const char *text, bool cut)
{
	const int width = names->column[i].width;
	const size_t wide = (size_t)abs(width);
	if (names->parsable)
		printf("%s%s", text,
			names->parsable == 'P' && i + 1 == names->count ? ""
			: names->delimiter                              ? names->delimiter
									: "|");
	else if (cut && strlen(text) > wide)
		printf("%.*s+ ", wide ? (int)wide - 1 : 0, text);
	else
		printf("%*s ", width, text);
}

void names_heading(const struct view_names *names)
{
	static const char dashes[] = "------------------------------------------------------------";
	for (size_t i = 0; i < names->count; i++) {
		const struct view_named *field = names->column[i].field;
		const int wide = abs(names->column[i].width);
		char name[40];
		/* A heading of sacct is cut without a mark. */
		const bool bare = !names->parsable && !names->lenient && wide < 39;
		(void)snprintf(name, sizeof(name), "%.*s", bare ? wide : 39, field->name);
		print_named(names, i, name, !field->number);
	}
	putchar('\n');
	for (size_t i = 0; i < names->count && !names->parsable; i++) {
		for (int left = abs(names->column[i].width); left > 0; left -= (int)sizeof(dashes) - 1)
			printf("%.*s", left, dashes);
		putchar(' ');
	}
	if (!names->parsable)
		putchar('\n');
}

void names_line(const struct view_names *names, const struct view *view, const void *line, struct cell *cell)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct view_named *field = names->column[i].field;
		cell_clear(cell);
		if (field->put)
			field->put(cell, view, line);
		print_named(names, i, cell->len ? cell->text : "", !field->number);
	}
	putchar('\n');
}

/* ---- Lists -------------------------------------------------------------------------------------------- */

int view_list(struct view_list *list, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	size_t most = 1;
	for (const char *p = text; *p; p++)
		most += *p == ',' || *p == ' ';
	list->item = sl_alloc(arena, most, sizeof(*list->item));
	list->count = 0;
	if (!list->item)
		return sl_fail_memory(err);
	for (const char *p = text; *p;) {
		size_t len = 0;
		/* A comma inside of brackets parts nothing: "1_[3,5]". */
		for (bool inside = false; p[len] && (inside || !strchr(", ", p[len])); len++)
			inside = p[len] == '[' || (inside && p[len] != ']');
		if (len)
			list->item[list->count] = sl_strdup(arena, p, len);
		if (len && !list->item[list->count++])
			return sl_fail_memory(err);
		p += len + (p[len] != '\0');
	}
	return SL_OK;
}

bool list_has(const struct view_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i], word) == 0)
			return true;
	return !list->count;
}

/* The cell is emptied. */
bool list_has_cell(const struct view_list *list, struct cell *cell)
{
	const bool found = list_has(list, cell->len ? cell->text : "");
	cell_clear(cell);
	return found;
}

bool list_has_state(const struct view_list *list, enum sl_state state)
{
	for (size_t i = 0; i < list->count; i++)
		if (view_state_is(state, list->item[i]) || strcasecmp(list->item[i], "all") == 0)
			return true;
	return !list->count;
}

struct wanted {
	int64_t task;
	bool found;
};

static int is_wanted(void *self, const char *name, size_t len)
{
	struct wanted *wanted = self;
	int64_t number;
	wanted->found |= sl_get_i64(name, len, &number) && number == wanted->task;
	return SL_OK;
}

/* "7", a job or a whole array; "7_2"; "7_[1-3]". */
static bool is_of(const char *item, const struct view *view, uint32_t job)
{
	struct sl_err err = { 0 };
	int64_t number;
	const size_t len = strcspn(item, "_");
	const int64_t array = view_array(view, job);
	const char *id_name = view->jobs->id_name ? view->jobs->id_name[job] : NULL;
	if (id_name && strcmp(id_name, item) == 0)
		return true;
	if (!sl_get_i64(item, len, &number))
		return false;
	if (!item[len])
		return number == view->jobs->id[job] || number == array;
	if (number != array)
		return false;
	struct wanted wanted = { view_more(view, job)->array_task, false };
	(void)sl_hosts_each(item + len + 1, strlen(item + len + 1), NULL, &err, is_wanted, &wanted);
	return wanted.found;
}

bool list_has_job(const struct view_list *list, const struct view *view, uint32_t job)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_of(list->item[i], view, job))
			return true;
	return !list->count;
}

/* ---- Hosts -----------------------------------------------------------------------------------------------
 */

struct host {
	const char *name;
	uint32_t node;
};

struct hosts {
	struct host *host; /* By name. */
	uint32_t count;
	bool *flags;
};

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(((const struct host *)a)->name, ((const struct host *)b)->name);
}

static int flag_host(void *self, const char *name, size_t len)
{
	const struct hosts *hosts = self;
	char text[SL_HOST_NAME_MAX + 2];
	if (len >= sizeof(text))
		return SL_OK;
	memcpy(text, name, len);
	text[len] = '\0';
	const struct host key = { text, 0 };
	const struct host *found =
		bsearch(&key, hosts->host, hosts->count, sizeof(*hosts->host), compare_hosts);
	if (found)
		hosts->flags[found->node] = true;
	return SL_OK;
}

int view_hosts(const struct view *view, const char *text, bool **flags, struct sl_err *err)
{
	struct hosts hosts = { .count = view->cluster->node_count };
	*flags = NULL;
	if (!text)
		return SL_OK;
	hosts.flags = sl_alloc(view->arena, view->node_count + 1U, sizeof(bool));
	hosts.host = sl_alloc(view->arena, hosts.count + 1U, sizeof(*hosts.host));
	if (!hosts.flags || !hosts.host)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < hosts.count; node++)
		hosts.host[node] = (struct host){ view->cluster->node_name[node], node };
	if (hosts.count)
		qsort(hosts.host, hosts.count, sizeof(*hosts.host), compare_hosts);
	*flags = hosts.flags;
	return sl_hosts_each(text, strlen(text), NULL, err, flag_host, &hosts);
}

bool view_on_hosts(const bool *flags, struct view_place place)
{
	for (size_t i = 0; flags && i < place.count; i++)
		if (flags[place.alloc[i].node])
			return true;
	return !flags;
}
