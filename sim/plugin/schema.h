/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema.h - what the maps of a file may hold, as tables, and one reader that goes by them.
 *
 * A line of a table is a key: its kind, its bounds, and where in a struct its value goes. Each file says what
 * is wrong with it in words of its own: `fail` of its reading.
 */
#ifndef SL_PLUGIN_SCHEMA_H
#define SL_PLUGIN_SCHEMA_H

#include "yaml.h"

enum sl_field_kind {
	SL_FIELD_OTHER,  /* The caller of sl_schema_read reads it. */
	SL_FIELD_TAKE,   /* `take` reads it, into what is at `at`. */
	SL_FIELD_WORD,   /* Letters, digits, '.', '_' and '-'; at most SL_FIELD_WORD_MAX. */
	SL_FIELD_TEXT,   /* Not empty, without control characters. */
	SL_FIELD_ANY,    /* Any text. */
	SL_FIELD_COUNT,  /* int64_t */
	SL_FIELD_MILLI,  /* int64_t, thousandths of what is written */
	SL_FIELD_MICRO,  /* int64_t, millionths */
	SL_FIELD_U32,    /* uint32_t */
	SL_FIELD_MEMORY, /* int64_t, MiB */
	SL_FIELD_TIME,   /* sl_time, SL_NEVER: "unlimited" */
	SL_FIELD_HEX,    /* uint64_t, of 16 digits */
	SL_FIELD_BOOL,
	SL_FIELD_CHOICE, /* An enum, of the words of `choice`. */
	SL_FIELD_MAP,    /* A struct, by the schema `of`. */
	SL_FIELD_LIST /* A pointer to as many of `each` as there are, and their number, a size_t at `count`.
		       */
};

enum { SL_FIELD_WORD_MAX = 63, SL_FIELDS_MAX = 32 };

struct sl_schema;
struct sl_schema_reading;

struct sl_field {
	const char *key;
	enum sl_field_kind kind;
	size_t at;                 /* In the struct that the map fills. */
	int64_t min, max;          /* Of numbers; of a list, max: of its items. A max of INT64_MAX may be
				    * written "unlimited". */
	int64_t unset;             /* Of a number: what it is where the key is absent, and is not written. */
	const char *const *choice; /* Closed by NULL. */
	bool needed;
	bool null; /* It may be null, and then is as it was. */
	int (*take)(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *base);
	const struct sl_schema *of;
	const struct sl_field *each; /* One item, at 0; */
	size_t size, count;          /* its size. */
};

/* A map's keys in the order in which they are written. */
struct sl_schema {
	const char *have; /* "nodes have", "a snapshot": for messages. */
	const struct sl_field *field;
	size_t count;
	/* Once all its keys are read: what belongs together. NULL: nothing does. */
	int (*check)(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base);
};

enum sl_schema_wrong {
	SL_SCHEMA_NO_MAP,  /* node is no map. */
	SL_SCHEMA_UNKNOWN, /* node's key is not in the table. If fail returns 0 it is skipped. */
	SL_SCHEMA_TWICE,   /* node's key was there before; of documents that are loose. */
	SL_SCHEMA_LACKS,   /* node, a map, lacks the key `what`. */
	SL_SCHEMA_VALUE    /* node is not `what`: "a whole number from 0 to 8". */
};

struct sl_schema_reading {
	const struct sl_doc *doc;
	struct sl_arena *arena; /* Where texts and lists go; NULL: texts are the document's, and no lists. */
	bool strict;            /* Of JSON: texts stand in quotes, and nothing else does. */
	void *self;
	int (*fail)(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
		const struct sl_schema *schema, const struct sl_doc_node *node, const char *what);
	struct sl_err *err;
};

/* In the order of the file, each key once. into: the node of each field, NULL where it is absent; or NULL.
 * base NULL: nothing is read but the keys. What is absent stays as it was. */
SL_API int sl_schema_read(const struct sl_schema_reading *r, const struct sl_doc_node *map,
	const struct sl_schema *schema, const struct sl_doc_node **into, void *base);
/* One value. */
SL_API int sl_field_value(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_field *field, const struct sl_doc_node *node, void *base);
/* A list of such items. */
SL_API int sl_field_list(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_field *field, const struct sl_doc_node *list, void *base);
/* What is wrong with a file that schedlab wrote: "give a file as it was written". */
SL_API int sl_schema_fail_record(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what);
/* At the value; at its key. */
SL_API int sl_schema_fail_at(const struct sl_schema_reading *r, const struct sl_doc_node *node,
	const char *format, ...) SL_PRINTF(3, 4);
SL_API int sl_schema_fail_key(const struct sl_schema_reading *r, const struct sl_doc_node *node,
	const char *format, ...) SL_PRINTF(3, 4);

SL_API size_t sl_schema_find(const struct sl_schema *schema, const char *key, size_t len); /* count: none. */
SL_API const char *sl_schema_similar(
	const struct sl_schema *schema, const char *key); /* NULL: none is similar. */
/* "name, count, cpus", as far as the capacity goes. */
SL_API const char *sl_schema_keys(const struct sl_schema *schema, char *text, size_t capacity);
/* Every field unset. */
SL_API void sl_schema_clear(const struct sl_schema *schema, void *base);

/* False: text is not a value of the field. Texts are lent. */
SL_API bool sl_field_read(const struct sl_field *field, const char *text, void *base);
SL_API bool sl_field_is_set(const struct sl_field *field, const void *base);
/* "a whole number from 0 to 10000000", for messages. */
enum { SL_FIELD_WANTED_MAX = 200 };
SL_API const char *sl_field_wanted(const struct sl_field *field, char buffer[SL_FIELD_WANTED_MAX]);
SL_API int64_t sl_field_number(const struct sl_field *field, const void *base);
SL_API void sl_field_set_number(const struct sl_field *field, void *base, int64_t number);
SL_API bool sl_field_fits(const struct sl_field *field, int64_t number);
enum { SL_FIELD_TEXT_MAX = 40 }; /* Of a number as it is written. */
/* The field's text, into buffer where it is a number; NULL: there is none. */
SL_API const char *sl_field_text(
	const struct sl_field *field, const void *base, char buffer[SL_FIELD_TEXT_MAX]);
SL_API const char *sl_field_number_text(
	const struct sl_field *field, int64_t number, char buffer[SL_FIELD_TEXT_MAX]);
SL_API bool sl_is_word(const char *text); /* SL_FIELD_WORD */

#endif
