/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_gres.c - what a node has beside cpus and memory: its Gres, with what gres.conf knows of the devices.
 *
 * The node's line says how many there are, of which type; gres.conf says which cores each of them has
 * (Cores=). Devices that differ in that are entries of their own. Units that are shares of a GPU (mps, shard)
 * are spread over the GPUs.
 */
#include <string.h>

#include "traces/slurm/conf.h"

enum { LINES_MAX = 1000, ITEMS_MAX = 64, DEVICES_MAX = 4096 };

/* One word of a Gres: "gpu:tesla:2", "bandwidth:lustre:no_consume:4G". */
struct item {
	const char *name, *type;
	int64_t count;
	bool no_consume;
};

/* Devices of one line of gres.conf. */
struct devices {
	const char *name, *type;
	const char *file; /* The first of its files; NULL: it names none. */
	const uint64_t *cores;
	int64_t left;
};

struct making {
	struct conf *conf;
	const char *node;             /* As its line names it. */
	const struct conf_pair *pair; /* The node's Gres. */
	struct sl_hardware *hardware;
	struct sl_gres *gres;
	uint32_t capacity;
	struct devices *devices;
	size_t device_count;
	int64_t cores; /* Of the node. */
};

/* ---- Gres of a node ---------------------------------------------------------------------------------- */

/* Without what scontrol adds in parentheses: "gpu:8(S:0-1)". */
static char *plain(struct conf *conf, const char *text)
{
	char *copy = conf_strdup(&conf->mem, text, strlen(text));
	char *out = copy;
	unsigned depth = 0;
	for (const char *p = text; copy && *p; p++) {
		depth += *p == '(';
		if (!depth)
			*out++ = *p;
		depth -= *p == ')' && depth;
	}
	if (copy)
		*out = '\0';
	return copy;
}

/* name[:type][:no_consume][:count]. What begins with a digit at its end must be a count; nothing there is a
 * count of 1 (gres.c: _get_gres_cnt). */
static bool item_of(struct conf *conf, const char *text, struct item *item)
{
	*item = (struct item){ .count = 1 };
	for (size_t len; text;) {
		const char *part = conf_part(&text, ":", &len);
		const char *word = conf_strdup(&conf->mem, part, len);
		if (!word || (!len && (text || !item->name)))
			return false;
		if (!item->name)
			item->name = word;
		else if (conf_same(word, "no_consume"))
			item->no_consume = true;
		else if (!len || (!text && conf_size(word, &item->count)))
			continue;
		else if (!text && sl_is_digit(*word))
			return false;
		else if (!item->type) /* Of several types the first. */
			item->type = word;
	}
	return true;
}

static int items_of(const struct making *making, struct item *item, size_t *count)
{
	struct conf *conf = making->conf;
	const char *text = plain(conf, making->pair->value);
	*count = 0;
	for (size_t len; text;) {
		const char *part = conf_part(&text, ",", &len);
		if (!len)
			continue;
		const char *word = conf_strdup(&conf->mem, part, len);
		if (*count == ITEMS_MAX)
			return conf_fail(
				conf, making->pair, "more than %d kinds of Gres on one node", ITEMS_MAX);
		if (!word)
			return sl_fail_memory(conf->err);
		if (item_of(conf, word, &item[*count])) {
			++*count;
			continue;
		}
		const int status = conf_report_warned(conf, CONF_NODE, making->node, making->pair, word,
			CONF_WARNED
			"no Gres: passed over; name[:type][:no_consume][:count], as in gpu:a100:4");
		if (status)
			return status;
	}
	return SL_OK;
}

static bool is_share(const char *name) { return conf_same(name, "mps") || conf_same(name, "shard"); }

/* Whether GresTypes has it; where there is no GresTypes, all are taken. */
static bool is_configured(const struct conf *conf, const char *name)
{
	const struct conf_pair *types = conf_global(conf, "GresTypes");
	if (!types || conf->observed)
		return true;
	const char *text = types->value;
	for (size_t len; text;) {
		const char *part = conf_part(&text, ",", &len);
		if (len == strlen(name) && conf_begins(part, name))
			return true;
	}
	return false;
}

