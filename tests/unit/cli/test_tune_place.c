/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_tune_place.c - where values stand in a user's files, and what the file is with others in their place.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"

static const char conf[] = "# A comment with PriorityWeightAge=9\n"
			   "ClusterName=lab\n"
			   "  priorityweightage=1000 # yes\n"
			   "SchedulerParameters=bf_continue,bf_window=60,defer\n"
			   "NodeName=n1 CPUs=4\n"
			   "PartitionName=DEFAULT MaxTime=10\n"
			   "PartitionName=gpu Nodes=n1 MaxTime=1-00:00:00 # long\n"
			   "PartitionName=batch Nodes=n1\n";

static const char yaml[] = "kind: ClusterQueue\n"
			   "metadata: {name: team-a}\n"
			   "spec:\n"
			   "  groups:\n"
			   "  - flavors:\n"
			   "    - name: default\n"
			   "      resources:\n"
			   "      - name: cpu\n"
			   "        nominalQuota: 8 # eight\n"
			   "      - {name: gpu, nominalQuota: \"4\", borrowingLimit: 2}\n"
			   "---\n"
			   "projects:\n"
			   "  - {name: vision, quota: 3}\n"
			   "  - {name: speech, quota: 1}\n";

static struct sl_arena *arena;
static struct sl_err err;

static void begin(void)
{
	arena = sl_arena_new();
	err = (struct sl_err){ 0 };
}
static void end(void) { sl_arena_free(arena); }

/* The file with the value in that place; what it was. */
static char *edited(const char *text, bool is_yaml, const char *words, const char *value, const char *was)
{
	const uint32_t level[TUNE_AXES_MAX] = { 1 };
	struct tuned_file file = { .name = "f", .path = "f", .text = text, .len = strlen(text) };
	const char *values[2] = { "", value };
	struct tune tune = { .arena = arena, .file = &file, .files = 1 };
	tune.problem.axes = 1;
	tune.knob[0] = (struct knob){ .kind = KNOB_FILE, .value = values, .count = 2 };
	const int status = is_yaml ? place_yaml(&tune.knob[0].place, &file, words, arena, &err)
				   : place_conf(&tune.knob[0].place, &file, words, arena, &err);
	cr_assert_eq(status, SL_OK, "%s", err.text);
	cr_expect_str_eq(tune.knob[0].place.today ? tune.knob[0].place.today : "-", was);
	char *made = file_edited(&tune, 0, level);
	cr_assert(made);
	return made;
}

/* One text in another's place. */
static void expect(const char *text, bool is_yaml, const char *words, const char *value, const char *was,
	const char *from, const char *to)
{
	char *made = edited(text, is_yaml, words, value, was);
	const char *at = strstr(text, from);
	char wanted[2000];
	cr_assert(at, "%s", from);
	(void)snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	cr_expect_str_eq(made, wanted);
	free(made);
}

TestSuite(tune_place, .init = begin, .fini = end);

Test(tune_place, a_key_of_slurm_conf_in_any_case_and_not_in_a_comment)
{
	expect(conf, false, "PriorityWeightAge", "5", "1000", "priorityweightage=1000",
		"priorityweightage=5");
}

Test(tune_place, a_key_that_is_not_there_is_added_behind_the_last_line)
{
	expect(conf, false, "PriorityWeightJobSize", "5", "-", "PartitionName=batch Nodes=n1\n",
		"PartitionName=batch Nodes=n1\nPriorityWeightJobSize=5\n");
	expect("ClusterName=x", false, "SchedulerParameters/bf_window", "5", "-", "ClusterName=x",
		"ClusterName=x\nSchedulerParameters=bf_window=5\n");
}

Test(tune_place, an_option_of_a_list)
{
	expect(conf, false, "SchedulerParameters/bf_window", "120", "60", "bf_window=60", "bf_window=120");
	expect(conf, false, "SchedulerParameters/bf_interval", "30", "-", ",defer", ",defer,bf_interval=30");
}

Test(tune_place, an_attribute_of_the_line_that_begins_with_that_name)
{
	expect(conf, false, "PartitionName/gpu/MaxTime", "60", "1-00:00:00", "MaxTime=1-00:00:00",
		"MaxTime=60");
	expect(conf, false, "PartitionName/batch/MaxTime", "60", "-", "batch Nodes=n1",
		"batch Nodes=n1 MaxTime=60");
	expect(conf, false, "PartitionName/DEFAULT/MaxTime", "60", "10", "MaxTime=10", "MaxTime=60");
}

