/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cel_run.c - evaluates an expression of CEL for a device. Values carry their kind; what goes wrong is
 * a value too, and goes up until && or || ignores it.
 */
#include <string.h>

#include "policies/cel/kube_cel_parts.h"

static struct cel_value failed(const char *why)
{
	return (struct cel_value){ .kind = CEL_ERROR, .text = why };
}

static struct cel_value of_bool(bool value)
{
	return (struct cel_value){ .kind = CEL_BOOL, .number = value };
}

static struct cel_value of_int(int64_t value)
{
	return (struct cel_value){ .kind = CEL_INT, .number = value };
}

static struct cel_value no_overload(void) { return failed("no such overload"); }

/* ---- Versions -------------------------------------------------------------------------------- */

static size_t kube_cel_run_digits(const char *text) { return strspn(text, "0123456789"); }

/* Identifiers with dots between them; numbers of a pre-release have no zero in front. */
static bool are_identifiers(const char **text, bool numbers)
{
	for (;;) {
		const size_t len =
			strspn(*text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
		if (!len || (numbers && len > 1 && **text == '0' && kube_cel_run_digits(*text) == len))
			return false;
		*text += len;
		if (**text != '.')
			return true;
		++*text;
	}
}

bool cel_is_version(const char *text)
{
	for (int i = 0; i < 3; i++) {
		const size_t len = kube_cel_run_digits(text);
		if (!len || len > 18 || (len > 1 && *text == '0'))
			return false;
		text += len;
		if (i < 2 && *text++ != '.')
			return false;
	}
	if (*text == '-' && (text++, !are_identifiers(&text, true)))
		return false;
	if (*text == '+' && (text++, !are_identifiers(&text, false)))
		return false;
	return !*text;
}

static int64_t number_at(const char **text)
{
	int64_t value = 0;
	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (**text - '0');
	return value;
}

static int compare_identifiers(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const bool a_number = kube_cel_run_digits(a) >= a_len, b_number = kube_cel_run_digits(b) >= b_len;
	if (a_number != b_number)
		return a_number ? -1 : 1;
	if (a_number && a_len != b_len) /* Without zeros in front the longer is more. */
		return a_len < b_len ? -1 : 1;
	const int order = strncmp(a, b, a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_releases(const char *a, const char *b)
{
	if (*a != '-' || *b != '-')
		return (*a != '-') - (*b != '-'); /* A pre-release goes before the release. */
	do {
		a++;
		b++;
		const size_t a_len = strcspn(a, ".+"), b_len = strcspn(b, ".+");
		const int order = compare_identifiers(a, a_len, b, b_len);
		if (order)
			return order < 0 ? -1 : 1;
		a += a_len;
		b += b_len;
	} while (*a == '.' && *b == '.');
	return (*a == '.') - (*b == '.');
}

int cel_compare_versions(const char *a, const char *b)
{
	for (int i = 0; i < 3; i++) {
		const int64_t x = number_at(&a), y = number_at(&b);
		if (x != y)
			return x < y ? -1 : 1;
		a += *a == '.';
		b += *b == '.';
	}
	return compare_releases(a, b);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const struct cel_value *kube_cel_run_find(const struct cel_entry *entry, uint32_t count,
	const char *driver, const char *domain, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(entry[i].name, name) == 0 &&
			strcmp(*entry[i].domain ? entry[i].domain : driver, domain) == 0)
			return &entry[i].value;
	return NULL;
}

const struct cel_value *cel_attribute(const struct cel_device *device, const char *domain, const char *name)
{
	return kube_cel_run_find(device->attribute, device->attributes, device->driver,
		*domain ? domain : device->driver, name);
}

static bool has_domain(const struct cel_device *device, bool capacities, const char *domain)
{
	const struct cel_entry *entry = capacities ? device->capacity : device->attribute;
	const uint32_t count = capacities ? device->capacities : device->attributes;
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(*entry[i].domain ? entry[i].domain : device->driver, domain) == 0)
			return true;
	return false;
}

static const struct cel_value *in_domain(
	const struct cel_device *device, const struct cel_value *domain, const char *name)
{
	return domain->number ? kube_cel_run_find(device->capacity, device->capacities, device->driver,
					domain->text, name)
			      : kube_cel_run_find(device->attribute, device->attributes, device->driver,
					domain->text, name);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static struct cel_value kube_cel_run_run(const struct cel_node *node, const struct cel_device *device);

bool cel_equal(const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == CEL_TEXT)
		return strcmp(a->text, b->text) == 0;
	if (a->kind == CEL_VERSION)
		return cel_compare_versions(a->text, b->text) == 0;
	return a->kind < CEL_LIST && a->number == b->number;
}

static struct cel_value kube_cel_run_field_of(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value of = kube_cel_run_run(node->part[0], device);
	if (of.kind == CEL_DOMAIN) {
		const struct cel_value *value = in_domain(device, &of, node->name);
		return value ? *value : failed("no such key");
	}
	if (of.kind != CEL_DEVICE)
		return of.kind == CEL_ERROR ? of : no_overload();
	if (strcmp(node->name, "driver") == 0)
		return (struct cel_value){ .kind = CEL_TEXT, .text = device->driver };
	if (strcmp(node->name, "allowMultipleAllocations") == 0)
		return of_bool(device->shared);
	const bool attributes = strcmp(node->name, "attributes") == 0;
	return (struct cel_value){ .kind = attributes ? CEL_ATTRIBUTES : CEL_CAPACITIES };
}

static struct cel_value index_of(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value of = kube_cel_run_run(node->part[0], device),
			       cause = kube_cel_run_run(node->part[1], device);
	if (of.kind == CEL_ERROR || cause.kind == CEL_ERROR)
		return of.kind == CEL_ERROR ? of : cause;
	if (cause.kind == CEL_TEXT && (of.kind == CEL_ATTRIBUTES || of.kind == CEL_CAPACITIES))
		return (struct cel_value){
			.kind = CEL_DOMAIN, .number = of.kind == CEL_CAPACITIES, .text = cause.text
		};
	if (cause.kind == CEL_TEXT && of.kind == CEL_DOMAIN) {
		const struct cel_value *value = in_domain(device, &of, cause.text);
		return value ? *value : failed("no such key");
	}
	if (cause.kind != CEL_INT || of.kind != CEL_LIST)
		return no_overload();
	const struct cel_node *item = of.list;
	for (int64_t i = 0; i < cause.number && item; i++)
		item = item->next;
	return item && cause.number >= 0 ? kube_cel_run_run(item, device) : failed("index out of range");
}

/* false && error is false, true || error is true; from whichever side. */
static struct cel_value both_of(const struct cel_node *node, const struct cel_device *device, bool decides)
{
	const struct cel_value a = kube_cel_run_run(node->part[0], device);
	if (a.kind == CEL_BOOL && (a.number != 0) == decides)
		return a;
	const struct cel_value b = kube_cel_run_run(node->part[1], device);
	if (b.kind == CEL_BOOL && ((b.number != 0) == decides || a.kind == CEL_BOOL))
		return b.number != 0 && a.kind == CEL_BOOL ? b : of_bool(b.number != 0);
	if (a.kind == CEL_ERROR || b.kind == CEL_ERROR)
		return a.kind == CEL_ERROR ? a : b;
	return no_overload();
}

static bool is_ordered(enum cel_op op, int order)
{
	switch ((int)op) {
	case CEL_OP_LT:
		return order < 0;
	case CEL_OP_LE:
		return order <= 0;
	case CEL_OP_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static struct cel_value ordered(enum cel_op op, const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind != b->kind)
		return no_overload();
	if (a->kind == CEL_TEXT)
		return of_bool(is_ordered(op, strcmp(a->text, b->text)));
	if (a->kind != CEL_INT && a->kind != CEL_BOOL)
		return no_overload();
	return of_bool(is_ordered(op, (a->number > b->number) - (a->number < b->number)));
}

static struct cel_value is_in(
	const struct cel_value *what, const struct cel_value *where, const struct cel_device *device)
{
	if (where->kind == CEL_LIST) {
		for (const struct cel_node *item = where->list; item; item = item->next) {
			const struct cel_value value = kube_cel_run_run(item, device);
			if (cel_equal(what, &value))
				return of_bool(true);
			if (value.kind == CEL_ERROR)
				return value;
		}
		return of_bool(false);
	}
	if (what->kind != CEL_TEXT)
		return no_overload();
	if (where->kind == CEL_DOMAIN)
		return of_bool(in_domain(device, where, what->text));
	if (where->kind == CEL_ATTRIBUTES || where->kind == CEL_CAPACITIES)
		return of_bool(has_domain(device, where->kind == CEL_CAPACITIES, what->text));
	return no_overload();
}

static struct cel_value relation_of(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value a = kube_cel_run_run(node->part[0], device),
			       b = kube_cel_run_run(node->part[1], device);
	if (a.kind == CEL_ERROR || b.kind == CEL_ERROR)
		return a.kind == CEL_ERROR ? a : b;
	const bool equality = node->op == CEL_OP_EQ || node->op == CEL_OP_NE;
	if (equality && a.kind >= CEL_LIST && a.kind == b.kind)
		return failed("lists and maps are not compared with each other here");
	if (equality)
		return of_bool(cel_equal(&a, &b) == (node->op == CEL_OP_EQ));
	return node->op == CEL_OP_IN ? is_in(&a, &b, device) : ordered(node->op, &a, &b);
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* A letter is what begins in UTF-8. */
static int64_t letters(const char *text)
{
	int64_t count = 0;
	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

static struct cel_value kube_cel_run_size_of(const struct cel_value *of, const struct cel_device *device)
{
	int64_t count = 0;
	(void)device;
	if (of->kind == CEL_TEXT)
		return of_int(letters(of->text));
	if (of->kind != CEL_LIST)
		return no_overload();
	for (const struct cel_node *item = of->list; item; item = item->next)
		count++;
	return of_int(count);
}

static struct cel_value made_of(enum cel_op op, const struct cel_value *of)
{
	int64_t amount;
	if (of->kind != CEL_TEXT)
		return no_overload();
	if (op == CEL_OP_SEMVER)
		return cel_is_version(of->text) ? (struct cel_value){ .kind = CEL_VERSION, .text = of->text }
						: failed("no version");
	if (!sl_get_quantity(of->text, strlen(of->text), &amount))
		return failed("no quantity");
	return (struct cel_value){ .kind = CEL_QUANTITY, .number = amount };
}

static struct cel_value compared(enum cel_op op, const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind != b->kind || (a->kind != CEL_QUANTITY && a->kind != CEL_VERSION))
		return no_overload();
	const int order = a->kind == CEL_VERSION ? cel_compare_versions(a->text, b->text)
						 : (a->number > b->number) - (a->number < b->number);
	if (op == CEL_OP_COMPARE)
		return of_int(order);
	return of_bool(op == CEL_OP_GREATER ? order > 0 : order < 0);
}

static struct cel_value of_texts(
	const struct cel_node *node, const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind != CEL_TEXT || b->kind != CEL_TEXT)
		return no_overload();
	const size_t len = strlen(a->text), part = strlen(b->text);
	if (node->op == CEL_OP_MATCHES)
		return of_bool(regexec(node->pattern, a->text, 0, NULL, 0) == 0);
	if (node->op == CEL_OP_CONTAINS)
		return of_bool(strstr(a->text, b->text));
	if (part > len)
		return of_bool(false);
	return of_bool(
		memcmp(node->op == CEL_OP_STARTS ? a->text : a->text + len - part, b->text, part) == 0);
}

static struct cel_value kube_cel_run_part_of(enum cel_op op, const struct cel_value *of)
{
	if (of->kind != CEL_VERSION)
		return no_overload();
	const char *at = of->text;
	int64_t value = number_at(&at);
	for (enum cel_op i = CEL_OP_MAJOR; i < op; i++) {
		at++;
		value = number_at(&at);
	}
	return of_int(value);
}

static struct cel_value call_of(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value a = kube_cel_run_run(node->part[0], device);
	const struct cel_value b = node->part[1] ? kube_cel_run_run(node->part[1], device) : of_bool(false);
	if (a.kind == CEL_ERROR || b.kind == CEL_ERROR)
		return a.kind == CEL_ERROR ? a : b;
	switch ((int)node->op) {
	case CEL_OP_QUANTITY:
	case CEL_OP_SEMVER:
		return made_of(node->op, &a);
	case CEL_OP_SIZE:
		return kube_cel_run_size_of(&a, device);
	case CEL_OP_COMPARE:
	case CEL_OP_GREATER:
	case CEL_OP_LESS:
		return compared(node->op, &a, &b);
	case CEL_OP_MAJOR:
	case CEL_OP_MINOR:
	case CEL_OP_PATCH:
		return kube_cel_run_part_of(node->op, &a);
	default:
		return of_texts(node, &a, &b);
	}
}

static struct cel_value has_field(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value of = kube_cel_run_run(node->part[0], device);
	if (of.kind == CEL_DEVICE)
		return of_bool(true);
	if (of.kind != CEL_DOMAIN)
		return of.kind == CEL_ERROR ? of : no_overload();
	return of_bool(in_domain(device, &of, node->name));
}

static struct cel_value unary_of(const struct cel_node *node, const struct cel_device *device)
{
	const struct cel_value of = kube_cel_run_run(node->part[0], device);
	if (of.kind == CEL_ERROR)
		return of;
	if (node->op == CEL_OP_NOT)
		return of.kind == CEL_BOOL ? of_bool(!of.number) : no_overload();
	return of.kind == CEL_INT && of.number != INT64_MIN ? of_int(-of.number) : no_overload();
}

static struct cel_value kube_cel_run_run(const struct cel_node *node, const struct cel_device *device)
{
	switch ((int)node->op) {
	case CEL_OP_VALUE:
		return node->value;
	case CEL_OP_LIST:
		return (struct cel_value){ .kind = CEL_LIST, .list = node->first };
	case CEL_OP_DEVICE:
		return (struct cel_value){ .kind = CEL_DEVICE };
	case CEL_OP_FIELD:
		return kube_cel_run_field_of(node, device);
	case CEL_OP_INDEX:
		return index_of(node, device);
	case CEL_OP_NOT:
	case CEL_OP_MINUS:
		return unary_of(node, device);
	case CEL_OP_AND:
	case CEL_OP_OR:
		return both_of(node, device, node->op == CEL_OP_OR);
	case CEL_OP_IF: {
		const struct cel_value test = kube_cel_run_run(node->part[0], device);
		if (test.kind != CEL_BOOL)
			return test.kind == CEL_ERROR ? test : no_overload();
		return kube_cel_run_run(node->part[test.number ? 1 : 2], device);
	}
	case CEL_OP_HAS:
		return has_field(node->part[0], device);
	default:
		return node->op <= CEL_OP_IN ? relation_of(node, device) : call_of(node, device);
	}
}

enum cel_truth cel_holds(const struct cel *cel, const struct cel_device *device, const char **why)
{
	const struct cel_value value = kube_cel_run_run(cel->root, device);
	*why = value.kind == CEL_ERROR ? value.text : "the expression gives no bool";
	if (value.kind != CEL_BOOL)
		return CEL_FAILED;
	return value.number ? CEL_YES : CEL_NO;
}