/* ---- Devices of gres.conf ------------------------------------------------------------------------------ */

/* How many paths: "/dev/nvidia[0-3],/dev/nvidia9". -1: that is no list. */
static int64_t file_count(const char *text)
{
	int64_t count = 0;
	for (const char *p = text; *p;) {
		const char *name = p;
		unsigned depth = 0;
		for (; *p && (depth || *p != ','); p++) {
			depth += *p == '[';
			depth -= *p == ']' && depth;
			if (*p == '/')
				name = p + 1;
		}
		struct sl_err err = { 0 };
		const int64_t more = sl_hosts_count(name, (size_t)(p - name), NULL, &err);
		if (more < 0)
			return -1;
		count += more;
		if (count > DEVICES_MAX)
			return -1;
		p += *p == ',';
	}
	return count;
}

/* "/dev/nvidia4" of "/dev/nvidia[4-7],/dev/nvidia9". */
static const char *first_file(struct conf *conf, const char *text)
{
	char *copy = conf_strdup(&conf->mem, text, strlen(text));
	char *out = copy;
	bool within = false;
	for (const char *p = text; copy && *p && *p != ',' && !(within && strchr("-]", *p)); p++) {
		within = within || *p == '[';
		if (*p != '[')
			*out++ = *p;
	}
	if (copy)
		*out = '\0';
	return copy;
}

/* A list that goes beyond the node's cores is none (bitstring.c: inx2bitstr). */
static bool cores_fit(const struct making *making, const uint64_t *cores)
{
	for (int64_t i = making->cores; cores && i < SL_CORES_MAX; i++)
		if (cores[i / 64] >> i % 64 & 1)
			return false;
	return cores != NULL;
}

static int devices_of(struct making *making, const struct conf_line *line)
{
	struct conf *conf = making->conf;
	const struct conf_pair *name = conf_pair_own(line, "Name");
	const struct conf_pair *count = conf_pair_own(line, "Count");
	const struct conf_pair *file = conf_pair_own(line, "File");
	const struct conf_pair *cores = conf_pair_own(line, "Cores");
	struct devices devices = { .left = 1 };
	if (!name)
		return SL_OK;
	file = file ? file : conf_pair_own(line, "Files");
	cores = cores ? cores : conf_pair_own(line, "CPUs");
	const struct conf_pair *type = conf_pair_own(line, "Type");
	devices.name = name->value;
	devices.type = type ? type->value : NULL;
	if (count && !conf_size(count->value, &devices.left))
		return conf_fail(conf, count, "'Count' must be a number, or one with K, M or G, not '%.60s'",
			count->value);
	if (file && (!count || !is_share(name->value))) {
		devices.left = file_count(file->value);
		if (devices.left < 0)
			return conf_fail(conf, file, "'%.60s' names no files, or more than %d", file->value,
				DEVICES_MAX);
	}
	devices.file = file ? first_file(conf, file->value) : NULL;
	if (file && !devices.file)
		return sl_fail_memory(conf->err);
	if (cores)
		devices.cores = conf_cores(conf, cores->value);
	if (!cores_fit(making, devices.cores))
		devices.cores = NULL;
	making->devices[making->device_count++] = devices;
	return !cores || devices.cores
		       ? SL_OK
		       : conf_report_warned(conf, CONF_GRES, making->node, cores, cores->value,
				 CONF_WARNED
				 "no cores of the node, as in 0-3,8: passed over; all are as near");
}

