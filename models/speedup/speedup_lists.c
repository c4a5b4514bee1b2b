/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedup_lists.c - what is given as a list: factors of GPU types.
 */
#include <string.h>
#include <strings.h>

#include "models/speedup/speedup.h"

/* The next of a list's items, NULL: there is none. *end is behind it. */
static const char *next_item(const char *text, const char **end)
{
	if (!*text)
		return NULL;
	*end = text + strcspn(text, ",");
	return text;
}

static uint32_t kind_of(const struct sl_cluster *cluster, const char *name, size_t len)
{
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		if (strlen(cluster->kind_name[kind]) == len &&
			strncasecmp(cluster->kind_name[kind], name, len) == 0)
			return kind;
	return UINT32_MAX;
}

/* Types that the cluster has none of are passed over: one list does for several clusters. */
int speedup_factors(
	const char *text, const struct sl_cluster *cluster, int64_t factor[SL_KINDS_MAX], struct sl_err *err)
{
	memset(factor, 0, SL_KINDS_MAX * sizeof(*factor));
	const char *end;
	for (const char *at = text; (at = next_item(at, &end)) != NULL; at = *end ? end + 1 : end) {
		const char *is = memchr(at, '=', (size_t)(end - at));
		int64_t micro;
		if (!is || is == at || !sl_get_micro(is + 1, (size_t)(end - is - 1), &micro) ||
			micro < 1000 || micro > INT64_C(1000000000))
			return sl_fail(err, SL_USAGE,
				"factors: '%.*s' is not TYPE=FACTOR, as in v100=1,a100=2.2, with a factor from 0.001 to 1000",
				(int)(end - at), at);
		const uint32_t kind = kind_of(cluster, at, (size_t)(is - at));
		if (kind == UINT32_MAX)
			continue;
		if (factor[kind])
			return sl_fail(err, SL_USAGE, "factors: '%.*s' is there twice", (int)(is - at), at);
		factor[kind] = micro;
	}
	return SL_OK;
}
