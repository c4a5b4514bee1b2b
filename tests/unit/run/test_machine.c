/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_machine.c - an operator's cluster, reported to the sink: names, hardware, partitions, switches,
 * windows, and the sets of nodes that come of them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/machine_world.h"
#include "tests/world/memfile.h"

static const char *const fast[] = { "fast", "ib" };
static const char *const slow[] = { "slow", "ib" };
static const struct sl_hardware fast_box = {
	.sockets = 2, .cores = 4, .threads = 1, .weight = 10, .feature = fast, .feature_count = 2
};
static const struct sl_hardware slow_box = {
	.sockets = 1, .cores = 8, .threads = 1, .weight = 1, .feature = slow, .feature_count = 2
};

/* One job without requests. */
static struct sl_row plain[1];
static struct sl_row_attributes plain_more;

static void load(struct machine_world *w, int (*cluster)(const struct sl_cluster_sink *, struct sl_err *))
{
	plain[0] = mw_row(1, 0, &plain_more, NULL);
	*w = (struct machine_world){ .cluster = cluster, .row = plain, .row_count = 1 };
	cr_assert_eq(machine_world_load(w), SL_OK, "%s", w->err.text);
}

static void fails(int (*cluster)(const struct sl_cluster_sink *, struct sl_err *), const char *said)
{
	struct machine_world w = { .cluster = cluster, .row = plain, .row_count = 1 };
	plain[0] = mw_row(1, 0, &plain_more, NULL);
	cr_assert_eq(machine_world_load(&w), SL_INPUT);
	cr_expect_str_eq(w.err.text, said);
}

/* ---- Names and hardware ------------------------------------------------------------------------ */

static int three_entries(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	int status = mw_nodes(sink, "f[08-10],login", 8, 1000, &fast_box, err);
	if (!status)
		status = mw_nodes(sink, "s[1-2]", 8, 1000, &slow_box, err);
	if (!status)
		status = mw_nodes(sink, "t1", 8, 1000, &fast_box, err);
	return status;
}

/* Nodes are called as listed; like amounts of other hardware are another type, like hardware is the same. */
Test(machine, hosts_and_types)
{
	static const char *const names[] = { "f08", "f09", "f10", "login", "s1", "s2", "t1" };
	static const uint32_t types[] = { 0, 0, 0, 0, 1, 1, 0 };
	struct machine_world w;
	load(&w, three_entries);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(c->node_count, SL_LEN(names));
	cr_expect_eq(c->type_count, 2);
	for (uint32_t i = 0; i < c->node_count; i++) {
		cr_expect_str_eq(c->node_name[i], names[i]);
		cr_expect_eq(c->node_type[i], types[i]);
	}
	cr_expect_str_eq(c->type[1].hardware->feature[0], "slow");
	cr_expect_neq(c->type[1].hardware, &slow_box); /* A copy. */
	cr_expect_eq(c->node_set_count, 1);
	cr_expect_eq(c->node_set[0].node_count, 7);
	machine_world_release(&w);
}

static int twice(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const int status = mw_nodes(sink, "n[1-3]", 1, SL_NONE, NULL, err);
	return status ? status : mw_nodes(sink, "m,n2", 1, SL_NONE, NULL, err);
}

static int twice_in_one(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	return mw_nodes(sink, "n[1-3],n2", 1, SL_NONE, NULL, err);
}

static int counted_too(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_nodes_spec spec = { .name = "n", .count = 12, .cpus = 1, .mem = SL_NONE };
	const int status = sink->nodes(sink->self, &spec, &(struct sl_place){ "told.conf", 7, 1 }, err);
	return status ? status : mw_nodes(sink, "m,n10", 1, SL_NONE, NULL, err);
}

/* A node that stands twice is an error, with both places. */
Test(machine, hosts_twice)
{
	fails(twice, "told.conf:2:1: node 'n2' stands twice, first on line 1 of told.conf: name it once");
}
Test(machine, hosts_twice_in_one_list)
{
	fails(twice_in_one,
		"told.conf:1:1: node 'n2' stands twice, first on line 1 of told.conf: name it once");
}
Test(machine, hosts_and_counted_names)
{
	fails(counted_too, "told.conf:1:1: node 'n10' is also one of 'n' on line 7: give another name");
}

/* ---- GPUs of the hardware ---------------------------------------------------------------------------- */

static int with_gres(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_gres gres[] = { { .name = "gpu", .type = "a100", .count = 2 },
		{ .name = "gpu", .type = "a100", .count = 2 }, { .name = "gpu", .count = 1 },
		{ .name = "mps", .count = 400 } };
	static const struct sl_hardware box = {
		.sockets = 1, .cores = 8, .threads = 1, .gres = gres, .gres_count = 4
	};
	return mw_nodes(sink, "g[1-2]", 8, 1000, &box, err);
}

