/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_quantity.c - quantities of Kubernetes: "500m", "1.5Gi", "1e3".
 *
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/: a decimal with a suffix
 * of tens (n, u, m, k, M, G, T, P, E), of twos (Ki to Ei) or an exponent (e3, E3); what is finer than the
 * requested unit is rounded up, what is beyond 64 bits is the largest number. Negative ones are refused:
 * nothing that is read may be negative.
 */
#include "sim/plugin.h"

#include <string.h>

/* More digits than a result has; those behind them say only whether the rest is zero. */
enum { DIGITS_MAX = 20, EXPONENT_MAX = 1000 };

/* digits x 10^ten x 2^two, and a little more if `rest`. */
struct number {
	unsigned __int128 digits;
	int64_t ten;
	uint32_t two, kept;
	bool any, rest;
};

static void digit_add(struct number *number, char c, bool fraction)
{
	number->any = true;
	if (number->kept == DIGITS_MAX) {
		number->rest |= c != '0';
		number->ten += !fraction;
		return;
	}
	number->digits = 10 * number->digits + (unsigned)(c - '0');
	number->kept += number->digits > 0;
	number->ten -= fraction;
}

/* Whole and fraction; where it ends. */
static const char *decimal_in(const char *p, const char *end, struct number *number)
{
	for (; p < end && sl_is_digit(*p); p++)
		digit_add(number, *p, false);
	if (p < end && *p == '.')
		for (p++; p < end && sl_is_digit(*p); p++)
			digit_add(number, *p, true);
	return p;
}

static bool exponent_in(const char *p, const char *end, struct number *number)
{
	const bool minus = p < end && *p == '-';
	int64_t exponent = 0;
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return false;
	for (; p < end && sl_is_digit(*p); p++)
		exponent = exponent < EXPONENT_MAX ? 10 * exponent + (*p - '0') : exponent;
	number->ten += minus ? -exponent : exponent;
	return p == end;
}

static bool suffix_in(const char *p, const char *end, struct number *number)
{
	static const struct {
		const char *word;
		int ten;
		uint32_t two;
	} suffix[] = { { "n", -9, 0 }, { "u", -6, 0 }, { "m", -3, 0 }, { "k", 3, 0 }, { "M", 6, 0 },
		{ "G", 9, 0 }, { "T", 12, 0 }, { "P", 15, 0 }, { "E", 18, 0 }, { "Ki", 0, 10 },
		{ "Mi", 0, 20 }, { "Gi", 0, 30 }, { "Ti", 0, 40 }, { "Pi", 0, 50 }, { "Ei", 0, 60 } };
	const size_t len = (size_t)(end - p);
	if (!len)
		return true;
	for (size_t i = 0; i < SL_LEN(suffix); i++)
		if (strlen(suffix[i].word) == len && memcmp(suffix[i].word, p, len) == 0) {
			number->ten += suffix[i].ten;
			number->two = suffix[i].two;
			return true;
		}
	return (*p == 'e' || *p == 'E') && exponent_in(p + 1, end, number);
}

static bool pods_quantity_number_in(const char *text, size_t len, struct number *number)
{
	const char *end = text + len;
	*number = (struct number){ 0 };
	const char *p = text + (len && *text == '+');
	p = decimal_in(p, end, number);
	return number->any && suffix_in(p, end, number);
}

/* Rounded up. digits < 10^20 < 2^67, and two <= 60: the product stays within 128 bits. */
static int64_t number_value(const struct number *number, int64_t ten)
{
	unsigned __int128 value = number->digits << number->two;
	bool rest = number->rest;
	if (!value)
		return rest;
	for (ten += number->ten; ten > 0; ten--) {
		value *= 10;
		if (value > INT64_MAX)
			return INT64_MAX;
	}
	for (; ten < 0 && value; ten++) {
		rest |= value % 10 != 0;
		value /= 10;
	}
	value += rest;
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

bool sl_get_quantity(const char *text, size_t len, int64_t *thousandths)
{
	struct number number;
	const bool good = pods_quantity_number_in(text, len, &number);
	if (good)
		*thousandths = number_value(&number, 3);
	return good;
}

bool sl_get_amount(const char *resource, const char *text, size_t len, int64_t *amount)
{
	struct number number;
	const bool good = pods_quantity_number_in(text, len, &number);
	if (good)
		*amount = number_value(&number, strcmp(resource, "cpu") == 0 ? 3 : 0);
	return good;
}