/* Devices are numbered as their files are, in whatever order the lines stand. */
static void devices_sort(const struct making *making)
{
	struct devices *all = making->devices;
	for (size_t i = 0; i < making->device_count; i++)
		if (!all[i].file)
			return;
	for (size_t i = 1; i < making->device_count; i++) {
		const struct devices moved = all[i];
		size_t k = i;
		for (; k && strverscmp(all[k - 1].file, moved.file) > 0; k--)
			all[k] = all[k - 1];
		all[k] = moved;
	}
}

/* Lines for all nodes, then those that name this one's. */
static int devices_make(struct making *making, const struct conf_variant *variant)
{
	struct conf *conf = making->conf;
	const struct conf_line *line[LINES_MAX];
	size_t count = 0;
	for (size_t i = 0; i < conf->gres.count && count < LINES_MAX; i++)
		if (!conf_pair_own(&conf->gres.line[i], "NodeName"))
			line[count++] = &conf->gres.line[i];
	const size_t common = count;
	for (const struct conf_variant *v = variant; count < LINES_MAX; v = &conf->variant[v->parent]) {
		if (v->gres && (count == common || line[count - 1] != v->gres))
			line[count++] = v->gres;
		if (v->parent == UINT32_MAX)
			break;
	}
	if (count == LINES_MAX)
		return conf_fail(
			conf, making->pair, "more than %d lines of gres.conf for one node", LINES_MAX);
	making->devices = conf_alloc(&conf->mem, count + 1, sizeof(*making->devices));
	if (!making->devices)
		return sl_fail_memory(conf->err);
	int status = SL_OK;
	for (size_t i = 0; i < common && !status; i++)
		status = devices_of(making, line[i]);
	for (size_t i = count; i-- > common && !status;) /* The chain goes back. */
		status = devices_of(making, line[i]);
	if (!status)
		devices_sort(making);
	return status;
}

/* ---- Entries ------------------------------------------------------------------------------------------- */

/* Those that the node has; NULL: all of them. */
static const uint64_t *cores_within(const struct making *making, const uint64_t *cores)
{
	uint64_t *mine = cores ? conf_alloc(&making->conf->mem, SL_CORES_MAX / 64, sizeof(*mine)) : NULL;
	int64_t count = 0;
	for (int64_t i = 0; mine && i < making->cores; i++) {
		if (!(cores[i / 64] >> i % 64 & 1))
			continue;
		mine[i / 64] |= UINT64_C(1) << i % 64;
		count++;
	}
	return count == 0 || count == making->cores ? NULL : mine;
}

static bool same_cores(const uint64_t *a, const uint64_t *b)
{
	return a == b || (a && b && memcmp(a, b, SL_CORES_MAX / 8) == 0);
}

static bool same_text(const char *a, const char *b) { return a == b || conf_same(a, b); }

static int entry_add(struct making *making, const struct item *item, const char *type, int64_t count,
	const uint64_t *cores)
{
	struct sl_hardware *hardware = making->hardware;
	const uint64_t *mine = cores_within(making, cores);
	if (!count)
		return SL_OK;
	for (uint32_t i = 0; i < hardware->gres_count; i++) {
		struct sl_gres *old = &making->gres[i];
		if (!conf_same(old->name, item->name) || !same_text(old->type, type) ||
			!same_cores(old->cores, mine))
			continue;
		old->count += count;
		return SL_OK;
	}
	if (hardware->gres_count == making->capacity)
		return conf_fail(making->conf, making->pair, "more than %u groups of devices on one node",
			making->capacity);
	making->gres[hardware->gres_count++] = (struct sl_gres){ .name = item->name,
		.type = type,
		.count = count,
		.cores = mine,
		.no_consume = item->no_consume };
	return SL_OK;
}

/* How well a line's devices go with an item: 2 of its type, 1 of none said, 0 not at all. */
static int match(const struct item *item, const struct devices *devices)
{
	if (!conf_same(item->name, devices->name) || !devices->left)
		return 0;
	if (!item->type)
		return 2;
	if (!devices->type)
		return 1;
	return conf_same(item->type, devices->type) ? 2 : 0;
}

