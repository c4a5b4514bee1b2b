/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_rename.c - a run.json or snapshot.json in which files are called by other names: only values of keys
 * that name files change, all else stays as it was, to the byte.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle/bundle.h"
#include "sim/base/out.h"

/* The values of these name files, as a whole or in a word of theirs; so does all that is in them. */
static const char *const naming[] = { "path", "from", "text", "values", "replay", "models", "settings",
	"policy" };

/* By JSON node: does it name a file? Its parent stands before it. */
static void mark(const struct sl_doc *doc, bool *names)
{
	for (size_t i = 0; i < doc->count; i++)
		SL_DOC_EACH (node, doc, &doc->node[i]) {
			bool is = names[i];
			for (size_t k = 0; k < SL_LEN(naming) && node->key_line && !is; k++)
				is = strcmp(sl_doc_key_of(doc, node), naming[k]) == 0;
			names[node - doc->node] = is;
		}
}

struct renaming {
	const char *text;
	size_t at; /* Of the text, up to here it is written. */
	const struct bundle_name *name;
	size_t names;
	FILE *out;
};

/* The name that stands there as a whole word. */
static const struct bundle_name *name_at(const struct renaming *r, const char *start, const char *at)
{
	static const char around[] = "=,:\"";
	const struct bundle_name *found = NULL;
	if (at > start && !strchr(around, at[-1]))
		return NULL;
	for (size_t i = 0; i < r->names; i++) {
		const size_t len = strlen(r->name[i].was);
		const bool longer = !found || len > strlen(found->was);
		if (longer && strncmp(at, r->name[i].was, len) == 0 && strchr(around, at[len]))
			found = &r->name[i];
	}
	return found;
}

/* For sh, within quotes. */
static void shell_put(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\'')
			(void)fputs("'\\''", out);
		else
			(void)fputc(text[i], out);
}

void bundle_rename_word(FILE *out, const struct bundle_name *name, size_t names, const char *text)
{
	const struct renaming r = { .name = name, .names = names };
	(void)fputs(" '", out);
	for (const char *p = text; *p;) {
		const struct bundle_name *found = name_at(&r, text, p);
		shell_put(out, found ? found->is : p, found ? strlen(found->is) : 1);
		p += found ? strlen(found->was) : 1;
	}
	(void)fputc('\'', out);
}

static void letter_put(FILE *out, const unsigned char *p, size_t length)
{
	if (*p == '"' || *p == '\\')
		(void)fprintf(out, "\\%c", *p);
	else if (*p < 0x20 || *p == 0x7F || !length)
		(void)fprintf(out, "\\u%04x", *p);
	else
		(void)fwrite(p, 1, length, out);
}

static void text_put(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	while (*p) {
		const size_t length = utf8_length(p);
		letter_put(out, p, length);
		p += length ? length : 1;
	}
}

static void rename_in(struct renaming *r, const struct sl_doc_node *node, const char *text)
{
	bool any = false;
	for (const char *p = text; *p && !any; p++)
		any = name_at(r, text, p);
	if (!any)
		return;
	(void)fwrite(r->text + r->at, 1, node->from - r->at, r->out);
	(void)fputc('"', r->out);
	for (const char *p = text; *p;) {
		const struct bundle_name *name = name_at(r, text, p);
		const size_t length = utf8_length((const unsigned char *)p);
		if (name)
			text_put(r->out, name->is);
		else
			letter_put(r->out, (const unsigned char *)p, length);
		p += name ? strlen(name->was) : length ? length : 1;
	}
	(void)fputc('"', r->out);
	r->at = node->until;
}

char *bundle_rename(const char *text, const struct bundle_name *name, size_t names, struct sl_arena *arena,
	struct sl_err *err)
{
	struct sl_doc doc = { .file = "run.json", .loose = true };
	char *made = NULL;
	size_t len = 0;
	const size_t width = strlen(text);
	if (sl_doc_read_json(&doc, text, width, err)) {
		sl_doc_release(&doc);
		return NULL;
	}
	struct renaming r = { text, 0, name, names, open_memstream(&made, &len) };
	bool *marked = calloc(doc.count, sizeof(*marked));
	if (r.out && marked) {
		mark(&doc, marked);
		for (size_t i = 0; i < doc.count; i++)
			if (marked[i] && doc.node[i].quoted)
				rename_in(&r, &doc.node[i], sl_doc_word(&doc, &doc.node[i]));
		(void)fwrite(text + r.at, 1, width - r.at, r.out);
	}
	sl_doc_release(&doc);
	const bool whole = r.out && fclose(r.out) == 0 && marked;
	free(marked);
	char *kept = whole ? sl_strdup(arena, made, len) : NULL;
	free(made);
	if (!kept)
		(void)sl_fail_memory(err);
	return kept;
}
