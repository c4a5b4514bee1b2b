/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_place_yaml.c - where a value stands in a file of YAML or JSON, by the words that lead to it.
 *
 * Each word is a key, a name or a kind on the way to the value, and exactly one value of the file has all of
 * them: "ClusterQueue/team-a/nominalQuota/cpu". Quotas and limits that the file does not have are put into
 * the entry that they belong to, where that is there: the other words lead to it.
 */
#include <string.h>

#include "cli/tune/tune.h"

enum { WAY_MAX = 96, OTHERS_MAX = 5 };

/* Keys that may be added, and to which maps: entries of that list or map, and those of that key. */
static const char *const of_kueue[] = { "resources", NULL };
static const char *const of_share[] = { "projects", "departments", "pools", NULL };
static const char *const of_resource[] = { "gpu", "cpu", "memory", NULL };
static const struct {
	const char *key;
	const char *const *above, *const *own;
} added[] = {
	{ "nominalQuota", of_kueue, NULL },
	{ "borrowingLimit", of_kueue, NULL },
	{ "lendingLimit", of_kueue, NULL },
	{ "quota", of_share, of_resource },
	{ "limit", of_share, of_resource },
	{ "over-quota", of_share, NULL },
	{ "overQuotaWeight", NULL, of_resource },
};

struct way {
	const char *word[WAY_MAX];
	size_t count;
	const struct words *words;
	const struct sl_doc *doc;
	size_t key, add; /* The word that is to be added, and which of `added` it is; SIZE_MAX: none. */
	const struct sl_doc_node *found;
	size_t matches;
	char others[300]; /* Places of the matches. */
	bool seen[PLACE_WORDS_MAX];
	const char **known; /* All words that there are, and their lines. */
	uint32_t *line;
	size_t known_count;
};

static bool is_text(const struct words *words, size_t i, const char *text)
{
	return strlen(text) == words->len[i] && strncmp(text, words->word[i], words->len[i]) == 0;
}

static void way_add(struct way *way, const char *word, const struct sl_doc_node *at)
{
	if (!word || !*word)
		return;
	for (size_t i = 0; i < way->words->count; i++)
		way->seen[i] |= is_text(way->words, i, word);
	if (way->known) {
		way->line[way->known_count] = at->line;
		way->known[way->known_count++] = word;
	}
	if (way->count < WAY_MAX)
		way->word[way->count++] = word;
}

static bool way_has_all(const struct way *way)
{
	for (size_t i = 0; i < way->words->count; i++) {
		bool has = i == way->key;
		for (size_t k = 0; k < way->count && !has; k++)
			has = is_text(way->words, i, way->word[k]);
		if (!has)
			return false;
	}
	return true;
}

