/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_text.c - an inspection for people: facts, a table of quantiles, anomalies, bars.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/inspect/inspect.h"

enum { FACT_WIDTH = 14, BAR_WIDTH = 40, LABEL_WIDTH = 12 };

static void fact(const char *name, const char *format, ...) SL_PRINTF(2, 3);
static void fact(const char *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	printf("  %-*s", FACT_WIDTH, name);
	(void)vprintf(format, args);
	printf("\n");
	va_end(args);
}

/* ---- Facts ----------------------------------------------------------------------------- */

static void print_input(const struct inspection *seen)
{
	const struct scenario_input *input = &seen->scenario.input;
	char buffer[48];
	const bool packed = strcmp(input->packing, "none") != 0;
	printf("%s\n", input->path);
	fact("format", "%s%s%s, %s bytes", input->format, packed ? ", packed with " : "",
		packed ? input->packing : "", count_text(buffer, input->bytes));
	fact("sha256", "%s", input->sha256);
	static const char *const keys[][2] = { { "Computer", "computer" },
		{ "Installation", "installation" } };
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const char *value = inspect_header(seen, keys[i][0]);
		if (value)
			fact(keys[i][1], "%s", value);
	}
}

/* How many nodes are of the type, and their names: those of the entry, unless it has others too. */
static uint32_t inspect_text_names_of(
	const struct sl_cluster *cluster, uint32_t index, char *text, size_t size)
{
	const char *entry = cluster->type[index].name;
	uint32_t nodes = 0;
	uint32_t likewise = 0;
	for (uint32_t i = 0; i < cluster->type_count; i++)
		likewise += strcmp(cluster->type[i].name, entry) == 0;
	const char **name = likewise > 1 ? calloc(cluster->node_count, sizeof(*name)) : NULL;
	for (uint32_t i = 0; i < cluster->node_count; i++) {
		if (cluster->node_type[i] != index)
			continue;
		if (name)
			name[nodes] = cluster->node_name[i];
		nodes++;
	}
	if (name && sl_hosts_fold(name, nodes, text, size) >= size)
		memcpy(text + size - 4, "...", 4);
	else if (!name)
		(void)snprintf(text, size, "%s", entry);
	free(name);
	return nodes;
}

/* The devices of a node's GPUs of one kind, where they are known one by one. */
struct gpus_reported {
	uint32_t count, divided;
	uint64_t islands; /* As bits. */
	int64_t mem;      /* SL_NONE: they differ. */
	const char *model;
};

static struct gpus_reported gpus_reported_of(
	const struct sl_cluster *cluster, const struct sl_node_type *type, uint32_t kind)
{
	struct gpus_reported reported = { 0 };
	for (uint32_t i = 0; type->device && i < type->device_count; i++) {
		const struct sl_device *device = &type->device[i];
		if (device->kind != kind)
			continue;
		reported.mem = !reported.count || reported.mem == device->mem ? device->mem : SL_NONE;
		reported.islands |= UINT64_C(1) << device->island % 64;
		reported.divided += device->mig != 0;
		reported.model = device->mig ? cluster->mig_model[device->mig - 1]->name : reported.model;
		reported.count++;
	}
	return reported;
}

/* ", 4 v100 of 16,384 MiB in 2 islands"; ", 2 a100 of 40,960 MiB (2 divided: a100-40gb)" */
static size_t put_gpus(char *text, size_t size, const struct sl_cluster *cluster,
	const struct sl_node_type *type, uint32_t kind)
{
	char count[48];
	const struct gpus_reported reported = gpus_reported_of(cluster, type, kind);
	const int islands = __builtin_popcountll(reported.islands);
	size_t len = (size_t)snprintf(text, size, ", %s %s",
		parts_text(count, type->amount[kind], cluster->gpu_parts), cluster->kind_name[kind]);
	if (reported.mem > 0 && len < size)
		len += (size_t)snprintf(
			text + len, size - len, " of %s MiB", count_text(count, (uint64_t)reported.mem));
	if (islands > 1 && len < size)
		len += (size_t)snprintf(text + len, size - len, " in %d islands", islands);
	if (reported.divided && len < size)
		len += (size_t)snprintf(
			text + len, size - len, " (%u divided: %s)", reported.divided, reported.model);
	return len;
}