/* GPUs are kinds by their types, those without one "gpu"; other gres are none. */
Test(machine, gpus_of_gres)
{
	struct machine_world w;
	load(&w, with_gres);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(c->kind_count, SL_KIND_GPUS + 2);
	cr_expect_str_eq(c->kind_name[SL_KIND_GPUS], "a100");
	cr_expect_str_eq(c->kind_name[SL_KIND_GPUS + 1], "gpu");
	cr_expect_eq(c->type[0].amount[SL_KIND_GPUS], 4);
	cr_expect_eq(c->type[0].amount[SL_KIND_GPUS + 1], 1);
	cr_expect_eq(c->gpus, 10);
	cr_expect_eq(c->type[0].hardware->gres_count, 4);
	machine_world_release(&w);
}

/* ---- The rest that is kept --------------------------------------------------------------------------------
 */

static int with_rest(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_cluster_spec whole = {
		.select = SL_SELECT_CORES, .topology = SL_TOPOLOGY_TREE, .mem_counts = true
	};
	char value[] = "4000";
	const struct sl_setting first = {
		.kind = "cluster", .name = "", .key = "DefMemPerCPU", .value = "1"
	};
	const struct sl_setting second = { .kind = "cluster",
		.name = "",
		.key = "defmempercpu",
		.value = value,
		.at = { "told.conf", 3, 4 },
		.coverage = SL_APPROXIMATED,
		.note = "so" };
	const struct sl_license license = { .name = "matlab", .total = 7 };
	static const struct sl_switch sw[] = { { .name = "top", .switches = "leaf[1-2]" },
		{ .name = "leaf1", .nodes = "n[1-2]" }, { .name = "leaf2", .nodes = "n[3-4]" } };
	int status = sink->whole(sink->self, &whole, err);
	if (!status)
		status = sink->setting(sink->self, &first, err);
	if (!status)
		status = sink->setting(sink->self, &second, err);
	value[0] = 'x'; /* What was lent is copied. */
	if (!status)
		status = sink->license(sink->self, &license, &(struct sl_place){ "l", 1, 1 }, err);
	for (size_t i = 0; i < SL_LEN(sw) && !status; i++)
		status = sink->sw(sink->self, &sw[i], &(struct sl_place){ "topology.conf", i + 1, 1 }, err);
	return status ? status : mw_nodes(sink, "n[1-4]", 8, 1000, NULL, err);
}

Test(machine, the_rest)
{
	struct machine_world w;
	load(&w, with_rest);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->select, SL_SELECT_CORES);
	cr_expect_eq(c->topology, SL_TOPOLOGY_TREE);
	cr_expect(c->mem_counts);
	cr_expect_str_eq(sl_setting_of(c, "CLUSTER", "", "DefMemPerCPU"), "4000");
	cr_expect_eq(c->setting[1].at.line, 3);
	cr_expect_str_eq(c->setting[1].at.file, "told.conf");
	cr_expect_eq(c->license[0].total, 7);
	cr_assert_eq(c->switch_count, 3);
	cr_expect_eq(c->sw[0].parent, UINT32_MAX);
	cr_expect_eq(c->sw[0].level, 1);
	cr_expect_eq(c->sw[0].node_count, 4);
	cr_expect_eq(c->sw[2].parent, 0);
	cr_expect_eq(c->sw[2].level, 0);
	cr_expect_eq(c->sw[2].node_count, 2);
	cr_expect_eq(c->sw[2].node[0], 2);
	machine_world_release(&w);
}

/* One switch on two: below both, and the last of the file is its parent. */
static int switch_of_two(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_switch sw[] = { { .name = "u", .switches = "a,t" },
		{ .name = "t", .switches = "a" }, { .name = "a", .nodes = "n[1-2]" },
		{ .name = "v", .switches = "b,a" }, { .name = "b", .nodes = "n3" } };
	int status = mw_nodes(sink, "n[1-4]", 8, 1000, NULL, err);
	for (size_t i = 0; i < SL_LEN(sw) && !status; i++)
		status = sink->sw(sink->self, &sw[i], &(struct sl_place){ "topology.conf", i + 1, 1 }, err);
	return status;
}