static bool is_one_of(const char *const *list, const char *word)
{
	for (; list && *list && word; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

/* What a map is called. */
static const char *name_in(const struct sl_doc *doc, const struct sl_doc_node *map)
{
	const struct sl_doc_node *name = map->kind == SL_DOC_MAP ? sl_doc_member(doc, map, "name") : NULL;
	return name && name->kind == SL_DOC_TEXT ? sl_doc_word(doc, name) : NULL;
}

static void way_found(struct way *way, const struct sl_doc_node *node)
{
	const size_t used = strlen(way->others);
	way->found = node;
	if (way->matches++ < OTHERS_MAX)
		(void)snprintf(way->others + used, sizeof(way->others) - used, "%sline %u", used ? ", " : "",
			node->line);
}

static void way_look(struct way *way, const struct sl_doc_node *node, const char *key, const char *above)
{
	if (way->add != SIZE_MAX) {
		if (node->kind == SL_DOC_MAP &&
			(is_one_of(added[way->add].above, above) || is_one_of(added[way->add].own, key)) &&
			!sl_doc_member(way->doc, node, added[way->add].key) && way_has_all(way))
			way_found(way, node);
	} else if (node->kind == SL_DOC_TEXT && way_has_all(way) && strcmp(key ? key : "", "name") != 0 &&
		   strcmp(key ? key : "", "kind") != 0) {
		way_found(way, node);
	}
}

/* above: the key of what it is in. Depth is bounded by that of documents. */
static void way_go(struct way *way, const struct sl_doc_node *node, const char *above)
{
	const size_t before = way->count;
	const char *key = sl_doc_key_of(way->doc, node);
	way_add(way, key, node);
	if (node->kind == SL_DOC_MAP) {
		const struct sl_doc_node *metadata = sl_doc_member(way->doc, node, "metadata");
		const struct sl_doc_node *kind = sl_doc_member(way->doc, node, "kind");
		way_add(way, name_in(way->doc, node), node);
		way_add(way, metadata ? name_in(way->doc, metadata) : NULL, node);
		way_add(way, kind && kind->kind == SL_DOC_TEXT ? sl_doc_word(way->doc, kind) : NULL, node);
	}
	way_look(way, node, key, above);
	for (const struct sl_doc_node *item = node->kind == SL_DOC_TEXT ? NULL : sl_doc_child(way->doc, node);
		item; item = sl_doc_next(way->doc, item))
		way_go(way, item, key);
	way->count = before;
}

/* The line's first byte; NULL: it has none. */
static const char *line_at(const struct tuned_file *file, uint32_t number)
{
	const char *at = file->text;
	for (uint32_t line = 1; line < number && at; line++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* Its bytes, without quotes; NULL: it does not stand there as it is. */
static const char *bytes_of(
	const struct tuned_file *file, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	const char *at = line_at(file, node->line);
	const char *word = sl_doc_word(doc, node);
	const size_t left = at ? file->len - (size_t)(at - file->text) : 0;
	if (!at || node->column > left)
		return NULL;
	at += node->column - 1;
	at += *at == '"' || *at == '\'';
	return strncmp(at, word, strlen(word)) == 0 ? at : NULL;
}

static bool is_json(const struct tuned_file *file)
{
	const char first = file->text[strspn(file->text, " \t\r\n")];
	return first == '{' || first == '[';
}

static int doc_of(struct sl_doc *doc, const struct tuned_file *file, struct sl_err *err)
{
	*doc = (struct sl_doc){ .file = file->path };
	return is_json(file) ? sl_doc_read_json(doc, file->text, file->len, err)
			     : sl_doc_read_yamls(doc, file->text, file->len, err);
}

/* ---- What is not there -----------------------------------------------------------------------------------
 */

/* With a value in that place the file has one value more, and it is the one that the words lead to. */
static bool is_sound(const struct file_place *place, const struct tuned_file *file, const struct way *way,
	struct sl_arena *arena)
{
	struct sl_err none = { 0 };
	struct sl_doc doc;
	struct tuned_file made = *file;
	made.text = text_made(
		arena, "%.*s%s1%s", (int)place->at, file->text, place->before, file->text + place->at);
	if (!made.text)
		return false;
	made.len = strlen(made.text);
	bool sound = doc_of(&doc, &made, &none) == SL_OK && doc.count == way->doc->count + 1;
	if (sound) {
		struct way again = { .words = way->words, .doc = &doc, .key = SIZE_MAX, .add = SIZE_MAX };
		way_go(&again, doc.node, NULL);
		sound = again.matches == 1 && strcmp(sl_doc_word(&doc, again.found), "1") == 0;
	}
	sl_doc_release(&doc);
	return sound;
}

/* A line of its own below a member of a block, as far to the right. */
static int place_below(struct file_place *place, const struct tuned_file *file,
	const struct sl_doc_node *member, const char *key, struct sl_arena *arena, struct sl_err *err)
{
	const char *line = line_at(file, member->line);
	const char *stop = line + strcspn(line, "\n");
	const bool returns = stop > line && stop[-1] == '\r';
	return new_place(place, (size_t)(stop - file->text) - returns,
		text_made(arena, "%s\n%*s%s: ", returns ? "\r" : "", (int)member->key_column - 1, "", key),
		err);
}

/* Does the line have nothing before the key but what makes a block? */
static bool is_in_block(const struct tuned_file *file, const struct sl_doc_node *member)
{
	const char *line = line_at(file, member->key_line);
	return line && member->key_column && member->key_line == member->line &&
	       strspn(line, " -") == member->key_column - 1;
}

/* Behind that member of the map: below it, else after a comma. False: neither can be. */
static bool place_behind(struct file_place *place, const struct tuned_file *file, const struct way *way,
	const struct sl_doc_node *member, struct sl_arena *arena, struct sl_err *err)
{
	const char *key = added[way->add].key;
	const bool json = is_json(file);
	const char *at = member->kind == SL_DOC_TEXT ? bytes_of(file, way->doc, member) : NULL;
	if (json)
		return !new_place(place, member->until, text_made(arena, ", \"%s\": ", key), err) &&
		       is_sound(place, file, way, arena);
	if (!at)
		return false;
	if (is_in_block(file, member) && !place_below(place, file, member, key, arena, err) &&
		is_sound(place, file, way, arena))
		return true;
	at += strlen(sl_doc_word(way->doc, member));
	at += *at == '"' || *at == '\'';
	return !err->status &&
	       !new_place(place, (size_t)(at - file->text), text_made(arena, ", %s: ", key), err) &&
	       is_sound(place, file, way, arena);
}

/* Behind the last member of the map where that can be. */
static int place_in_map(struct file_place *place, const struct tuned_file *file, const struct way *way,
	struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_place there = sl_doc_place(way->doc, way->found);
	struct file_place last = { .before = NULL };
	SL_DOC_EACH (member, way->doc, way->found) {
		if (place_behind(place, file, way, member, arena, err))
			last = *place;
		if (err->status)
			return err->status;
	}
	*place = last;
	return last.before
		       ? SL_OK
		       : sl_fail_at(err, &there,
				 "%s cannot be added to what stands here: write it into the file first, with what it is today",
				 added[way->add].key);
}

/* ---- What is wrong ------------------------------------------------------------------------------------- */

/* A word that is nowhere, with the nearest that is. */
static int place_none(const struct tuned_file *file, struct way *way, const char *text,
	struct sl_arena *arena, struct sl_err *err)
{
	const size_t most = way->doc->count * 4 + SL_LEN(added) + 1;
	way->known = sl_alloc(arena, most, sizeof(*way->known));
	way->line = sl_alloc(arena, most, sizeof(*way->line));
	if (!way->known || !way->line)
		return sl_fail_memory(err);
	way_go(way, way->doc->node, NULL);
	const size_t of_file = way->known_count;
	for (size_t i = 0; i < SL_LEN(added); i++)
		way->known[way->known_count++] = added[i].key;
	for (size_t i = 0; i < way->words->count; i++) {
		const char *word = sl_strdup(arena, way->words->word[i], way->words->len[i]);
		const char *near = word ? sl_nearest(word, way->known) : NULL;
		size_t k = 0;
		if (way->seen[i] || i == way->key || !near)
			continue;
		while (k < of_file && strcmp(way->known[k], near) != 0)
			k++;
		if (k == of_file)
			return sl_fail(err, SL_USAGE,
				"--vary %s:%.200s: %s has no '%.60s': did you mean '%s'?", file->name, text,
				file->path, word, near);
		return sl_fail(err, SL_USAGE,
			"--vary %s:%.200s: %s has no '%.60s': did you mean '%.60s', of line %u?", file->name,
			text, file->path, word, near, way->line[k]);
	}
	return sl_fail(err, SL_USAGE,
		"--vary %s:%.200s: no value of %s has all of these words on the way to it: each is a key, a name or a kind; "
		"only quotas and limits of an entry that is there are added",
		file->name, text, file->path);
}

static int place_found(struct file_place *place, const struct tuned_file *file, struct way *way,
	const char *text, struct sl_arena *arena, struct sl_err *err)
{
	if (!way->matches)
		return place_none(file, way, text, arena, err);
	if (way->matches > 1)
		return sl_fail(err, SL_USAGE,
			"--vary %s:%.200s: %zu %s of %s have all of these words (%s%s): give one more",
			file->name, text, way->matches, way->add == SIZE_MAX ? "values" : "entries",
			file->path, way->others, way->matches > OTHERS_MAX ? ", ..." : "");
	if (way->add != SIZE_MAX)
		return place_in_map(place, file, way, arena, err);
	const char *at = bytes_of(file, way->doc, way->found);
	const struct sl_place there = sl_doc_place(way->doc, way->found);
	if (!at)
		return sl_fail_at(err, &there,
			"this value is not written plainly in one line, so that tune cannot change it");
	return keep_place(place, file, (size_t)(at - file->text), strlen(sl_doc_word(way->doc, way->found)),
		arena, err);
}

/* The word that may be added, the last. */
static void way_adds(struct way *way)
{
	for (size_t i = 0; i < way->words->count; i++)
		for (size_t k = 0; k < SL_LEN(added); k++)
			if (is_text(way->words, i, added[k].key)) {
				way->key = i;
				way->add = k;
			}
}

int place_yaml(struct file_place *place, const struct tuned_file *file, const char *text,
	struct sl_arena *arena, struct sl_err *err)
{
	struct words words;
	struct sl_doc doc = { .file = file->path };
	int status = words_split(&words, file, text, err);
	if (!status)
		status = doc_of(&doc, file, err);
	if (!status && !doc.count)
		status =
			sl_fail(err, SL_USAGE, "--vary %s:%.200s: %s is empty", file->name, text, file->path);
	if (!status) {
		struct way way = { .words = &words, .doc = &doc, .key = SIZE_MAX, .add = SIZE_MAX };
		way_go(&way, doc.node, NULL);
		if (!way.matches)
			way_adds(&way);
		if (way.add != SIZE_MAX)
			way_go(&way, doc.node, NULL);
		status = place_found(place, file, &way, text, arena, err);
	}
	sl_doc_release(&doc);
	return status;
}
