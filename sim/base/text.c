/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - numbers out, numbers in, and the words of states and reasons.
 *
 * No locale reaches here, and no double: what is read as a decimal is kept in
 * millionths, exactly.
 */
#include "sim/base/base.h"

#include <string.h>

static const char pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static char *put_u64(char *p, uint64_t value)
{
	char digits[20];
	char *first = digits + sizeof(digits);
	while (value >= 100) {
		const uint64_t rest = value / 100;
		first -= 2;
		memcpy(first, pairs + 2 * (value - rest * 100), 2);
		value = rest;
	}
	if (value >= 10) {
		first -= 2;
		memcpy(first, pairs + 2 * value, 2);
	} else {
		*--first = (char)('0' + value);
	}
	const size_t len = (size_t)(digits + sizeof(digits) - first);
	memcpy(p, first, len);
	return p + len;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

char *sl_put_i64(char *p, int64_t value)
{
	if (value < 0)
		*p++ = '-';
	return put_u64(p, magnitude(value));
}

char *sl_put_micro(char *p, int64_t value)
{
	if (value < 0)
		*p++ = '-';
	const uint64_t size = magnitude(value);
	const uint64_t whole = size / 1000000;
	uint64_t rest = size - whole * 1000000;
	p = put_u64(p, whole);
	if (!rest)
		return p;
	*p++ = '.';
	for (uint64_t unit = 100000; rest; unit /= 10) {
		*p++ = (char)('0' + rest / unit);
		rest %= unit;
	}
	return p;
}

/* A decimal as mantissa * 10^exponent, its sign apart. */
struct decimal {
	unsigned __int128 mantissa;
	int exponent;
	bool negative;
};

enum { EXPONENT_MAX = 400 };

static const char *digits_in(const char *p, const char *end, struct decimal *d, bool fraction)
{
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		/* 28 digits are more than any time needs; further ones only move the exponent. */
		if (d->mantissa < (unsigned __int128)1000000000000000000 * 10000000000) {
			d->mantissa = d->mantissa * 10 + (unsigned)(*p - '0');
			d->exponent -= fraction;
		} else if (!fraction) {
			d->exponent++;
		}
		if (d->exponent > EXPONENT_MAX || d->exponent < -EXPONENT_MAX)
			return NULL;
	}
	return p;
}

static bool exponent_in(const char *p, const char *end, struct decimal *d)
{
	bool negative = false;
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p == end)
		return false;
	int value = 0;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		if (value < EXPONENT_MAX)
			value = value * 10 + (*p - '0');
	}
	d->exponent += negative ? -value : value;
	return true;
}

static bool decimal_in(const char *text, size_t len, struct decimal *d)
{
	const char *p = text;
	const char *end = text + len;
	*d = (struct decimal){ 0 };
	if (p < end && (*p == '+' || *p == '-'))
		d->negative = *p++ == '-';
	const char *first = p;
	p = digits_in(p, end, d, false);
	if (!p)
		return false;
	size_t digits = (size_t)(p - first);
	if (p < end && *p == '.') {
		first = ++p;
		p = digits_in(p, end, d, true);
		if (!p)
			return false;
		digits += (size_t)(p - first);
	}
	if (!digits)
		return false;
	if (p == end)
		return true;
	return (*p == 'e' || *p == 'E') && exponent_in(p + 1, end, d);
}

/* mantissa * 10^shift into an int64, rounded half up in magnitude. */
static bool decimal_scaled(const struct decimal *d, int shift, int64_t *value)
{
	unsigned __int128 size = d->mantissa;
	int exponent = d->exponent + shift;
	for (; exponent > 0 && size; exponent--) {
		if (size > INT64_MAX)
			return false;
		size *= 10;
	}
	for (; exponent < -1 && size; exponent++)
		size /= 10; /* Digits below the rounding one; they cannot carry a half up. */
	if (exponent == -1)
		size = (size + 5) / 10;
	if (size > INT64_MAX)
		return false;
	*value = d->negative ? -(int64_t)size : (int64_t)size;
	return true;
}

/* Of a whole number without a sign, as most are. False: it is not one, or large. */
static bool whole_in(const char *text, size_t len, int64_t *value)
{
	enum { DIGITS = 12 };
	int64_t number = 0;
	size_t i = 0;
	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		if (i == DIGITS)
			return false;
		number = number * 10 + (text[i] - '0');
	}
	if (!i || i < len)
		return false;
	*value = number * 1000000;
	return true;
}

bool sl_get_micro(const char *text, size_t len, int64_t *value)
{
	struct decimal d;
	if (whole_in(text, len, value))
		return true;
	return decimal_in(text, len, &d) && decimal_scaled(&d, 6, value);
}

bool sl_get_i64(const char *text, size_t len, int64_t *value)
{
	bool negative = false;
	size_t i = 0;
	if (len && (text[0] == '-' || text[0] == '+'))
		negative = text[i++] == '-';
	if (i == len || len - i > 19)
		return false;
	uint64_t size = 0;
	for (; i < len; i++) {
		const unsigned digit = (unsigned char)text[i] - (unsigned)'0';
		if (digit > 9)
			return false;
		size = size * 10 + digit;
	}
	if (size > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)size : (int64_t)size;
	return true;
}