Test(machine, switches_with_two_parents)
{
	static const struct {
		uint32_t parent, level, nodes;
	} want[] = { { UINT32_MAX, 2, 2 }, { 0, 1, 2 }, { 3, 0, 2 }, { UINT32_MAX, 1, 3 }, { 3, 0, 1 } };
	struct machine_world w;
	load(&w, switch_of_two);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(c->switch_count, SL_LEN(want));
	for (size_t i = 0; i < SL_LEN(want); i++) {
		cr_expect_eq(c->sw[i].parent, want[i].parent, "%zu", i);
		cr_expect_eq(c->sw[i].level, want[i].level, "%zu", i);
		cr_expect_eq(c->sw[i].node_count, want[i].nodes, "%zu", i);
	}
	machine_world_release(&w);
}

static int switch_of_itself(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_switch sw[] = { { .name = "a", .switches = "b" },
		{ .name = "b", .switches = "a" } };
	int status = mw_nodes(sink, "n", 1, SL_NONE, NULL, err);
	for (size_t i = 0; i < SL_LEN(sw) && !status; i++)
		status = sink->sw(sink->self, &sw[i], &(struct sl_place){ "topology.conf", i + 1, 1 }, err);
	return status;
}
Test(machine, switches_in_a_ring)
{
	fails(switch_of_itself, "topology.conf:2:1: switch 'b' hangs on itself, by way of others");
}

static int switch_of_nowhere(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_switch sw = { .name = "a", .nodes = "n,m" };
	const int status = mw_nodes(sink, "n", 1, SL_NONE, NULL, err);
	return status ? status : sink->sw(sink->self, &sw, &(struct sl_place){ "topology.conf", 1, 1 }, err);
}
Test(machine, switch_with_an_unknown_node)
{
	fails(switch_of_nowhere, "topology.conf:1:1: switch 'a': no node is called 'm'");
}

/* ---- Partitions ------------------------------------------------------------------------------------------
 */

static int with_partitions(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_partition part[] = { mw_part("all", "ALL"), mw_part("left", "n[1-3]"),
		mw_part("right", "n[3-4]"), mw_part("none", NULL), mw_part("left2", "n2,n[1,3]") };
	int status = mw_nodes(sink, "n[1-4]", 8, 1000, NULL, err);
	for (size_t i = 0; i < SL_LEN(part) && !status; i++)
		status = mw_partition(sink, &part[i], err);
	return status;
}

/* Partitions that overlap part the types; equal ones share a set, that of all nodes is the first. */
Test(machine, partitions_are_sets)
{
	static const char *const nodes[] = { "n1 n2 n3 n4", "n1 n2 n3", "n3 n4", "", "n1 n2 n3" };
	struct machine_world w;
	char text[100];
	load(&w, with_partitions);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(c->partition_count, SL_LEN(nodes));
	cr_expect_eq(c->partition[0].node_set, 0);
	cr_expect_eq(c->partition[1].node_set, c->partition[4].node_set);
	cr_expect_eq(c->type_count, 3);
	for (uint32_t i = 0; i < c->partition_count; i++) {
		cr_expect_str_eq(mw_set(c, c->partition[i].node_set, text, sizeof(text)), nodes[i]);
	}
	cr_expect_eq(c->node_set[c->partition[2].node_set].node_count, 2);
	machine_world_release(&w);
}

static int unknown_in_partition(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_partition part = mw_part("p", "n[1-5]");
	const int status = mw_nodes(sink, "n[1-4]", 8, 1000, NULL, err);
	return status ? status : mw_partition(sink, &part, err);
}
Test(machine, partition_with_an_unknown_node)
{
	fails(unknown_in_partition,
		"told.conf:50:1: partition 'p': no node is called 'n5': name nodes of the cluster, or ALL");
}

static int partition_twice(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_partition part = mw_part("p", "n");
	int status = mw_nodes(sink, "n", 8, 1000, NULL, err);
	for (int i = 0; i < 2 && !status; i++)
		status = mw_partition(sink, &part, err);
	return status;
}
Test(machine, partition_twice_is_said)
{
	fails(partition_twice, "told.conf:50:1: partition 'p' stands twice, first on line 50: name it once");
}

/* ---- Files
 * --------------------------------------------------------------------------------------------------- */

static int with_files(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	char path[32];
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, memfile(path, "-\n", 2), err);
	if (!status)
		status = sl_input_all(in, &text, &end, err);
	for (int i = 0; i < 2 && !status; i++)
		status = sink->file(sink->self, in, err); /* Once is enough. */
	sl_input_close(in);
	return status ? status : mw_nodes(sink, "n", 8, 1000, NULL, err);
}

/* Each file that was read is an input; a folder's hash is of those of its files: of their digits, each with a
 * newline. */