/* Nodes that are alike, in a line. */
static void print_type(const struct sl_cluster *cluster, uint32_t index)
{
	const struct sl_node_type *type = &cluster->type[index];
	char line[400], count[48], cpus[48], name[64];
	const uint32_t nodes = inspect_text_names_of(cluster, index, name, sizeof(name));
	size_t len = (size_t)snprintf(line, sizeof(line), "%s x %s: %s cpus", count_text(count, nodes), name,
		parts_text(cpus, type->amount[SL_KIND_CPUS], cluster->cpu_parts));
	if (type->amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
		len += (size_t)snprintf(line + len, sizeof(line) - len, ", %s MiB",
			count_text(count, (uint64_t)type->amount[SL_KIND_MEM]));
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count && len < sizeof(line); kind++)
		if (type->amount[kind])
			len += put_gpus(line + len, sizeof(line) - len, cluster, type, kind);
	if (type->island && len < sizeof(line))
		(void)snprintf(line + len, sizeof(line) - len, ", one NVLink island");
	fact("", "%s", line);
}

static void print_window(const struct sl_window *window)
{
	char from[48], until[48];
	const int64_t held = window->node_count ? window->node_count : window->cpus;
	if (window->from < INT64_MIN / 5 && window->until > INT64_MAX / 5) {
		fact(window->kind == SL_WINDOW_STATE ? "down" : "reserved", "%s: %lld %s%s, all the time",
			window->name, (long long)held, window->node_count ? "node" : "cpu",
			held == 1 ? "" : "s");
		return;
	}
	fact("reserved", "%s: %lld %s%s from %s s to %s s", window->name, (long long)held,
		window->node_count ? "node" : "cpu", held == 1 ? "" : "s",
		screen_number(from, window->from, 0), screen_number(until, window->until, 0));
}

static void print_machine(const struct inspection *seen)
{
	const struct scenario *scenario = &seen->scenario;
	char text[200];
	if (scenario->cpus)
		fact("machine", "%s (%s)", machine_text(text, sizeof(text), scenario), scenario->cpus_from);
	else
		fact("machine",
			"not known: no MaxProcs or MaxNodes in the header; give --set cluster.cpus=N, or -c "
			"CLUSTER");
	for (uint32_t i = 0; i < scenario->cluster.type_count; i++)
		print_type(&scenario->cluster, i);
	for (uint32_t i = 0; i < scenario->cluster.window_count; i++)
		print_window(&scenario->cluster.window[i]);
}

/* What the cluster could never allocate, of the lines that make sense otherwise. */
static void print_fit(const struct inspection *seen)
{
	const struct scenario *scenario = &seen->scenario;
	char jobs[48], requests[48], others[48];
	uint64_t without = 0;
	if (!scenario->cluster.node_count)
		return;
	for (size_t i = 0; i < scenario->anomaly_count; i++)
		if (strcmp(scenario->anomaly[i].cause, "larger than the machine") == 0 ||
			strcmp(scenario->anomaly[i].cause, "asks for what the cluster has not") == 0)
			without += scenario->anomaly[i].count;
	fact("fit", "%s jobs, by %s different requests; %s jobs never could",
		count_text(jobs, scenario->jobs.count), count_text(requests, scenario->jobs.request_count),
		count_text(others, without));
}

static void print_jobs(const struct inspection *seen)
{
	const struct scenario *scenario = &seen->scenario;
	char jobs[48], rows[48];
	const char *said = inspect_header(seen, "MaxJobs");
	(void)count_text(jobs, scenario->jobs.count);
	(void)count_text(rows, scenario->rows);
	if (scenario->jobs.count == scenario->rows)
		fact("jobs", "%s", jobs);
	else
		fact("jobs", "%s, of %s lines", jobs, rows);
	int64_t number;
	if (said && sl_get_i64(said, strlen(said), &number) && number > 0 &&
		(uint64_t)number != scenario->rows)
		fact("", "the header announces %s", count_text(rows, (uint64_t)number));

	char line[400] = "";
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (seen->names[i].count)
			list_add(line, sizeof(line), "%s %.*s", count_text(rows, seen->names[i].count),
				(int)strlen(name_texts[i]) - (seen->names[i].count == 1), name_texts[i]);
	if (*line)
		fact("by", "%s", line);
	*line = '\0';
	for (size_t i = 0; i < STATUS_COUNT; i++)
		if (seen->status[i])
			list_add(line, sizeof(line), "%s %s", count_text(rows, seen->status[i]),
				status_texts[i].text);
	fact("status", "%s", line);
}

