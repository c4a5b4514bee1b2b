/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hosts.c - lists of hosts as Slurm writes them: "dgx[0180-0189,0200],r[1-2]n[01-10],login".
 *
 * A list is names parted by commas; a name is letters, and ranges in brackets, of which the last turns
 * fastest. A range keeps the width of its first number. Nothing is expanded before it was counted.
 */
#include <string.h>

#include "sim/base/base.h"

enum { BRACKETS_MAX = 4, DIGITS_MAX = 9, PARTS_MAX = 2 * BRACKETS_MAX + 1 };

/* Of a name: letters as they are, or a bracket's inside. */
struct part {
	const char *text;
	size_t len;
	bool bracket;
};

struct item {
	struct part part[PARTS_MAX];
	size_t count;
};

/* A range of a bracket, "0180-0189" or "7"; where the next begins. */
struct range {
	int64_t from, to;
	size_t width;
};

static int hosts_fail(const char *text, size_t len, size_t where, const struct sl_place *at,
	struct sl_err *err, const char *why)
{
	enum { DISPLAYED = 60 };
	const int displayed = (int)(len < DISPLAYED ? len : DISPLAYED);
	if (!at)
		return sl_fail(err, SL_INPUT, "list of hosts '%.*s': %s", displayed, text, why);
	struct sl_place place = *at;
	if (place.column)
		place.column += (uint32_t)where;
	return sl_fail_at(err, &place, "list of hosts '%.*s': %s", displayed, text, why);
}

static bool hosts_number(const char **p, const char *end, int64_t *value, size_t *width)
{
	const char *first = *p;
	*value = 0;
	while (*p < end && sl_is_digit(**p) && *p - first < DIGITS_MAX)
		*value = *value * 10 + (*(*p)++ - '0');
	*width = (size_t)(*p - first);
	return *width && !(*p < end && sl_is_digit(**p));
}

/* The range at *p, inside a bracket that ends at `end`; *p goes behind its comma. NULL: it is one. */
static const char *range_at(const char **p, const char *end, struct range *range)
{
	size_t width;
	if (!hosts_number(p, end, &range->from, &range->width))
		return "a bracket holds numbers of at most 9 digits: n[1-4,7]";
	range->to = range->from;
	if (*p < end && **p == '-') {
		++*p;
		if (!hosts_number(p, end, &range->to, &width))
			return "a range is two numbers: n[1-4]";
		if (range->to < range->from)
			return "a range goes upwards: n[1-4]";
	}
	if (*p < end && **p != ',')
		return "ranges are parted by commas: n[1-4,7]";
	*p += *p < end;
	return NULL;
}

/* How many numbers a bracket holds; -1 with *why. */
static int64_t bracket_count(const struct part *part, const char **why)
{
	const char *p = part->text;
	const char *end = p + part->len;
	int64_t count = 0;
	if (p == end || end[-1] == ',')
		*why = "a bracket holds numbers: n[1-4,7]";
	while (p < end && !*why) {
		struct range range;
		*why = range_at(&p, end, &range);
		count += *why ? 0 : range.to - range.from + 1;
	}
	return *why ? -1 : count;
}

static bool is_name(char c)
{
	return sl_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
	       c == '.';
}

/* One name of the list, up to its comma, into parts. */
static const char *item_at(const char **p, const char *end, struct item *item)
{
	size_t brackets = 0;
	item->count = 0;
	while (*p < end && **p != ',') {
		const char *first = *p;
		if (**p == '[') {
			const char *close = memchr(first, ']', (size_t)(end - first));
			if (!close)
				return "a bracket is not closed";
			if (++brackets > BRACKETS_MAX)
				return "a name has at most 4 brackets";
			item->part[item->count++] =
				(struct part){ first + 1, (size_t)(close - first - 1), true };
			*p = close + 1;
			continue;
		}
		while (*p < end && is_name(**p))
			++*p;
		if (*p == first)
			return "names are letters, digits, '-', '_' and '.'";
		item->part[item->count++] = (struct part){ first, (size_t)(*p - first), false };
	}
	return item->count ? NULL : "a name is missing";
}

/* How many names it makes; -1 with *why. */
static int64_t item_count(const struct item *item, const char **why)
{
	int64_t count = 1;
	size_t len = 0;
	for (size_t i = 0; i < item->count && !*why; i++) {
		const struct part *part = &item->part[i];
		const int64_t times = part->bracket ? bracket_count(part, why) : 1;
		len += part->bracket ? DIGITS_MAX : part->len;
		if (!*why && (times > SL_HOSTS_MAX || count * times > SL_HOSTS_MAX))
			*why = "it has more than 10 000 000 names";
		count *= *why ? 1 : times;
	}
	if (!*why && len > SL_HOST_NAME_MAX)
		*why = "a name is too long";
	return *why ? -1 : count;
}

int64_t sl_hosts_count(const char *text, size_t len, const struct sl_place *at, struct sl_err *err)
{
	const char *end = text + len;
	const char *why = len ? NULL : "it is empty";
	int64_t count = 0;
	for (const char *p = text; !why;) {
		struct item item;
		const char *first = p;
		why = item_at(&p, end, &item);
		count += why ? 0 : item_count(&item, &why);
		if (!why && count > SL_HOSTS_MAX)
			why = "it has more than 10 000 000 names";
		if (why)
			return hosts_fail(text, len, (size_t)(first - text), at, err, why);
		if (p == end)
			return count;
		p++; /* The comma; a name must follow. */
	}
	return hosts_fail(text, len, 0, at, err, why);
}