/* As many as the node's line says: those of gres.conf in its order, then such as it does not know. */
static int item_add(struct making *making, const struct item *item)
{
	int64_t left = item->count;
	bool known = false;
	int status = SL_OK;
	for (int wanted = 2; wanted > 0; wanted--) {
		for (size_t i = 0; i < making->device_count && left && !status; i++) {
			struct devices *devices = &making->devices[i];
			if (match(item, devices) != wanted)
				continue;
			const int64_t taken = devices->left < left ? devices->left : left;
			known = true;
			devices->left -= taken;
			left -= taken;
			status = entry_add(
				making, item, item->type ? item->type : devices->type, taken, devices->cores);
		}
	}
	if (!status && left && known)
		status = conf_report_other(making->conf,
			&(struct sl_setting){ "gres", "", item->name, making->pair->value, making->pair->at,
				SL_APPROXIMATED,
				"gres.conf has fewer: Slurm would drain the node; here it has what its line says",
				NULL });
	return status ? status : entry_add(making, item, item->type, left, NULL);
}

/* Shares of GPUs, as evenly as can be; the last ones get what is over. */
static int share_add(struct making *making, const struct item *item, uint32_t groups)
{
	int64_t gpus = 0;
	int64_t left = item->count;
	int status = SL_OK;
	for (uint32_t i = 0; i < groups; i++)
		gpus += conf_same(making->gres[i].name, "gpu") ? making->gres[i].count : 0;
	for (size_t i = 0; i < making->device_count; i++)
		if (match(item, &making->devices[i]))
			return item_add(making, item); /* gres.conf says where they are. */
	if (!gpus || gpus > DEVICES_MAX)
		return entry_add(making, item, item->type, left, NULL);
	for (uint32_t i = 0; i < groups && !status; i++) {
		const struct sl_gres gpu = making->gres[i];
		int64_t mine = 0;
		for (int64_t k = 0; conf_same(gpu.name, "gpu") && k < gpu.count && gpus > 0; k++, gpus--) {
			const int64_t part = left / gpus;
			mine += part;
			left -= part;
		}
		status = entry_add(making, item, gpu.type, mine, gpu.cores);
	}
	return status;
}

int conf_gres_make(struct conf *conf, const struct conf_variant *variant, struct sl_hardware *hardware)
{
	const struct conf_line *line = conf->entry[variant->entry].line;
	struct making making = { .conf = conf,
		.node = line->pair[0].value,
		.pair = conf_pair_of(line, "Gres"),
		.hardware = hardware };
	struct item item[ITEMS_MAX];
	size_t count;
	if (!making.pair || conf_same(making.pair->value, "(null)"))
		return SL_OK;
	making.cores = (int64_t)hardware->sockets * hardware->cores;
	int status = items_of(&making, item, &count);
	if (!status)
		status = devices_make(&making, variant);
	if (status)
		return status;
	making.capacity = (uint32_t)(2 * count * (making.device_count + 2) + 2);
	making.capacity = making.capacity < DEVICES_MAX ? making.capacity : DEVICES_MAX;
	hardware->gres = making.gres = conf_alloc(&conf->mem, making.capacity, sizeof(*making.gres));
	if (!making.gres)
		return sl_fail_memory(conf->err);
	for (size_t i = 0; i < count && !status; i++) {
		if (is_configured(conf, item[i].name)) {
			status = is_share(item[i].name) ? SL_OK : item_add(&making, &item[i]);
			continue;
		}
		status = conf_report_other(conf,
			&(struct sl_setting){ "gres", "", item[i].name, making.pair->value, making.pair->at,
				SL_IGNORED, "not in GresTypes: as in Slurm, nodes do not have it", NULL });
		item[i].count = 0;
	}
	const uint32_t groups = hardware->gres_count;
	for (size_t i = 0; i < count && !status; i++)
		if (is_share(item[i].name) && item[i].count)
			status = share_add(&making, &item[i], groups);
	return status;
}
