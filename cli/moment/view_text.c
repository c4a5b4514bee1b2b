/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_text.c - cells of text, and how Slurm writes times, memory, lists of hosts and states of nodes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/moment/view.h"

/* ---- Cells -------------------------------------------------------------------------------- */

void cell_clear(struct cell *cell)
{
	cell->len = 0;
	if (cell->text)
		cell->text[0] = '\0';
}

void cell_free(struct cell *cell)
{
	free(cell->text);
	*cell = (struct cell){ 0 };
}

void cell_put(struct cell *cell, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	va_list rerun;
	va_copy(rerun, args);
	const int len = !SL_GROW(cell->text, cell->capacity, cell->len + 128, NULL)
				? vsnprintf(cell->text + cell->len, cell->capacity - cell->len, format, args)
				: -1;
	if (len > 0 && (size_t)len < cell->capacity - cell->len)
		cell->len += (size_t)len;
	else if (len > 0 && !SL_GROW(cell->text, cell->capacity, cell->len + (size_t)len + 1, NULL))
		cell->len +=
			(size_t)vsnprintf(cell->text + cell->len, cell->capacity - cell->len, format, rerun);
	va_end(rerun);
	va_end(args);
}

/* ---- Times --------------------------------------------------------------------------------- */

int64_t seconds_of(sl_time time)
{
	return time >= 0 ? time / SL_SECOND : -((-time + SL_SECOND - 1) / SL_SECOND);
}

void put_range(struct cell *cell, int64_t seconds, bool full)
{
	const int64_t left = seconds < 0 ? 0 : seconds;
	const int64_t days = left / 86400;
	const int64_t hours = left / 3600 % 24;
	const int64_t minutes = left / 60 % 60;
	if (days)
		cell_put(cell, "%" PRId64 "-", days);
	if (days || full)
		cell_put(cell, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, hours, minutes, left % 60);
	else if (hours)
		cell_put(cell, "%" PRId64 ":%02" PRId64 ":%02" PRId64, hours, minutes, left % 60);
	else
		cell_put(cell, "%" PRId64 ":%02" PRId64, minutes, left % 60);
}

/* By the scenario's own clock. False: no calendar goes that far. */
static bool view_text_date_of(const struct view *view, sl_time time, struct tm *date)
{
	const time_t clock = seconds_of(time) + view->scenario->epoch + view->scenario->utc_offset;
	return gmtime_r(&clock, date) != NULL;
}

