/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net_config.c - what is said of a fabric: the section of the cluster's file, over it the model's parameters.
 *
 * Data rates of InfiniBand at four lanes: EDR 100, HDR 200, NDR 400, XDR 800 Gb/s; HDR100 and NDR200 are
 * two lanes of theirs (InfiniBand Trade Association, InfiniBand Roadmap). What protocols leave of it, 97 %,
 * is assumed. Latencies are those of NCCL's model, protocol Simple: 14 us a step of a ring over the network,
 * 3.4 us over NVLink (github.com/NVIDIA/nccl, src/graph/tuning.cc); 0.13 us a further switch is assumed.
 */
#include <string.h>

#include "models/fabric/net.h"

#define MICRO INT64_C(1000000)

struct given {
	const char *text; /* NULL: nobody said. */
	struct sl_place at;
	const char *key;
};

static int small(int letter) { return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter; }

static bool same_word(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (small(*a) != small(*b))
			return false;
	return *a == *b;
}

const struct sl_setting *net_setting(
	const struct sl_cluster *cluster, const char *kind, const char *name, const char *key)
{
	for (uint32_t i = cluster->setting_count; i-- > 0;) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (same_word(setting->kind, kind) && same_word(setting->name, name) &&
			same_word(setting->key, key))
			return setting;
	}
	return NULL;
}

/* The engine gives a value of the section as a parameter, too: then it is of the same text. */
static struct given given_of(const struct sl_model_setup *setup, const char *key)
{
	struct given given = { .key = key };
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	const struct sl_setting *setting = net_setting(setup->cluster, "fabric", "", key);
	given.text = value ? value->text : NULL;
	if (setting && (!given.text || strcmp(setting->value, given.text) == 0)) {
		given.text = setting->value;
		given.at = setting->at;
	}
	return given;
}

static int net_config_wrong(const struct given *given, struct sl_err *err, const char *wanted)
{
	if (given->at.file)
		return sl_fail_at(
			err, &given->at, "fabric: %s '%s' is not %s", given->key, given->text, wanted);
	return sl_fail(err, SL_USAGE, "fabric.%s: '%s' is not %s", given->key, given->text, wanted);
}

/* A whole number between two bounds; untouched where nobody says. */
static int net_config_whole(const struct sl_model_setup *setup, const char *key, int64_t min, int64_t max,
	int64_t *value, struct sl_err *err)
{
	const struct given given = given_of(setup, key);
	int64_t number;
	if (!given.text)
		return SL_OK;
	if (!sl_get_i64(given.text, strlen(given.text), &number) || number < min || number > max)
		return net_config_wrong(
			&given, err, "a whole number within its bounds (schedlab-fabric(7) has them)");
	*value = number;
	return SL_OK;
}

/* A number between two bounds, in millionths. */
static int real(const struct sl_model_setup *setup, const char *key, int64_t min, int64_t max, int64_t *micro,
	struct sl_err *err)
{
	const struct given given = given_of(setup, key);
	int64_t number;
	if (!given.text)
		return SL_OK;
	if (!sl_get_micro(given.text, strlen(given.text), &number) || number < min || number > max)
		return net_config_wrong(
			&given, err, "a number within its bounds (schedlab-fabric(7) has them)");
	*micro = number;
	return SL_OK;
}

static int choice(const struct sl_model_setup *setup, const char *key, const char *const *word,
	uint32_t *index, bool *said, struct sl_err *err)
{
	const struct given given = given_of(setup, key);
	if (!given.text)
		return SL_OK;
	for (uint32_t i = 0; word[i]; i++)
		if (same_word(word[i], given.text)) {
			*index = i;
			*said = true;
			return SL_OK;
		}
	const char *similar = sl_nearest(given.text, word);
	char wanted[120] = "one of those that schedlab-fabric(7) lists; did you mean ";
	if (similar)
		strncat(wanted, similar, sizeof(wanted) - strlen(wanted) - 1);
	else
		wanted[strlen("one of those that schedlab-fabric(7) lists")] = 0;
	return net_config_wrong(&given, err, wanted);
}

static const struct {
	const char *name;
	int64_t gbit;
} rates[] = {
	{ "EDR", 100 },
	{ "HDR", 200 },
	{ "HDR100", 100 },
	{ "NDR", 400 },
	{ "NDR200", 200 },
	{ "XDR", 800 },
};

