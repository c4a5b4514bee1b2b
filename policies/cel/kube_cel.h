/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cel.h - the part of the Common Expression Language that selects devices: an expression is parsed
 * once, then evaluated for each device.
 *
 * Known: device.driver, device.attributes["domain"].name, device.capacity["domain"].name,
 * device.allowMultipleAllocations; == != < <= > >= in && || ! ?: - and lists; has(), size(), quantity(),
 * semver(); compareTo, isGreaterThan, isLessThan, matches, startsWith, endsWith, contains, size, major,
 * minor, patch. Anything else is refused where it stands. && and || ignore an error on one side where the
 * other side decides.
 *
 * https://kubernetes.io/docs/reference/using-api/cel/ and the language's definition (cel-spec).
 */
#ifndef KUBE_CEL_H
#define KUBE_CEL_H

#include "sim/plugin.h"

/* CEL_QUANTITY_MAX: in thousandths, so that sums stay within 64 bits, up to 8 of them. */
#define CEL_QUANTITY_MAX (INT64_C(1) << 60)
enum { CEL_BYTES_MAX = 10240, CEL_DEPTH_MAX = 64, CEL_NODES_MAX = 4096, CEL_PATTERN_MAX = 128 };

enum cel_kind {
	CEL_ERROR,
	CEL_NULL,
	CEL_BOOL,
	CEL_INT,
	CEL_TEXT,
	CEL_VERSION,
	CEL_QUANTITY, /* In thousandths. */
	CEL_LIST,
	CEL_DEVICE,
	CEL_ATTRIBUTES, /* Of all domains, */
	CEL_CAPACITIES,
	CEL_DOMAIN, /* of one: `text` is its name, and `number` whether it is of capacities. */
};

struct cel_node;
struct cel_value {
	enum cel_kind kind;
	int64_t number;
	const char *text; /* Of an error, what is wrong. */
	const struct cel_node *list;
};

/* What a device says of itself. Its driver is the domain of names that have none. */
struct cel_entry {
	const char *domain, *name;
	struct cel_value value;
};
struct cel_device {
	const char *driver;
	bool shared; /* allowMultipleAllocations */
	const struct cel_entry *attribute, *capacity;
	uint32_t attributes, capacities;
};

struct cel;

/* Parsed into the arena; `place` is of the expression. Patterns are freed by cel_release. */
int cel_parse(struct cel **cel, struct sl_arena *arena, const char *text, const struct sl_place *place,
	struct sl_err *err);
void cel_release(struct cel *cel);
enum cel_truth { CEL_NO, CEL_YES, CEL_FAILED };
enum cel_truth cel_holds(const struct cel *cel, const struct cel_device *device, const char **why);

/* The attribute of that name; a domain that is missing is the driver's. NULL: it has none. */
const struct cel_value *cel_attribute(const struct cel_device *device, const char *domain, const char *name);

bool cel_is_version(const char *text);
int cel_compare_versions(const char *a, const char *b); /* By precedence of semver 2.0.0. */
bool cel_equal(const struct cel_value *a, const struct cel_value *b);

/* kube_cel_device.c: fields of a ResourceSlice's devices; failures name the place in the file.
 * cel_bool: the member at that path; left as it is, if it is not there. cel_quantity: "80Gi", or
 * { value: 80Gi }, in thousandths. cel_split: "domain/name" or "name", whose domain is ""; false: it is
 * neither. */
int cel_bool(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, bool *value,
	struct sl_err *err);
int cel_quantity(
	const struct sl_doc *doc, const struct sl_doc_node *node, int64_t *value, struct sl_err *err);
bool cel_split(struct sl_arena *arena, const char *text, const char **domain, const char **name);
/* Where the device's fields stand: in itself, or in v1beta1 in `basic`. */
const struct sl_doc_node *cel_device_fields(const struct sl_doc *doc, const struct sl_doc_node *device);
/* All but the driver, which the slice names. Attributes and capacities are in the order of the file. */
int cel_device_read(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *device,
	struct cel_device *seen, struct sl_err *err);

#endif
