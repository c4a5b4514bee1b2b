/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_spec.c - the file of --spec, schedlab-tune(5): a map of the line's own options.
 *
 * "trace" is the operand. A list repeats an option; a map is KEY=VALUE of each member, and a list in it words
 * with commas between.
 */
#include <string.h>

#include "cli/tune/tune.h"
#include "sim/base/doc.h"

enum { SPEC_GIVEN_MAX = 1000 };

struct spec {
	struct args *args;
	struct sl_doc doc;
	struct given *given;
	size_t count;
};

static int spec_wrong(
	const struct spec *spec, const struct sl_doc_node *node, struct sl_err *err, const char *what)
{
	const struct sl_place at = sl_doc_place(&spec->doc, node);
	return sl_fail_at(err, &at, "%s", what);
}

/* What is wrong, at that place of the file. */
static int place_said(const struct sl_place *at, struct sl_err *err)
{
	char what[sizeof(err->text)];
	(void)snprintf(what, sizeof(what), "%s", err->text);
	err->status = SL_OK;
	return sl_fail_at(err, at, "%s", what);
}

int tune_option_said(const struct args *args, const char *name, size_t i, struct sl_err *err)
{
	const struct given *given = NULL;
	size_t seen = 0;
	for (size_t k = 0; k < args->given_count; k++)
		if (strcmp(args->given[k].def->name, name) == 0 && (seen++ == i || i == SIZE_MAX))
			given = &args->given[k];
	/* What the machine cannot do is nobody's mistake; what has the place is not given it twice. */
	if (!given || !given->at.file || (err->status != SL_USAGE && err->status != SL_INPUT) ||
		strncmp(err->text, given->at.file, strlen(given->at.file)) == 0)
		return err->status;
	return place_said(&given->at, err);
}

/* Would it execute what the user has not asked for? */
static int spec_trusted(const struct spec *spec, const struct sl_doc_node *node, const char *name,
	const char *value, struct sl_err *err)
{
	const struct sl_place at = sl_doc_place(&spec->doc, node);
	struct settings settings = { .arena = spec->args->arena };
	if (strcmp(name, "policy") == 0)
		return policy_trusted(spec->args->registry, value, &settings, &at, err);
	if (strcmp(name, "set") != 0)
		return SL_OK;
	if (settings_add(&settings, value, err))
		return place_said(&at, err);
	const char *policy = arg(spec->args, "policy") ? arg(spec->args, "policy") : "easy";
	for (size_t i = spec->count; i-- > 0;)
		if (strcmp(spec->given[i].def->name, "policy") == 0)
			policy = spec->given[i].value;
	return policy_trusted(spec->args->registry, policy, &settings, &at, err);
}

static int spec_give(struct spec *spec, const struct sl_doc_node *node, const struct option_def *def,
	const char *value, struct sl_err *err)
{
	if (spec->count == SPEC_GIVEN_MAX)
		return spec_wrong(spec, node, err, "more than 1000 values: is it another file?");
	const char *kept = sl_strdup(spec->args->arena, value, strlen(value));
	if (!kept)
		return sl_fail_memory(err);
	spec->given[spec->count++] = (struct given){
		.def = def, .value = def->value ? kept : NULL, .at = sl_doc_place(&spec->doc, node)
	};
	return spec_trusted(spec, node, def->name, kept, err);
}

/* "KEY=VALUE", of a list "KEY=A,B". */
static int spec_member(
	struct spec *spec, const struct sl_doc_node *node, const struct option_def *def, struct sl_err *err)
{
	const char *text = text_made(spec->args->arena, "%s=", sl_doc_key_of(&spec->doc, node));
	if (node->kind == SL_DOC_MAP)
		return spec_wrong(spec, node, err, "this is one value, or a list of them");
	if (node->kind == SL_DOC_TEXT)
		text = text ? text_made(spec->args->arena, "%s%s", text, sl_doc_word(&spec->doc, node))
			    : NULL;
	for (const struct sl_doc_node *item = node->kind == SL_DOC_LIST ? sl_doc_child(&spec->doc, node)
									: NULL;
		item && text; item = sl_doc_next(&spec->doc, item)) {
		if (item->kind != SL_DOC_TEXT)
			return spec_wrong(spec, item, err, "a value is one word or number");
		text = text_made(spec->args->arena, "%s%s%s", text, text[strlen(text) - 1] == '=' ? "" : ",",
			sl_doc_word(&spec->doc, item));
	}
	return text ? spec_give(spec, node, def, text, err) : sl_fail_memory(err);
}