Test(tune_place, words_of_yaml_are_keys_names_and_kinds_on_the_way)
{
	expect(yaml, true, "ClusterQueue/team-a/nominalQuota/cpu", "6", "8", "nominalQuota: 8",
		"nominalQuota: 6");
	expect(yaml, true, "team-a/gpu/nominalQuota", "6", "4", "\"4\"", "\"6\"");
	expect(yaml, true, "borrowingLimit", "6", "2", "borrowingLimit: 2", "borrowingLimit: 6");
	expect(yaml, true, "projects/speech/quota", "2", "1", "quota: 1", "quota: 2");
	expect("{\"projects\": [{\"name\": \"a\", \"quota\": 3}]}", true, "a/quota", "4", "3", "3", "4");
}

static void refuse(const char *text, bool is_yaml, const char *words, const char *says)
{
	struct file_place place;
	const struct tuned_file file = { .name = "f", .path = "f", .text = text, .len = strlen(text) };
	err = (struct sl_err){ 0 };
	cr_expect_eq(is_yaml ? place_yaml(&place, &file, words, arena, &err)
			     : place_conf(&place, &file, words, arena, &err),
		SL_USAGE);
	cr_expect(strstr(err.text, says), "%s", err.text);
}

Test(tune_place, what_is_none_or_several_is_said)
{
	refuse(conf, false, "PartitionName/none/MaxTime", "no line of f begins with PartitionName=none");
	refuse(conf, false, "a/b/c/d", "KEY, KEY/OPTION or KEY/NAME/ATTRIBUTE");
	refuse(conf, false, "a//b", "one to eight words");
	refuse(yaml, true, "nominalQuota", "2 values of f have all of these words (line 9, line 10)");
	refuse(yaml, true, "team-a/vision/quota", "no value of f has all of these words");
	refuse(yaml, true, "team-b/cpu/borrowingLimit",
		"f has no 'team-b': did you mean 'team-a', of line 1?");
	refuse(yaml, true, "projects/speach/limit", "did you mean 'speech', of line 14?");
	refuse(yaml, true, "team-a/cpu/lendngLimit", "f has no 'lendngLimit': did you mean 'lendingLimit'?");
	refuse(yaml, true, "team-a/lendingLimit", "2 entries of f have all of these words (line 8, line 10)");
	refuse(yaml, true, "projects/limit", "2 entries of f");
	/* What may not be added there: a key that is no quota, and one of another kind of entry. */
	refuse(yaml, true, "projects/speech/priority", "no value of f has all of these words");
	refuse(yaml, true, "projects/speech/lendingLimit", "no value of f has all of these words");
}

/* A quota or limit that the file does not have: a line of its own in a block, as far to the right as its
 * neighbours; between commas where those are. */
Test(tune_place, what_an_entry_does_not_have_is_added_to_it)
{
	static const char queue[] = "apiVersion: scheduling.run.ai/v2\n"
				    "kind: Queue\n"
				    "metadata:\n"
				    "  name: lab\n"
				    "spec:\n"
				    "  resources:\n"
				    "    gpu:\n"
				    "      quota: 2\n"
				    "    cpu: {quota: '-1'}\n";
	expect(yaml, true, "ClusterQueue/team-a/default/cpu/borrowingLimit", "6", "-",
		"        nominalQuota: 8 # eight\n",
		"        nominalQuota: 8 # eight\n        borrowingLimit: 6\n");
	expect(yaml, true, "team-a/gpu/lendingLimit", "1", "-", "borrowingLimit: 2}",
		"borrowingLimit: 2, lendingLimit: 1}");
	expect(yaml, true, "projects/vision/limit", "4", "-", "quota: 3}", "quota: 3, limit: 4}");
	expect(yaml, true, "speech/over-quota", "false", "-", "quota: 1}", "quota: 1, over-quota: false}");
	expect(queue, true, "lab/gpu/overQuotaWeight", "3", "-", "      quota: 2\n",
		"      quota: 2\n      overQuotaWeight: 3\n");
	expect(queue, true, "Queue/lab/cpu/limit", "3", "-", "'-1'}", "'-1', limit: 3}");
	expect("{\"projects\": [{\"name\": \"a\", \"quota\": 3}]}", true, "a/limit", "4", "-", "3}",
		"3, \"limit\": 4}");
	expect("projects:\n- name: a", true, "a/quota", "4", "-", "name: a", "name: a\n  quota: 4");
	expect("projects:\r\n- name: a\r\n", true, "a/quota", "4", "-", "name: a", "name: a\r\n  quota: 4");
	expect("projects:\n- {\n  name: a,\n  priority: 3\n  }\n", true, "a/quota", "4", "-", "priority: 3",
		"priority: 3, quota: 4");
}