Test(machine, files_of_a_folder)
{
	struct machine_world w = { .cluster = with_files, .row = plain, .row_count = 1, .no_file = true };
	plain[0] = mw_row(1, 0, &plain_more, NULL);
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	cr_assert_eq(w.scenario.side_count, 1);
	cr_expect_str_eq(w.scenario.side[0].sha256,
		"61d1954b9aba0c9aedb8d1338804e817c7262cfc36da94161dab8e3ed7a3a43a");
	cr_expect_str_eq(w.scenario.cluster_input.sha256,
		"382e830a630af782dc0fcf95fe8358f5bf9de0696f32a205e79486b884b3fab3");
	cr_expect_str_eq(w.scenario.cluster_input.format, "told");
	machine_world_release(&w);
}

/* ---- Windows
 * ------------------------------------------------------------------------------------------------- */

static int with_states(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const enum sl_node_state state[] = { SL_NODE_UP, SL_NODE_DRAIN, SL_NODE_DOWN, SL_NODE_MAINT,
		SL_NODE_POWERED_DOWN, SL_NODE_PLANNED, SL_NODE_FUTURE };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(state) && !status; i++) {
		const char name[] = { 'n', (char)('1' + i), '\0' };
		struct sl_hardware box = fast_box;
		box.state = state[i];
		status = mw_nodes(sink, name, 8, 1000, &box, err);
	}
	return status;
}

/* What keeps jobs off for ever is one window of all such nodes. Powered down and planned ones take jobs. */
Test(machine, states_are_a_window)
{
	struct machine_world w;
	char text[100];
	load(&w, with_states);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(c->window_count, 1);
	cr_expect_eq(c->window[0].kind, SL_WINDOW_STATE);
	cr_expect_eq(c->window[0].until, SL_NEVER);
	cr_expect_lt(c->window[0].from, 0);
	cr_assert_eq(c->window[0].node_count, 4);
	cr_expect_eq(c->window[0].node[0], 1);
	cr_expect_eq(c->window[0].node[3], 6);
	const uint32_t set = w.scenario.jobs.requests[0].group[0].node_set;
	cr_expect_str_eq(mw_set(c, set, text, sizeof(text)), "n1 n5 n6");
	machine_world_release(&w);
}

static int with_window(const struct sl_cluster_sink *sink, const char *flags, struct sl_err *err)
{
	const struct sl_window_spec spec = {
		.name = "r", .nodes = "n1", .from = "1970-01-02T10:00", .length = "1h", .flags = flags
	};
	const int status = mw_nodes(sink, "n[1-2]", 8, 1000, NULL, err);
	return status ? status : sink->window(sink->self, &spec, &(struct sl_place){ "r", 1, 1 }, err);
}

static int daily(const struct sl_cluster_sink *s, struct sl_err *e)
{
	return with_window(s, "MAINT,daily", e);
}
static int weekly(const struct sl_cluster_sink *s, struct sl_err *e) { return with_window(s, "WEEKLY", e); }
static int hourly(const struct sl_cluster_sink *s, struct sl_err *e) { return with_window(s, "HOURLY", e); }
static int weekday(const struct sl_cluster_sink *s, struct sl_err *e) { return with_window(s, "WEEKDAY", e); }
static int weekend(const struct sl_cluster_sink *s, struct sl_err *e) { return with_window(s, "WEEKEND", e); }

/* Zero is Thursday, 1970-01-01T01:00; the window is first on Friday at 10, 33 hours later. The last
 * submission is at zero, so that windows begin until hour 9600: on the 399th day. */
static void repeats(int (*cluster)(const struct sl_cluster_sink *, struct sl_err *), uint32_t count,
	int64_t second_day, int64_t second_hour)
{
	struct machine_world w = { .cluster = cluster, .row = plain, .row_count = 1, .dated = true };
	plain[0] = mw_row(1, 3600, &plain_more, NULL);
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_assert_eq(w.scenario.epoch, 3600);
	cr_expect_eq(c->window_count, count, "%u windows", c->window_count);
	cr_expect_eq(c->window[0].from, 33 * 3600 * SL_SECOND);
	cr_expect_eq(c->window[1].from, ((second_day * 24 + second_hour) * 3600 - 3600) * SL_SECOND);
	cr_expect_eq(c->window[1].until - c->window[1].from, 3600 * SL_SECOND);
	machine_world_release(&w);
}

Test(machine, windows_daily) { repeats(daily, 399, 2, 10); }
Test(machine, windows_weekly) { repeats(weekly, 57, 8, 10); }
Test(machine, windows_hourly) { repeats(hourly, 9568, 1, 11); }
/* The next weekday after Friday is Monday, day 4; 57 weeks have 5 such days each. */
Test(machine, windows_on_weekdays) { repeats(weekday, 285, 4, 10); }
/* The first as given, then Saturday and Sunday of 57 weeks. */
Test(machine, windows_on_weekends) { repeats(weekend, 115, 2, 10); }