bool net_rate_of(const char *text, int64_t *bytes)
{
	enum { GBIT_BYTES = 125 }; /* A millionth of a Gb/s. */
	if (same_word(text, "infinite")) {
		*bytes = INT64_MAX;
		return true;
	}
	for (size_t i = 0; i < SL_LEN(rates); i++)
		if (same_word(text, rates[i].name)) {
			*bytes = rates[i].gbit * MICRO * GBIT_BYTES;
			return true;
		}
	size_t len = 0;
	while (text[len] && strchr("0123456789.", text[len]))
		len++;
	const char *unit = text + len;
	while (*unit == ' ')
		unit++;
	const bool in_bytes = strcmp(unit, "GB/s") == 0;
	if (*unit && !in_bytes && strcmp(unit, "Gb/s") != 0 && strcmp(unit, "Gbit/s") != 0)
		return false;
	int64_t micro;
	if (!sl_get_micro(text, len, &micro) || micro <= 0 || micro > MICRO * MICRO)
		return false;
	*bytes = micro * (in_bytes ? 8 * GBIT_BYTES : GBIT_BYTES);
	return true;
}

static int rate(const struct sl_model_setup *setup, const char *key, int64_t *bytes, struct sl_err *err)
{
	const struct given given = given_of(setup, key);
	if (given.text && !net_rate_of(given.text, bytes))
		return net_config_wrong(&given, err,
			"a rate: EDR, HDR, HDR100, NDR, NDR200, XDR, infinite, or a number of Gb/s or GB/s");
	return SL_OK;
}

/* "4", "4:1", "0.5": in millionths. */
static bool ratio_of(const char *text, size_t len, int64_t *micro)
{
	const char *colon = memchr(text, ':', len);
	int64_t below = MICRO;
	const size_t first = colon ? (size_t)(colon - text) : len;
	if (!sl_get_micro(text, first, micro) || *micro <= 0 || *micro > MICRO * MICRO)
		return false;
	if (colon &&
		(!sl_get_micro(colon + 1, len - first - 1, &below) || below <= 0 || below > MICRO * MICRO))
		return false;
	*micro = sl_mul_div(*micro, MICRO, below);
	return *micro > 0;
}

/* Numbers with "/", commas or blanks between them, the leaves' first. */
static int net_config_list(const struct sl_model_setup *setup, const char *key, bool whole_ones,
	struct net_list *list, struct sl_err *err)
{
	const struct given given = given_of(setup, key);
	const char *p = given.text;
	while (p && *p) {
		const size_t len = strcspn(p, "/ ,");
		if (len) {
			int64_t *micro = &list->micro[list->count];
			if (list->count >= NET_LEVELS_MAX || !ratio_of(p, len, micro))
				return net_config_wrong(
					&given, err, "a list of positive numbers, as in '4/2'");
			if (whole_ones && *micro % MICRO)
				return net_config_wrong(&given, err, "a list of whole numbers, as in '4/2'");
			list->count++;
		}
		p += len + (p[len] != 0);
	}
	return SL_OK;
}

/* "3;4,4,4;1,2,2;1,1,1": the height, then m, w, and, if said, p; "/" or blanks do in place of commas. */
static int xgft(const struct sl_model_setup *setup, struct net_config *config, struct sl_err *err)
{
	const struct given given = given_of(setup, "xgft");
	struct net_list *part[] = { &config->xgft_m, &config->xgft_w, &config->xgft_p };
	const char *p = given.text;
	int64_t height = 0;
	if (!p)
		return SL_OK;
	static const char wanted[] =
		"a tree, as in '2;4/4;1/2' or '2;4/4;1/2;1/1': its height, children, parents and cables by level";
	const size_t len = strcspn(p, ";");
	if (!sl_get_i64(p, len, &height) || height < 1 || height > NET_LEVELS_MAX - 1)
		return net_config_wrong(&given, err, wanted);
	p += len;
	for (size_t i = 0; i < SL_LEN(part) && *p == ';'; i++) {
		p++;
		while (*p && *p != ';') {
			const size_t n = strcspn(p, "/, ;");
			int64_t number;
			if (!n || !sl_get_i64(p, n, &number) || number < 1 || number > 65536 ||
				part[i]->count >= (uint32_t)height)
				return net_config_wrong(&given, err, wanted);
			part[i]->micro[part[i]->count++] = number;
			p += n + (p[n] && p[n] != ';');
		}
	}
	const uint32_t levels = (uint32_t)height;
	for (uint32_t i = 0; !config->xgft_p.count && i < levels; i++)
		config->xgft_p.micro[i] = 1;
	config->xgft_p.count = config->xgft_p.count ? config->xgft_p.count : levels;
	if (*p || config->xgft_m.count != levels || config->xgft_w.count != levels ||
		config->xgft_p.count != levels)
		return net_config_wrong(&given, err, wanted);
	return SL_OK;
}