/* [days-]hours:minutes:seconds or minutes:seconds, as Slurm writes it. */
static bool clock_in(const char *text, size_t len, sl_time *value)
{
	int64_t days = 0;
	const char *dash = memchr(text, '-', len);
	if (dash) {
		if (!sl_get_i64(text, (size_t)(dash - text), &days) || days < 0 || days > 10000000)
			return false;
		len -= (size_t)(dash + 1 - text);
		text = dash + 1;
	}
	int64_t part[3];
	size_t count = 0;
	const char *end = text + len;
	while (count < 2) {
		const char *colon = memchr(text, ':', (size_t)(end - text));
		if (!colon)
			break;
		if (!sl_get_i64(text, (size_t)(colon - text), &part[count]) || part[count] < 0 ||
			part[count] > 1000000000)
			return false;
		count++;
		text = colon + 1;
	}
	int64_t last;
	if (!count || !sl_get_micro(text, (size_t)(end - text), &last) || last < 0 ||
		last > 1000000000 * SL_SECOND)
		return false;
	if (count == 2)
		*value = (((days * 24 + part[0]) * 60 + part[1]) * 60) * SL_SECOND + last;
	else if (dash) /* days-hours:minutes */
		*value = ((days * 24 + part[0]) * 60 * 60) * SL_SECOND + last * 60;
	else /* minutes:seconds */
		*value = part[0] * 60 * SL_SECOND + last;
	return true;
}

bool sl_get_duration(const char *text, size_t len, sl_time *value)
{
	static const struct {
		char letter;
		int64_t seconds;
	} unit[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };

	if (!len)
		return false;
	if (memchr(text, ':', len))
		return clock_in(text, len, value);
	for (size_t i = 0; i < SL_LEN(unit); i++) {
		if (text[len - 1] != unit[i].letter)
			continue;
		int64_t number;
		if (!sl_get_micro(text, len - 1, &number) || number > INT64_MAX / unit[i].seconds ||
			number < INT64_MIN / unit[i].seconds)
			return false;
		*value = number * unit[i].seconds;
		return true;
	}
	return sl_get_micro(text, len, value);
}

bool sl_get_memory(const char *text, size_t len, bool up, int64_t *mib)
{
	static const struct {
		char letter;
		int64_t kib;
	} unit[] = { { 'k', 1 }, { 'm', 1 << 10 }, { 'g', 1 << 20 }, { 't', 1 << 30 },
		{ 'p', INT64_C(1) << 40 } };
	const __int128 whole = (__int128)1024 * 1000000; /* Millionths of a KiB in a MiB. */
	size_t digits = 0;
	while (digits < len &&
		((text[digits] >= '0' && text[digits] <= '9') || !strchr("kmgtpKMGTP ", text[digits])))
		digits++;
	const char *suffix = text + digits;
	const char *end = text + len;
	while (suffix < end && *suffix == ' ')
		suffix++;
	int64_t micro;
	if (!sl_get_micro(text, digits, &micro) || micro < 0)
		return false;
	int64_t kib = suffix == end ? 1 << 10 : 0;
	for (size_t i = 0; suffix < end && i < SL_LEN(unit); i++)
		if ((*suffix | 0x20) == unit[i].letter)
			kib = unit[i].kib;
	const size_t rest = suffix == end ? 0 : (size_t)(end - suffix) - 1;
	const bool known = rest == 0 || (rest == 1 && (suffix[1] | 0x20) == 'b') ||
			   (rest == 2 && (suffix[1] | 0x20) == 'i' && (suffix[2] | 0x20) == 'b');
	if (!kib || !known)
		return false;
	const __int128 fine = (__int128)micro * kib + (up ? whole - 1 : 0);
	if (fine <= INT64_MAX) { /* Divided without a call. */
		*mib = (int64_t)fine / (int64_t)whole;
		return true;
	}
	const __int128 size = fine / whole;
	*mib = size < INT64_MAX ? (int64_t)size : INT64_MAX;
	return true;
}

int64_t sl_mul_div(int64_t a, int64_t b, int64_t c)
{
	SL_CHECK(c > 0);
	const __int128 product = (__int128)a * b;
	/* Half up: towards plus infinity, so floor((2ab + c) / 2c). */
	const __int128 top = 2 * product + c;
	const __int128 bottom = 2 * (__int128)c;
	__int128 quotient = top / bottom;
	if (top % bottom < 0)
		quotient--;
	SL_CHECK(quotient <= INT64_MAX && quotient >= INT64_MIN);
	return (int64_t)quotient;
}

const struct sl_value *sl_value_of(const struct sl_value *values, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(values[i].key, key) == 0)
			return &values[i];
	return NULL;
}

const char *sl_state_name(enum sl_state state)
{
	static const char *const name[SL_STATE_COUNT] = { "PENDING", "RUNNING", "SUSPENDED", "COMPLETED",
		"FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE",
		"BOOT_FAIL" };
	SL_CHECK(state < SL_STATE_COUNT);
	return name[state];
}

const char *sl_reason_name(enum sl_reason reason)
{
	static const char *const name[SL_REASON_COUNT] = {
#define SL_REASON_WORD(name, word) word,
		SL_REASONS(SL_REASON_WORD)
#undef SL_REASON_WORD
	};
	SL_CHECK(reason < SL_REASON_COUNT);
	return name[reason];
}
