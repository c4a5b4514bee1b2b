/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_assign_suits.c - which flavors suit a podset, quota apart, and what is said of those that do not.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kueue_world.h"

/* Flavors `red` (colour=red) and `plain` (no labels), with free quota in both. */
static struct kq_podset *instance(struct kueue_instance *w)
{
	static const struct sl_label red = { "colour", "red" };
	kueue_make(w);
	kueue_group(w, kueue_queue(w, "cq", NULL), "cpu", "red 9000, plain 9000");
	w->kq->flavor[kq_flavor(w->kq, "red")].labels = (struct sl_labels){ &red, 1 };
	struct kq_podset *podset = kueue_podset(w, kueue_workload(w, "wl"), "main", 1, "cpu 1000");
	kueue_seal(w);
	return podset;
}

/* The flavor that it gets; "": none, and *message says why. */
static const char *flavor_of(struct kueue_instance *w, const char **message)
{
	const struct kq_assign_options options = { 0 };
	const struct kq_assignment *made = kq_assign(w->kq, w->scratch, w->workload, w->queue, &options);
	cr_assert_not_null(made);
	if (message)
		*message = kq_assign_message(w->kq, w->scratch, made);
	return made->podset[0].pick_count ? w->kq->flavor[made->podset[0].pick[0].flavor].name : "";
}

Test(kq_suits, a_taint_keeps_away_who_does_not_tolerate_it)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w);
	struct sl_taint taint = { "spot", "yes", SL_NO_SCHEDULE };
	static const struct sl_toleration any = { "spot", "", true, SL_ANY_EFFECT };
	struct kq_flavor *red = &w.kq->flavor[kq_flavor(w.kq, "red")];
	red->taints = (struct sl_taints){ &taint, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "plain");
	taint.effect = SL_NO_EXECUTE;
	cr_expect_str_eq(flavor_of(&w, NULL), "plain");
	taint.effect = SL_PREFER_NO_SCHEDULE;
	cr_expect_str_eq(flavor_of(&w, NULL), "red");
	taint.effect = SL_NO_SCHEDULE;
	podset->tolerations = (struct sl_tolerations){ &any, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "the podset tolerates it");
	podset->tolerations.count = 0;
	red->tolerations = (struct sl_tolerations){ &any, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "the flavor adds the toleration");
	kueue_release(&w);
}

Test(kq_suits, a_selector_counts_with_the_keys_of_the_flavor)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w);
	struct sl_label label = { "colour", "blue" };
	podset->node_selector = (struct sl_labels){ &label, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "plain");
	label.value = "red";
	cr_expect_str_eq(flavor_of(&w, NULL), "red");
	label = (struct sl_label){ "size", "big" };
	cr_expect_str_eq(flavor_of(&w, NULL), "red");
	kueue_release(&w);
}

Test(kq_suits, one_term_of_an_affinity_has_to_match)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w);
	static const char *const blue = "blue", *const red = "red", *const big = "big";
	struct sl_label_expr expr[3] = { { "colour", SL_LABEL_IN, &blue, 1 },
		{ "size", SL_LABEL_IN, &big, 1 }, { "colour", SL_LABEL_IN, &red, 1 } };
	struct sl_label_term term[2] = { { .expr = expr, .count = 1 }, { .expr = expr + 2, .count = 1 } };
	podset->required = term;
	podset->required_count = 1;
	cr_expect_str_eq(flavor_of(&w, NULL), "plain");
	podset->required_count = 2;
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "the second term");
	term[0].count = 2;
	podset->required_count = 1;
	cr_expect_str_eq(flavor_of(&w, NULL), "plain", "all of a term's that have the key");
	podset->required_count = 2;
	term[1] = (struct sl_label_term){ .expr = expr + 1, .count = 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "a term about other keys matches anything");
	term[1] = (struct sl_label_term){ .field = expr, .field_count = 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "so does one about fields");
	kueue_release(&w);
}

Test(kq_suits, an_expression_that_is_none_ends_the_search)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w);
	static const char *const red = "red", *const text = "4x";
	const char *message;
	struct sl_label_expr expr[2] = { { "colour", SL_LABEL_OP_INVALID, NULL, 0 },
		{ "colour", SL_LABEL_IN, &red, 1 } };
	const struct sl_label_term term[2] = { { .expr = expr, .count = 1 },
		{ .expr = expr + 1, .count = 1 } };
	podset->required = term;
	podset->required_count = 1;
	cr_expect_str_eq(flavor_of(&w, &message), "");
	cr_expect(strstr(message, "not a valid node selector"), "%s", message);
	podset->required_count = 2;
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "another term matches");
	podset->required_count = 1;
	expr[0] = (struct sl_label_expr){ "colour", SL_LABEL_GT, &text, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "", "Gt wants a number");
	expr[0] = (struct sl_label_expr){ "colour", SL_LABEL_NOT_IN, NULL, 0 };
	cr_expect_str_eq(flavor_of(&w, NULL), "", "NotIn wants values");
	expr[0] = (struct sl_label_expr){ "colour", SL_LABEL_EXISTS, &red, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "", "Exists wants none");
	expr[0].key = "size";
	cr_expect_str_eq(flavor_of(&w, NULL), "red", "of another key it does not matter");
	kueue_release(&w);
}

Test(kq_suits, all_podsets_of_a_group_have_to_suit)
{
	struct kueue_instance w;
	struct kq_podset *leader = instance(&w);
	struct kq_podset *worker = kueue_podset(&w, w.workload, "worker", 1, "cpu 1000");
	static const struct sl_label blue = { "colour", "blue" };
	worker->node_selector = (struct sl_labels){ &blue, 1 };
	cr_expect_str_eq(flavor_of(&w, NULL), "red");
	leader->group = worker->group = "g";
	cr_expect_str_eq(flavor_of(&w, NULL), "plain");
	kueue_release(&w);
}

Test(kq_suits, the_message_says_it_in_kueues_words)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w);
	static const struct sl_taint taint = { "spot", "yes", SL_NO_SCHEDULE };
	const char *message;
	w.kq->flavor[kq_flavor(w.kq, "red")].taints = (struct sl_taints){ &taint, 1 };
	podset->request.at[0].amount = 9500;
	cr_expect_str_eq(flavor_of(&w, &message), "");
	cr_expect_str_eq(message,
		"couldn't assign flavors to pod set main: insufficient quota for cpu in flavor plain, previously "
		"considered podsets requests (0) + current podset request (9500m) > maximum capacity (9), "
		"untolerated taint {spot yes NoSchedule <nil>} in flavor red");
	podset->request.at[0].amount = 9000;
	kueue_use(&w, "cq", "plain", "cpu", 1500);
	cr_expect_str_eq(flavor_of(&w, &message), "plain");
	cr_expect(strstr(message, "insufficient unused quota for cpu in flavor plain, 1500m more needed"),
		"%s", message);
	w.kq->flavor[kq_flavor(w.kq, "plain")].exists = false;
	(void)flavor_of(&w, &message);
	cr_expect(strstr(message, "flavor plain not found"), "%s", message);
	podset->request.at[0] = (struct kq_amount){ kq_resource(w.kq, "gpu"), 1 };
	(void)flavor_of(&w, &message);
	cr_expect_str_eq(
		message, "couldn't assign flavors to pod set main: resource gpu unavailable in ClusterQueue");
	kueue_release(&w);
}