static int spec_option(struct spec *spec, const struct sl_doc_node *node, struct sl_err *err)
{
	const char *key = sl_doc_key_of(&spec->doc, node);
	const struct option_def *def = option_long(spec->args, key, strlen(key));
	int status = SL_OK;
	if (!def || !def->help || strcmp(key, "spec") == 0 || strcmp(key, "plugin") == 0 ||
		strcmp(key, "trust") == 0)
		return spec_wrong(spec, node, err,
			"unknown key: a tune's file has 'trace' and options of schedlab tune by their long names: "
			"policy, cluster, set, vary, minimize, require, ...");
	if (node->kind == SL_DOC_TEXT)
		return spec_give(spec, node, def, sl_doc_word(&spec->doc, node), err);
	SL_DOC_EACH (item, &spec->doc, node) {
		if (node->kind == SL_DOC_MAP)
			status = spec_member(spec, item, def, err);
		else if (item->kind != SL_DOC_TEXT)
			status = spec_wrong(spec, item, err, "a value is one word or number");
		else
			status = spec_give(spec, item, def, sl_doc_word(&spec->doc, item), err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int spec_fill(struct spec *spec, struct sl_err *err)
{
	const struct sl_doc_node *root = spec->doc.count ? spec->doc.node : NULL;
	int status = SL_OK;
	if (!root || root->kind != SL_DOC_MAP)
		return sl_fail_at(err, &(struct sl_place){ spec->doc.file, 1, 1 },
			"a tune's file is a map with 'trace', 'vary' and 'minimize'");
	SL_DOC_EACH (node, &spec->doc, root) {
		if (strcmp(sl_doc_key_of(&spec->doc, node), "trace") != 0)
			status = spec_option(spec, node, err);
		else if (node->kind != SL_DOC_TEXT)
			status = spec_wrong(spec, node, err, "'trace' is one path");
		else if (!spec->args->word_count) {
			const char *word = sl_doc_word(&spec->doc, node);
			spec->args->word = sl_alloc(spec->args->arena, 2, sizeof(*spec->args->word));
			if (spec->args->word)
				spec->args->word[0] = sl_strdup(spec->args->arena, word, strlen(word));
			if (!spec->args->word || !spec->args->word[0])
				return sl_fail_memory(err);
			spec->args->word_count = 1;
		}
		if (status)
			return status;
	}
	return SL_OK;
}

int tune_spec_take(struct args *args, const char *path, struct sl_err *err)
{
	size_t len;
	const char *text = text_of_file(path, &len, args->arena, err);
	return text ? tune_spec_parse(args, path, text, len, err) : err->status;
}

int tune_spec_parse(struct args *args, const char *path, const char *text, size_t len, struct sl_err *err)
{
	struct spec spec = { .args = args, .doc = { .file = path } };
	spec.given = sl_alloc(args->arena, SPEC_GIVEN_MAX + args->given_count + 1, sizeof(*spec.given));
	if (!spec.given)
		return sl_fail_memory(err);
	if (len > 1 << 20)
		return sl_fail(err, SL_INPUT, "%s: more than 1 MiB of text: is it another file?", path);
	int status = doc_read_any(&spec.doc, text, len, err);
	if (!status)
		status = spec_fill(&spec, err);
	sl_doc_release(&spec.doc);
	if (status)
		return status;
	/* The line's own come last: of an option that is given once, the last counts. */
	if (args->given_count)
		memcpy(spec.given + spec.count, args->given, args->given_count * sizeof(*spec.given));
	args->given = spec.given;
	args->given_count += spec.count;
	return SL_OK;
}