struct naming {
	const struct item *item;
	char name[SL_HOST_NAME_MAX + 1];
	int (*each)(void *self, const char *name, size_t len);
	void *self;
};

static char *hosts_put_number(char *p, int64_t value, size_t width)
{
	char digits[32];
	const size_t len = (size_t)(sl_put_i64(digits, value) - digits);
	for (size_t i = len; i < width; i++)
		*p++ = '0';
	memcpy(p, digits, len);
	return p + len;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a name has parts. */
static int name_rest(struct naming *naming, size_t at, size_t len)
{
	if (at == naming->item->count) {
		naming->name[len] = '\0';
		return naming->each(naming->self, naming->name, len);
	}
	const struct part *part = &naming->item->part[at];
	if (!part->bracket) {
		memcpy(naming->name + len, part->text, part->len);
		return name_rest(naming, at + 1, len + part->len);
	}
	const char *end = part->text + part->len;
	int status = SL_OK;
	for (const char *p = part->text; p < end && !status;) {
		struct range range = { 0 };
		(void)range_at(&p, end, &range);
		for (int64_t i = range.from; i <= range.to && !status; i++) {
			const char *after = hosts_put_number(naming->name + len, i, range.width);
			status = name_rest(naming, at + 1, (size_t)(after - naming->name));
		}
	}
	return status;
}

int sl_hosts_each(const char *text, size_t len, const struct sl_place *at, struct sl_err *err,
	int (*each)(void *self, const char *name, size_t len), void *self)
{
	const char *end = text + len;
	const int64_t count = sl_hosts_count(text, len, at, err);
	if (count < 0)
		return (int)count;
	int status = SL_OK;
	for (const char *p = text; p <= end && !status; p++) {
		struct item item;
		(void)item_at(&p, end, &item);
		struct naming naming = { .item = &item, .each = each, .self = self };
		status = name_rest(&naming, 0, 0);
	}
	return status;
}

/* ---- And back ------------------------------------------------------------------------------------------ */

/* A name, parted before its last number. */
struct parted {
	size_t stem, width; /* width 0: it ends in no number that fits. */
	int64_t number;
};

static struct parted hosts_part(const char *name)
{
	struct parted parted = { strlen(name), 0, 0 };
	size_t at = parted.stem;
	while (at && sl_is_digit(name[at - 1]) && parted.stem - at < DIGITS_MAX)
		at--;
	if (at == parted.stem)
		return parted;
	const char *p = name + at;
	(void)hosts_number(&p, name + parted.stem, &parted.number, &parted.width);
	parted.stem = at;
	return parted;
}

struct text_out {
	char *text;
	size_t len, size;
};

static void hosts_put(struct text_out *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++, out->len++)
		if (out->len + 1 < out->size)
			out->text[out->len] = text[i];
}

static bool same_stem(const char *a, struct parted x, const char *b, struct parted y)
{
	return x.width && y.width && x.stem == y.stem && memcmp(a, b, x.stem) == 0;
}

/* "n9" and "n10" are neighbours, "n09" and "n10" too, "n9" and "n010" are not. */
static bool follows(struct parted before, struct parted next)
{
	char digits[32];
	if (next.number != before.number + 1)
		return false;
	const size_t natural = (size_t)(sl_put_i64(digits, next.number) - digits);
	return next.width == (natural > before.width ? natural : before.width);
}

static void put_range(struct text_out *out, const char *first, struct parted from, const char *last)
{
	const struct parted to = hosts_part(last);
	hosts_put(out, first + from.stem, from.width);
	if (first == last)
		return;
	hosts_put(out, "-", 1);
	hosts_put(out, last + to.stem, to.width);
}

size_t sl_hosts_fold(const char *const *name, size_t count, char *text, size_t size)
{
	struct text_out out = { text, 0, size };
	for (size_t i = 0; i < count;) {
		const struct parted first = hosts_part(name[i]);
		size_t end = i + 1; /* Names with the same stem, */
		while (end < count && same_stem(name[i], first, name[end], hosts_part(name[end])))
			end++;
		hosts_put(&out, i ? "," : "", i ? 1 : 0);
		if (end == i + 1) {
			hosts_put(&out, name[i], strlen(name[i]));
			i = end;
			continue;
		}
		hosts_put(&out, name[i], first.stem);
		hosts_put(&out, "[", 1);
		for (size_t k = i; k < end;) { /* in runs. */
			size_t last = k;
			while (last + 1 < end && follows(hosts_part(name[last]), hosts_part(name[last + 1])))
				last++;
			hosts_put(&out, k > i ? "," : "", k > i ? 1 : 0);
			put_range(&out, name[k], hosts_part(name[k]), name[last]);
			k = last + 1;
		}
		hosts_put(&out, "]", 1);
		i = end;
	}
	if (size)
		text[out.len < size ? out.len : size - 1] = '\0';
	return out.len;
}