static int read_times(struct net_config *config, const struct sl_model_setup *setup, struct sl_err *err)
{
	int64_t alpha_net = 14 * MICRO, alpha_nvlink = 3400000, hop = 130000; /* Millionths of us. */
	int status = real(setup, "alpha", 0, MICRO * MICRO, &alpha_net, err);
	status = status ? status : real(setup, "alpha_nvlink", 0, MICRO * MICRO, &alpha_nvlink, err);
	status = status ? status : real(setup, "hop", 0, MICRO * MICRO, &hop, err);
	config->alpha_net = (double)alpha_net / 1e12;
	config->alpha_nvlink = (double)alpha_nvlink / 1e12;
	config->hop = (double)hop / 1e12;
	return status;
}

static int read_words(struct net_config *config, const struct sl_model_setup *setup, struct sl_err *err)
{
	static const char *const topologies[] = { "tree", "xgft", "fat_tree", "rail", "dragonfly",
		"dragonfly_plus", "switches", NULL };
	static const char *const routings[] = { "adaptive", "dmodk", "minimal", "valiant", NULL };
	static const char *const broadcasts[] = { "flat", "chain", NULL };
	/* An operator who draws his switches means them. */
	uint32_t topology = setup->cluster->switch_count ? NET_SWITCHES : NET_TREE;
	uint32_t routing = NET_ADAPTIVE, broadcast = 0;
	bool said = false;
	int status = choice(setup, "topology", topologies, &topology, &said, err);
	status = status ? status : choice(setup, "routing", routings, &routing, &config->routed, err);
	status = status ? status : choice(setup, "broadcast", broadcasts, &broadcast, &said, err);
	config->topology = (enum net_topology)topology;
	config->routing = (enum net_routing)routing;
	config->chain = broadcast == 1;
	if (status)
		return status;
	const bool dragonfly = topology == NET_DRAGONFLY || topology == NET_DRAGONFLY_PLUS;
	if (dragonfly && !config->routed)
		config->routing = NET_MINIMAL;
	const bool global = config->routing == NET_MINIMAL || config->routing == NET_VALIANT;
	if (dragonfly != global)
		return sl_fail(err, SL_USAGE, "fabric.routing: %s is not for topology=%s: %s",
			routings[config->routing], topologies[topology],
			dragonfly ? "give minimal or valiant" : "give adaptive or dmodk");
	if (config->routing == NET_DMODK && topology != NET_XGFT && topology != NET_FAT_TREE)
		return sl_fail(err, SL_USAGE,
			"fabric.routing: dmodk routes over single cables, which topology=%s does not name: use xgft or fat_tree",
			topologies[topology]);
	return SL_OK;
}

int net_config_read(struct net_config *config, const struct sl_model_setup *setup, struct sl_err *err)
{
	*config = (struct net_config){ .efficiency = 970000,
		.nodes_per_leaf = 16,
		.levels = 2,
		.segments = 16,
		.leaves_per_su = 8,
		.radix = 64 };
	const struct {
		const char *key;
		int64_t min, max, *value;
	} number[] = {
		{ "nics", 1, 64, &config->nics },
		{ "nodes_per_leaf", 1, 65536, &config->nodes_per_leaf },
		{ "levels", 1, NET_LEVELS_MAX - 1, &config->levels },
		{ "segments", 1, 1000000, &config->segments },
		{ "k", 2, 512, &config->k },
		{ "leaves_per_su", 1, 64, &config->leaves_per_su },
		{ "radix", 2, 1024, &config->radix },
		{ "hosts", 1, 1024, &config->hosts },
		{ "routers", 1, 1024, &config->routers },
		{ "globals", 1, 1024, &config->globals },
		{ "groups", 1, 1024, &config->groups_of },
		{ "spines", 1, 1024, &config->spines },
	};
	int status = read_words(config, setup, err);
	if (config->topology == NET_RAIL)
		config->nodes_per_leaf = 32;
	for (size_t i = 0; i < SL_LEN(number) && !status; i++)
		status = net_config_whole(
			setup, number[i].key, number[i].min, number[i].max, number[i].value, err);
	status = status ? status : rate(setup, "rate", &config->rate, err);
	status = status ? status : rate(setup, "uplink_rate", &config->uplink_rate, err);
	status = status ? status : rate(setup, "nvlink", &config->nvlink, err);
	status = status ? status : real(setup, "efficiency", 1, MICRO, &config->efficiency, err);
	status = status ? status : net_config_list(setup, "switches_per_group", true, &config->groups, err);
	status = status ? status : net_config_list(setup, "up_cables", true, &config->up_cables, err);
	status = status ? status
			: net_config_list(setup, "oversubscription", false, &config->oversubscription, err);
	status = status ? status : xgft(setup, config, err);
	status = status ? status : read_times(config, setup, err);
	return status;
}