/* What they do while they run: how many jobs say it, by column. */
static void print_profiles(const struct inspection *seen)
{
	char line[1200] = "";
	char count[48];
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		if (seen->profile[i])
			list_add(line, sizeof(line), "%s %s", sl_profile_column(i),
				count_text(count, seen->profile[i]));
	if (*line)
		fact("profiles", "%s", line);
}

static void print_says(const struct inspection *seen)
{
	char line[400] = "";
	char count[48];
	for (size_t i = 0; i < SAYS_COUNT; i++)
		if (seen->says[i])
			list_add(line, sizeof(line), "%s %s", count_text(count, seen->says[i]),
				says_texts[i].text);
	if (*line)
		fact("of them", "%s", line);
	print_profiles(seen);
}

static const char *date_text(char buffer[32], const struct scenario *scenario, sl_time time)
{
	const time_t seconds = time / SL_SECOND + scenario->epoch + scenario->utc_offset;
	struct tm tm;
	if (!gmtime_r(&seconds, &tm) || !strftime(buffer, 32, "%Y-%m-%d %H:%M:%S", &tm))
		(void)snprintf(buffer, 32, "?");
	return buffer;
}

static void print_range(const struct inspection *seen)
{
	const struct scenario *scenario = &seen->scenario;
	const sl_time first = scenario->jobs.submit[0];
	const sl_time last = scenario->jobs.submit[scenario->jobs.count - 1];
	char a[48], b[48], c[32];
	if (scenario->epoch) {
		const int64_t minutes = scenario->utc_offset / 60;
		char zone[24] = "UTC";
		if (minutes)
			(void)snprintf(zone, sizeof(zone), "UTC%c%02d:%02d", minutes < 0 ? '-' : '+',
				(int)(minutes < 0 ? -minutes : minutes) / 60,
				(int)(minutes < 0 ? -minutes : minutes) % 60);
		fact("submitted", "%s to %s %s", date_text(a, scenario, first), date_text(b, scenario, last),
			zone);
	} else {
		fact("submitted", "from %s s to %s s; no dates, the header has no UnixStartTime",
			screen_number(a, first, 0), screen_number(b, last, 0));
	}
	fact("span", "%s", screen_duration(c, last - first));
	if (seen->load != SL_NONE)
		fact("offered load", "%s of the machine", screen_number(a, seen->load, 3));
	if (seen->load_gpus != SL_NONE)
		fact("", "%s of its GPUs", screen_number(a, seen->load_gpus, 3));
}

/* ---- Quantiles ---------------------------------------------------------------------------- */

static const char *value_text(char buffer[48], enum sample_kind kind, int64_t value, bool mean)
{
	char number[48];
	switch (kind) {
	case SAMPLE_SIZE:
		return screen_number(buffer, value, mean ? 2 : 0);
	case SAMPLE_ACCURACY:
		if (value > INT64_MAX / 100)
			return "huge";
		(void)snprintf(buffer, 48, "%.40s %%", screen_number(number, value * 100, 1));
		return buffer;
	case SAMPLE_RUN:
	case SAMPLE_LIMIT:
	case SAMPLE_GAP:
	case SAMPLE_WAIT:
	case SAMPLE_COUNT:
		break;
	}
	return screen_duration(buffer, value);
}