Test(tune_place, lines_that_are_added_in_the_middle_are_in_the_patch)
{
	const uint32_t level[TUNE_AXES_MAX] = { 1, 1, 1 };
	struct tuned_file file = { .name = "f", .path = "f", .text = yaml, .len = strlen(yaml) };
	const char *values[2] = { "", "7" };
	struct tune tune = { .arena = arena, .file = &file, .files = 1 };
	tune.problem.axes = 3;
	for (size_t i = 0; i < 3; i++)
		tune.knob[i] = (struct knob){ .kind = KNOB_FILE, .value = values, .count = 2 };
	cr_assert_eq(place_yaml(&tune.knob[0].place, &file, "cpu/lendingLimit", arena, &err), SL_OK);
	cr_assert_eq(place_yaml(&tune.knob[1].place, &file, "cpu/borrowingLimit", arena, &err), SL_OK);
	cr_assert_eq(place_yaml(&tune.knob[2].place, &file, "speech/quota", arena, &err), SL_OK);
	char *patch = tune_patch(&tune, level);
	cr_assert(patch);
	cr_expect_str_eq(patch,
		"--- f\n+++ f\n@@ -7,8 +7,10 @@\n       resources:\n       - name: cpu\n"
		"         nominalQuota: 8 # eight\n+        lendingLimit: 7\n+        borrowingLimit: 7\n"
		"       - {name: gpu, nominalQuota: \"4\", borrowingLimit: 2}\n ---\n projects:\n"
		"   - {name: vision, quota: 3}\n-  - {name: speech, quota: 1}\n+  - {name: speech, quota: 7}\n");
	free(patch);
}

Test(tune_place, the_change_is_a_unified_diff)
{
	const uint32_t level[TUNE_AXES_MAX] = { 1, 1 };
	struct tuned_file file = { .name = "f", .path = "f", .text = conf, .len = strlen(conf) };
	const char *values[2] = { "", "7" };
	struct tune tune = { .arena = arena, .file = &file, .files = 1 };
	tune.problem.axes = 2;
	for (size_t i = 0; i < 2; i++)
		tune.knob[i] = (struct knob){ .kind = KNOB_FILE, .value = values, .count = 2 };
	cr_assert_eq(place_conf(&tune.knob[0].place, &file, "PriorityMaxAge", arena, &err), SL_OK);
	cr_assert_eq(place_conf(&tune.knob[1].place, &file, "PriorityWeightAge", arena, &err), SL_OK);
	char *patch = tune_patch(&tune, level);
	cr_assert(patch);
	cr_expect_str_eq(patch,
		"--- f\n+++ f\n@@ -1,8 +1,9 @@\n # A comment with PriorityWeightAge=9\n ClusterName=lab\n"
		"-  priorityweightage=1000 # yes\n+  priorityweightage=7 # yes\n"
		" SchedulerParameters=bf_continue,bf_window=60,defer\n NodeName=n1 CPUs=4\n PartitionName=DEFAULT MaxTime=10\n"
		" PartitionName=gpu Nodes=n1 MaxTime=1-00:00:00 # long\n PartitionName=batch Nodes=n1\n+PriorityMaxAge=7\n");
	free(patch);
}

/* Lines that go on, with a blank before the backslash and without; a key given twice, of which Slurm takes
 * the last; a comment that ends a line that would go on. */
static const char joined[] = "SchedulerParameters=bf_continue,\\\n"
			     "bf_window=60,\\\n"
			     "defer\n"
			     "PriorityWeightAge=1\n"
			     "PriorityWeightAge=2 # 3 \\\n"
			     "PartitionName=batch \\\n"
			     "  Nodes=n1 MaxTime=10 \\\n"
			     "  State=UP\n"
			     "PriorityMaxAge=\\\n"
			     "7-0\n";

Test(tune_place, lines_that_go_on_are_one)
{
	expect(joined, false, "SchedulerParameters/bf_window", "5", "60", "bf_window=60", "bf_window=5");
	expect(joined, false, "SchedulerParameters/bf_max", "5", "-", "defer", "defer,bf_max=5");
	expect(joined, false, "PartitionName/batch/MaxTime", "5", "10", "MaxTime=10", "MaxTime=5");
	expect(joined, false, "PartitionName/batch/MinNodes", "5", "-", "State=UP", "State=UP MinNodes=5");
	expect(joined, false, "PriorityMaxAge", "1-0", "7-0", "7-0", "1-0");
}

Test(tune_place, of_a_key_given_twice_the_last_counts)
{
	expect(joined, false, "PriorityWeightAge", "5", "2", "PriorityWeightAge=2", "PriorityWeightAge=5");
}

Test(tune_place, a_value_in_two_lines_is_an_error)
{
	struct tuned_file file = { .name = "f", .path = "f", .text = joined, .len = strlen(joined) };
	struct file_place place;
	cr_expect_neq(place_conf(&place, &file, "SchedulerParameters", arena, &err), SL_OK);
	cr_expect(strstr(err.text, "goes on in the next line"), "%s", err.text);
}