void put_date(struct cell *cell, const struct view *view, sl_time time)
{
	struct tm date;
	if (time == SL_NONE || time == SL_NEVER || !view_text_date_of(view, time, &date))
		cell_put(cell, "Unknown");
	else
		cell_put(cell, "%04d-%02d-%02dT%02d:%02d:%02d", date.tm_year + 1900, date.tm_mon + 1,
			date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
}

void print_date(const struct view *view)
{
	static const char day[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char month[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
		"Oct", "Nov", "Dec" };
	struct tm date;
	if (view_text_date_of(view, view->now, &date))
		printf("%s %s %02d %02d:%02d:%02d %d\n", day[date.tm_wday], month[date.tm_mon], date.tm_mday,
			date.tm_hour, date.tm_min, date.tm_sec, date.tm_year + 1900);
}

/* ---- Amounts ------------------------------------------------------------------------------- */

/* The largest unit in which it is whole or a half, as convert_num_unit2 of Slurm 22.05 does where nothing is
 * to be lost: 320000 MiB are "312.50G". */
void put_mem(struct cell *cell, int64_t mib)
{
	static const char unit[] = "MGTP";
	double number = (double)mib;
	size_t at = 0;
	while (number >= 1024 && (int64_t)number % 512 == 0 && at + 2 < sizeof(unit)) {
		number /= 1024;
		at++;
	}
	if (!mib)
		cell_put(cell, "0");
	else if (number > (double)(int64_t)number)
		cell_put(cell, "%.2f%c", number, unit[at]);
	else
		cell_put(cell, "%" PRId64 "%c", (int64_t)number, unit[at]);
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static const struct sl_hardware *said_of(const struct view *view, uint32_t node)
{
	static const struct sl_hardware nothing = { .weight = 1 };
	const struct sl_cluster *cluster = view->cluster;
	const struct sl_hardware *said =
		node < cluster->node_count ? cluster->type[cluster->node_type[node]].hardware : NULL;
	return said ? said : &nothing;
}

struct sl_hardware view_hardware(const struct view *view, uint32_t node)
{
	struct sl_hardware built = *said_of(view, node);
	uint32_t *const least[] = { &built.boards, &built.sockets, &built.threads };
	for (size_t i = 0; i < SL_LEN(least); i++)
		*least[i] = *least[i] ? *least[i] : 1;
	built.weight = built.weight > 0 ? built.weight : 1;
	return built;
}

uint32_t view_cores(const struct view *view, uint32_t node)
{
	const uint32_t cores = said_of(view, node)->cores;
	const int64_t parts = sl_parts(view->cluster->cpu_parts);
	return cores ? cores : (uint32_t)((view->node[node].cpus + parts - 1) / parts);
}

struct amount view_cpus(const struct view *view, int64_t cpus)
{
	return amount_of(cpus, view->cluster->cpu_parts);
}

struct amount view_gpus(const struct view *view, int64_t gpus)
{
	return amount_of(gpus, view->cluster->gpu_parts);
}

bool rows_have(const uint32_t *row, uint32_t count, uint32_t wanted)
{
	uint32_t low = 0;
	uint32_t high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		*(row[middle] < wanted ? &low : &high) = row[middle] < wanted ? middle + 1 : middle;
	}
	return low < count && row[low] == wanted;
}

/* Nothing on a counted pool, whose nodes have no names. */
void put_nodes(struct cell *cell, const struct view *view, const uint32_t *node, size_t count)
{
	if (!view->cluster->node_count || !count)
		return;
	const char **name = malloc(count * sizeof(*name));
	if (!name)
		return;
	for (size_t i = 0; i < count; i++)
		name[i] = view->cluster->node_name[node[i]];
	const size_t len = sl_hosts_fold(name, count, NULL, 0);
	if (!SL_GROW(cell->text, cell->capacity, cell->len + len + 1, NULL))
		cell->len += sl_hosts_fold(name, count, cell->text + cell->len, len + 1);
	free(name);
}

void put_place(struct cell *cell, const struct view *view, struct view_place place)
{
	uint32_t *node = malloc((place.count + 1) * sizeof(*node));
	size_t count = 0;
	for (size_t i = 0; node && i < place.count; i++)
		if (!count || node[count - 1] != place.alloc[i].node)
			node[count++] = place.alloc[i].node;
	if (node)
		put_nodes(cell, view, node, count);
	free(node);
}

/* Flags that say it all, then bases with a mark behind them. */
static const char *state_word(uint32_t state, bool compact)
{
	static const struct {
		uint32_t base;
		const char *word[2];
	} bases[] = {
		{ VIEW_DOWN, { "down", "down" } },
		{ VIEW_IDLE, { "idle", "idle" } },
		{ VIEW_ALLOCATED, { "allocated", "alloc" } },
		{ VIEW_MIXED, { "mixed", "mix" } },
		{ VIEW_FUTURE, { "future", "futr" } },
	};
	const uint32_t base = state & VIEW_BASE;
	const bool busy = base == VIEW_ALLOCATED || base == VIEW_MIXED;
	if (base != VIEW_DOWN && state & VIEW_DRAIN)
		return busy ? (compact ? "drng" : "draining") : (compact ? "drain" : "drained");
	if (base != VIEW_DOWN && state & VIEW_FAIL)
		return busy ? (compact ? "failg" : "failing") : "fail";
	if (base == VIEW_IDLE && state & VIEW_MAINT)
		return "maint";
	if (base == VIEW_IDLE && state & VIEW_RESERVED)
		return compact ? "resv" : "reserved";
	if (base == VIEW_IDLE && state & VIEW_PLANNED && !(state & VIEW_POWERED_DOWN))
		return compact ? "plnd" : "planned";
	for (size_t i = 0; i < SL_LEN(bases); i++)
		if (bases[i].base == base)
			return bases[i].word[compact];
	return "unknown";
}

void put_node_state(struct cell *cell, uint32_t state, bool compact)
{
	const uint32_t base = state & VIEW_BASE;
	const bool busy = base == VIEW_ALLOCATED || base == VIEW_MIXED;
	const char *mark = "";
	if (state & VIEW_SILENT)
		mark = "*";
	else if (state & VIEW_POWERING_UP)
		mark = "#";
	else if (state & VIEW_POWERING_DOWN)
		mark = "%";
	else if (state & VIEW_POWERED_DOWN)
		mark = "~";
	else if (busy && state & VIEW_MAINT && !(state & VIEW_DRAIN))
		mark = "$";
	else if (busy && state & VIEW_PLANNED && !(state & VIEW_DRAIN))
		mark = "-";
	cell_put(cell, "%s%s", state_word(state, compact), mark);
}

/* From the hardware, which knows names and types; else from the kinds of GPU. */
void put_gres(struct cell *cell, const struct view *view, uint32_t node, bool used)
{
	const struct sl_cluster *cluster = view->cluster;
	const struct sl_hardware *hardware = said_of(view, node);
	const char *before = "";
	if (used) {
		cell_put(cell, view->node[node].gpus ? "gpu:%s" : "(null)",
			view_gpus(view, view->node[node].gpus_busy).text);
		return;
	}
	const size_t start = cell->len;
	for (uint32_t i = 0; i < hardware->gres_count; i++) {
		const struct sl_gres *gres = &hardware->gres[i];
		cell_put(cell, "%s%s%s%s:%" PRId64, before, gres->name, gres->type ? ":" : "",
			gres->type ? gres->type : "", gres->count);
		before = ",";
	}
	const bool named = cell->len > start;
	for (uint32_t kind = SL_KIND_GPUS; !named && cluster->node_count && kind < cluster->kind_count;
		kind++) {
		const int64_t count = cluster->type[cluster->node_type[node]].amount[kind];
		const char *name = cluster->kind_name[kind];
		const bool plain = strcmp(name, "gpu") == 0;
		if (!count)
			continue;
		cell_put(cell, "%sgpu%s%s:%s", before, plain ? "" : ":", plain ? "" : name,
			view_gpus(view, count).text);
		before = ",";
	}
	if (cell->len == start)
		cell_put(cell, "(null)");
}

void put_features(struct cell *cell, const struct view *view, uint32_t node)
{
	const struct sl_hardware *hardware = said_of(view, node);
	for (uint32_t i = 0; i < hardware->feature_count; i++)
		cell_put(cell, "%s%s", i ? "," : "", hardware->feature[i]);
	if (!hardware->feature_count)
		cell_put(cell, "(null)");
}