static void print_quantiles(const struct inspection *seen, struct sl_arena *arena)
{
	static const char *const name[SAMPLE_COUNT] = { "  size", "  run time", "  time limit",
		"  run / limit", "  between jobs", "  logged wait" };
	struct screen_table *table = screen_table_new(arena, 2 + QUANTILE_COUNT);
	if (!table)
		return;
	screen_cell(table, false, "  ");
	screen_cell(table, true, "mean");
	for (size_t i = 0; i < QUANTILE_COUNT; i++)
		screen_cell(table, true, "%s", quantiles[i].name);
	for (enum sample_kind kind = 0; kind < SAMPLE_COUNT; kind++) {
		const struct sample *sample = &seen->sample[kind];
		char buffer[48];
		if (!sample->count)
			continue;
		screen_cell(table, false, "%s", name[kind]);
		screen_cell(table, true, "%s", value_text(buffer, kind, sample->mean, true));
		for (size_t i = 0; i < QUANTILE_COUNT; i++)
			screen_cell(table, true, "%s", value_text(buffer, kind, sample->at[i], false));
	}
	printf("\n");
	screen_print(table, stdout);
	static const struct {
		enum sample_kind kind;
		const char *text;
	} absent[] = {
		{ SAMPLE_LIMIT, "no job has a time limit: its run time is taken" },
		{ SAMPLE_WAIT, "no waits were logged" },
	};
	for (size_t i = 0; i < SL_LEN(absent); i++)
		if (!seen->sample[absent[i].kind].count)
			printf("  %s\n", absent[i].text);
	const size_t limits = seen->sample[SAMPLE_LIMIT].count;
	char a[48];
	if (limits && limits < seen->scenario.jobs.count)
		printf("  jobs without a time limit, whose run time is taken: %s\n",
			count_text(a, seen->scenario.jobs.count - limits));
}

/* ---- Oddities ------------------------------------------------------------------------------- */

static void print_anomalies(const struct inspection *seen, struct sl_arena *arena)
{
	const struct scenario *scenario = &seen->scenario;
	if (!scenario->anomaly_count) {
		printf("\n  no oddities\n");
		return;
	}
	struct screen_table *table = screen_table_new(arena, 4);
	if (!table)
		return;
	screen_cell(table, false, "  oddities");
	screen_cell(table, true, "lines");
	screen_cell(table, true, "first");
	screen_cell(table, false, "outcome");
	for (size_t i = 0; i < scenario->anomaly_count; i++) {
		const struct anomaly *anomaly = &scenario->anomaly[i];
		char buffer[48];
		screen_cell(table, false, "  %s", anomaly->cause);
		screen_cell(table, true, "%s", count_text(buffer, anomaly->count));
		screen_cell(table, true, "%" PRIu64, anomaly->line);
		screen_cell(table, false, "%s", anomaly->dropped ? "dropped" : "repaired");
	}
	printf("\n");
	screen_print(table, stdout);
}

/* ---- Bars -------------------------------------------------------------------------------------- */

/* count of most, in eighths of a character; what is not nothing shows. */
static void draw_bar(uint64_t count, uint64_t most, bool ascii)
{
	static const char *const part[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const unsigned steps = ascii ? 1 : 8;
	uint64_t length = (uint64_t)((unsigned __int128)count * BAR_WIDTH * steps / most);
	if (count && !length)
		length = 1;
	for (uint64_t i = 0; i < length / steps; i++)
		printf("%s", ascii ? "#" : "█");
	printf("%s", ascii ? "" : part[length % steps]);
}

static void print_histogram(const struct histogram *histogram, bool ascii)
{
	uint64_t most = 1;
	for (size_t i = 0; i < histogram->count; i++)
		most = histogram->bin[i].count > most ? histogram->bin[i].count : most;
	char buffer[48];
	const int width = (int)strlen(count_text(buffer, most));
	printf("\n  %s\n", histogram->title);
	for (size_t i = 0; i < histogram->count; i++) {
		const struct bin *bin = &histogram->bin[i];
		printf("  %*s  %*s", LABEL_WIDTH, bin->label, width, count_text(buffer, bin->count));
		printf("  %5s %%",
			screen_number(buffer,
				sl_mul_div((int64_t)bin->count, 100000000, (int64_t)histogram->total), 1));
		if (bin->count)
			printf("  ");
		draw_bar(bin->count, most, ascii);
		printf("\n");
	}
}

void inspect_text(const struct inspection *seen, bool ascii, struct sl_arena *arena)
{
	print_input(seen);
	print_machine(seen);
	print_jobs(seen);
	print_says(seen);
	print_fit(seen);
	print_range(seen);
	print_quantiles(seen, arena);
	print_anomalies(seen, arena);
	for (size_t i = 0; i < HISTOGRAM_COUNT; i++)
		if (seen->histogram[i].count)
			print_histogram(&seen->histogram[i], ascii);
}
