/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_price.c - what the points of a search cost: nodes that a setting buys, times their price.
 *
 * Prices have no currency: they are numbers, of a node (of a cpu of a counted pool), for good or for a month
 * or an hour of it. What is added costs, what is removed is saved; of a count that is set, all of it costs.
 */
#include <stdio.h>
#include <string.h>

#include "cli/whatif/whatif_search.h"

static const struct {
	const char *word, *suffix;
} pers[] = {
	[PRICE_PIECE] = { "piece", "" },
	[PRICE_MONTH] = { "month", " a month" },
	[PRICE_HOUR] = { "hour", " an hour" },
};

static int read_per(struct prices *prices, const char *word, struct sl_err *err)
{
	for (size_t i = 0; i < SL_LEN(pers); i++)
		if (!word || strcmp(pers[i].word, word) == 0) {
			prices->per = (enum price_per)i;
			return SL_OK;
		}
	return sl_fail(err, SL_USAGE, "--price-per must be piece, month or hour, not '%.60s'", word);
}

/* "nodes[h100]=30000" or "h100=30000": is it of that name? */
static int read_price(const char *text, const char *bought, int64_t *micro, bool *found, struct sl_err *err)
{
	const char *equals = strrchr(text, '=');
	const char *name = strncmp(text, "nodes[", 6) == 0 ? text + 6 : text;
	size_t len = equals ? (size_t)(equals - name) : 0;
	int64_t price = 0;
	if (name != text && len && name[len - 1] == ']')
		len--;
	if (!len || !sl_get_micro(equals + 1, strlen(equals + 1), &price) || price < 0)
		return sl_fail(err, SL_USAGE,
			"--price '%.100s' is not NODES=PRICE: give nodes[gpu]=30000, or cpus=100 of a pool",
			text);
	*found = strlen(bought) == len && memcmp(bought, name, len) == 0;
	if (*found)
		*micro = price;
	return SL_OK;
}

/* The last --price of the line that names it, else what the cluster's file says. */
static int price_of(int64_t *micro, bool *known, const char *bought, const struct args *args,
	const struct sl_cluster *cluster, struct sl_err *err)
{
	const char *text;
	bool found = false;
	int status = SL_OK;
	*known = false;
	for (size_t i = 0; !status && (text = arg_at(args, "price", i)); i++) {
		status = read_price(text, bought, micro, &found, err);
		*known |= !status && found;
	}
	if (status || *known)
		return status;
	const char *said = sl_setting_of(cluster, "node", bought, "price");
	*known = said && sl_get_micro(said, strlen(said), micro);
	return SL_OK;
}

static int read_budget(struct prices *prices, const char *text, struct sl_err *err)
{
	if (!text)
		return SL_OK;
	prices->bounded = true;
	if (sl_get_micro(text, strlen(text), &prices->budget) && prices->budget >= 0)
		return SL_OK;
	return sl_fail(err, SL_USAGE, "--budget must be a number, not '%.60s'", text);
}

/* Every --price is of something. */
static int prices_used(const struct axis *axis, size_t count, const struct args *args, struct sl_err *err)
{
	const char *text;
	for (size_t i = 0; (text = arg_at(args, "price", i)); i++) {
		bool used = false;
		for (size_t k = 0; k < count; k++) {
			int64_t micro;
			bool found = false;
			if (axis[k].bought && read_price(text, axis[k].bought, &micro, &found, err))
				return err->status;
			used |= found;
		}
		if (!used)
			return sl_fail(err, SL_USAGE,
				"--price '%.100s': nothing of that name is searched over: give --buy or --vary for it",
				text);
	}
	return SL_OK;
}

int prices_read(struct prices *prices, const struct axis *axis, size_t count, const struct args *args,
	const struct sl_cluster *cluster, struct sl_err *err)
{
	const char *missing = NULL;
	*prices = (struct prices){ .per = PRICE_PIECE };
	int status = read_per(prices, arg(args, "price-per"), err);
	if (!status)
		status = read_budget(prices, arg(args, "budget"), err);
	if (!status)
		status = prices_used(axis, count, args, err);
	for (size_t i = 0; i < count && !status; i++) {
		bool known;
		if (!axis[i].bought)
			continue;
		status = price_of(&prices->each[i], &known, axis[i].bought, args, cluster, err);
		prices->any |= known;
		missing = known ? missing : axis[i].bought;
	}
	if (!status && missing && (prices->any || prices->bounded))
		return sl_fail(err, SL_USAGE,
			"'%.63s' has no price: give --price '%.63s=P', or 'price' in the cluster's file",
			missing, missing);
	if (!status && prices->bounded && !prices->any)
		return sl_fail(err, SL_USAGE, "--budget: nothing that is searched over has a price");
	return status;
}

int64_t cost_of(
	const struct prices *prices, const struct axis *axis, const struct axis_search *grid, size_t point)
{
	__int128 sum = 0;
	for (size_t i = 0; i < grid->axes; i++)
		if (axis[i].units)
			sum += (__int128)axis[i].units[axis_search_at(grid, point, i)] * prices->each[i];
	return sum > INT64_MAX ? INT64_MAX : sum < -INT64_MAX ? -INT64_MAX : (int64_t)sum;
}

const char *price_text(char buffer[64], const struct prices *prices, int64_t micro)
{
	char number[48];
	const bool whole = micro % 1000000 == 0;
	(void)snprintf(
		buffer, 64, "%s%s", screen_number(number, micro, whole ? 0 : 2), pers[prices->per].suffix);
	return buffer;
}
