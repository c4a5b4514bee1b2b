/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kueue_dra.c - what Kueue charges for devices, by hand: counts, counters, capacities, alternatives, and
 * selectors beside the devices there are.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/kueue/kueue_dra.h"
#include "sim/base/base.h"

enum { OBJECTS_MAX = 16, TEXT_MAX = 4096 };

struct dra_world {
	struct kueue k;
	struct sl_doc doc[OBJECTS_MAX];
	struct sl_object object[OBJECTS_MAX];
	uint32_t count;
};

static const char *word_at(const struct sl_doc *doc, const char *path)
{
	const char *text = sl_doc_word(doc, sl_doc_at(doc, doc->node, path));
	return text ? text : "";
}

static void add_object(struct dra_world *w, const char *text)
{
	struct sl_doc *doc = &w->doc[w->count];
	struct sl_err err = { .status = 0 };
	doc->file = "w.yaml";
	cr_assert_eq(sl_doc_read_yaml(doc, text, strlen(text), &err), SL_OK, "%s in %s", err.text, text);
	w->object[w->count++] = (struct sl_object){ .kind = word_at(doc, "kind"),
		.version = word_at(doc, "apiVersion"),
		.namespace = word_at(doc, "metadata.namespace"),
		.name = word_at(doc, "metadata.name"),
		.doc = doc,
		.node = doc->node };
}

static void add_template(struct dra_world *w, const char *devices)
{
	char text[TEXT_MAX];
	(void)snprintf(text, sizeof(text),
		"kind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: {spec: {devices: {%s}}}\n", devices);
	add_object(w, text);
}

/* A Configuration with these members, a ResourceClaimTemplate t of those devices, and the rest. */
static struct dra_world *make_world(const char *config, const char *devices, const char *const *object)
{
	char text[TEXT_MAX];
	struct sl_arena *arena = sl_arena_new();
	struct dra_world *w = sl_alloc(arena, 1, sizeof(*w));
	struct sl_err err = { .status = 0 };
	w->k.arena = arena;
	w->k.kq = kq_new(arena);
	(void)snprintf(text, sizeof(text),
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n%s", config);
	add_object(w, text);
	add_object(w, "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n");
	add_template(w, devices);
	for (; object && *object; object++)
		add_object(w, *object);
	cr_assert_eq(kq_read(&w->k.read, w->k.kq, w->object, w->count), SL_OK, "%s", w->k.kq->err.text);
	(void)kueue_dra_make(&w->k, &err);
	return w;
}

static void free_world(struct dra_world *w)
{
	struct sl_arena *arena = w->k.arena;
	kueue_dra_release(&w->k);
	for (uint32_t i = 0; i < w->count; i++)
		sl_doc_release(&w->doc[i]);
	kq_free(w->k.kq);
	sl_arena_free(arena);
}

static const char *charge_by(struct dra_world *w, const char *template, struct kq_podset *to)
{
	const struct sl_pod_claim claim = { "gpu", NULL, template };
	const struct sl_podset from = { .name = "main", .claim = &claim, .claim_count = 1 };
	return kueue_charge_claims(&w->k, "default", &from, to);
}

static const char *charge_of(struct dra_world *w, struct kq_podset *to) { return charge_by(w, "t", to); }

static int64_t charged(struct dra_world *w, const char *resource)
{
	struct kq_podset to = { .name = "main" };
	const char *refused = charge_of(w, &to);
	cr_expect(!refused, "%s", refused);
	cr_expect_eq(w->k.kq->err.status, 0, "%s", w->k.kq->err.text);
	return kq_amount_of(&to.request, kq_resource(w->k.kq, resource));
}

/* Of a world of its own: so much of that resource. */
static void expect_charge(const char *config, const char *devices, const char *const *object,
	const char *resource, int64_t amount)
{
	struct dra_world *w = make_world(config, devices, object);
	const int64_t is = charged(w, resource);
	cr_expect_eq(is, amount, "%s: %lld, not %lld", devices, (long long)is, (long long)amount);
	free_world(w);
}

static void expect_refused(
	const char *config, const char *devices, const char *const *object, const char *message)
{
	struct dra_world *w = make_world(config, devices, object);
	struct kq_podset to = { .name = "main" };
	const char *refused = charge_of(w, &to);
	cr_expect(
		refused && strcmp(refused, message) == 0, "%s: %s", devices, refused ? refused : "(nothing)");
	free_world(w);
}

#define CEL(text)   "{cel: {expression: \"" text "\"}}"
#define IS(profile) "selectors: [" CEL("device.attributes['gpu.x'].profile == '" profile "'") "]"
#define ASK(more)   "requests: [{name: r, exactly: {deviceClassName: mig" more "}}]"
#define GI          *(INT64_C(1) << 30)
#define SLICE(name, pool, more)                                                                  \
	"kind: ResourceSlice\nmetadata: {name: " name "}\nspec:\n  driver: gpu.x\n  pool: " pool \
	"\n  devices:\n" more
#define DEVICE(name, profile, memory)                                   \
	"  - {name: " name ", attributes: {profile: {string: '" profile \
	"'}}, consumesCounters: [{counterSet: s, "                      \
	"counters: {memory: {value: " memory "}, fine: {value: 1500m}}}]}\n"
#define CLASS \
	"kind: DeviceClass\nmetadata: {name: mig}\nspec: {selectors: [" CEL("device.driver == 'gpu.x'") "]}\n"
#define COUNTER(resource, counter, selector)                                                    \
	"  - {name: " resource ", deviceClassNames: [mig], sources: [{counter: {name: " counter \
	", driver: gpu.x, deviceSelector: " CEL(selector) "}}]}\n"
#define MAPPINGS  "resources:\n  deviceClassMappings:\n"
#define BY_MEMORY MAPPINGS COUNTER("gpu.memory", "memory", "true")

/* Two devices count, of 10 and 20 GiB: the pool p has a newer generation than the 80 GiB are of, q is not
 * complete, and those 99 GiB are another driver's. */
static const char *const partitions[] = { CLASS,
	SLICE("old", "{name: p, generation: 1, resourceSliceCount: 1}", DEVICE("o", "7g", "80Gi")),
	SLICE("new", "{name: p, generation: 2, resourceSliceCount: 1}",
		DEVICE("a", "1g", "10Gi") DEVICE("b", "2g", "20Gi")),
	SLICE("half", "{name: q, generation: 1, resourceSliceCount: 2}", DEVICE("c", "1g", "40Gi")),
	"kind: ResourceSlice\nmetadata: {name: nic}\nspec:\n  driver: nic.x\n  pool: {name: p, generation: 3, "
	"resourceSliceCount: 1}\n  devices:\n" DEVICE("n", "1g", "99Gi"),
	NULL };

Test(kueue_dra, the_greatest_counter_is_charged_for_each_device)
{
	expect_charge(BY_MEMORY, ASK(""), partitions, "gpu.memory", 20 GI);
	expect_charge(BY_MEMORY, ASK(", count: 2"), partitions, "gpu.memory", 40 GI);
	expect_charge(BY_MEMORY, ASK(", " IS("1g")), partitions, "gpu.memory", 10 GI);
	expect_charge(MAPPINGS COUNTER("m", "memory", "device.attributes['gpu.x'].profile == '1g'"), ASK(""),
		partitions, "m", 10 GI);
	expect_charge(MAPPINGS COUNTER("m", "fine", "true"), ASK(""), partitions, "m", 2);
	/* In thousandths, as the rules have it. */
	expect_charge(MAPPINGS COUNTER("cpu", "fine", "true"), ASK(""), partitions, "cpu", 2000);
}

/* Kueue hands CEL the driver, attributes and capacities of a device, and nothing else. */
Test(kueue_dra, selectors_do_not_see_that_a_device_is_shared)
{
	static const char *const shared[] = { CLASS,
		SLICE("s", "{name: p, generation: 1, resourceSliceCount: 1}",
			"  - {name: a, allowMultipleAllocations: true}\n"),
		NULL };
	expect_refused(MAPPINGS "  - {name: m, deviceClassNames: [mig]}\n",
		ASK(", selectors: [" CEL("device.allowMultipleAllocations") "]"), shared,
		"ResourceClaimTemplate t: insufficient matching devices for CEL selector in DeviceClass mig: 0 "
		"device(s) match in the cluster but 1 requested");
}

#define TEMPLATE(name, requests) \
	"kind: ResourceClaimTemplate\nmetadata: {name: " name "}\nspec: {spec: {devices: {" requests "}}}\n"

/* Templates with the same requests cost the same, worked out once; those that differ in anything do not. A
 * device is taken for one job's claim and is there for the next one's. */
Test(kueue_dra, templates_that_are_alike_cost_the_same)
{
	static const char *const more[] = { CLASS,
		SLICE("s", "{name: p, generation: 1, resourceSliceCount: 1}",
			DEVICE("a", "1g", "10Gi") DEVICE("b", "2g", "20Gi")),
		TEMPLATE("alike", ASK(", " IS("2g"))), TEMPLATE("other", ASK(", " IS("1g"))),
		TEMPLATE("count", ASK(", " IS("2g") ", count: 2")), TEMPLATE("none", "requests: []"), NULL };
	struct dra_world *w = make_world(BY_MEMORY, ASK(", " IS("2g")), more);
	const struct {
		const char *template;
		int64_t charge;
	} each[] = { { "t", 20 GI }, { "alike", 20 GI }, { "other", 10 GI }, { "none", 0 },
		{ "alike", 20 GI } };
	for (size_t i = 0; i < SL_LEN(each); i++) {
		struct kq_podset to = { .name = "main" };
		const char *refused = charge_by(w, each[i].template, &to);
		cr_expect(!refused, "%s", refused);
		cr_expect_eq(kq_amount_of(&to.request, kq_resource(w->k.kq, "gpu.memory")), each[i].charge,
			"%s", each[i].template);
	}
	cr_expect_eq(w->k.dra->kinds, 3);
	struct kq_podset to = { .name = "main" };
	cr_expect(charge_by(w, "count", &to), "there is one device of 2g");
	cr_expect_eq(w->k.dra->kinds, 3);
	free_world(w);
}

Test(kueue_dra, the_class_selects_too)
{
	static const char *const narrow[] = { "kind: DeviceClass\nmetadata: {name: mig}\nspec: {" IS(
						      "1g") "}\n",
		SLICE("new", "{name: p}", DEVICE("a", "1g", "10Gi") DEVICE("b", "2g", "20Gi")), NULL };
	expect_charge(BY_MEMORY, ASK(""), narrow, "gpu.memory", 10 GI);
}

Test(kueue_dra, a_device_of_v1beta1_has_its_fields_in_basic)
{
	static const char *const basic[] = { CLASS,
		SLICE("s", "{name: p}",
			"  - {name: a, basic: {consumesCounters: [{counterSet: s, counters: {memory: {value: "
			"7}}}]}}\n"),
		NULL };
	expect_charge(BY_MEMORY, ASK(""), basic, "gpu.memory", 7);
}

Test(kueue_dra, two_mappings_charge_two_counters)
{
	struct dra_world *w = make_world(
		MAPPINGS COUNTER("m", "memory", "true") COUNTER("f", "fine", "true"), ASK(""), partitions);
	cr_expect_eq(charged(w, "m"), 20 GI);
	cr_expect_eq(charged(w, "f"), 2);
	free_world(w);
}

Test(kueue_dra, what_no_counter_can_be_charged_for_is_refused)
{
	expect_refused(BY_MEMORY, ASK(", count: 3"), partitions,
		"insufficient matching devices for counter driver: 2 device(s) match but 3 requested");
	expect_refused(MAPPINGS COUNTER("m", "slices", "true"), ASK(""), partitions,
		"matched devices have no consumesCounters entry for counter \"slices\"");
	expect_refused(BY_MEMORY, ASK(""), NULL, "failed to get DeviceClass mig: not found");
	expect_refused(MAPPINGS COUNTER("m", "memory", "device.attributes['gpu.x'].index == 1"), ASK(""),
		partitions, "CEL evaluation error in deviceSelector for device a: no such key");
}

/* ---- Capacities ------------------------------------------------------------------------------ */

#define BY_CAPACITY                                                                                  \
	"featureGates: {KueueDRAIntegrationConsumableCapacity: true}\n" MAPPINGS                     \
	"  - {name: m, deviceClassNames: [mig], sources: [{capacity: {name: memory, driver: gpu.x, " \
	"deviceSelector: " CEL("true") "}}]}\n"
#define WANT(amount)         ASK(", capacity: {requests: {memory: " amount "}}")
#define SHARED(name, policy) "  - {name: " name ", capacity: {memory: {value: 40" policy "}}}\n"
#define VALUES               ", requestPolicy: {default: 2, validValues: [1, 4, 8]}"
#define RANGE                ", requestPolicy: {default: 5, validRange: {min: 4, max: 10, step: 3}}"

static void expect_capacity(const char *devices, const char *ask, int64_t amount)
{
	char slice[TEXT_MAX];
	const char *const object[] = { CLASS, slice, NULL };
	(void)snprintf(slice, sizeof(slice), SLICE("s", "{name: p}", "%s"), devices);
	if (amount >= 0)
		expect_charge(BY_CAPACITY, ask, object, "m", amount);
	else
		expect_refused(BY_CAPACITY, ask, object,
			"capacity request cannot be satisfied by any matched device's RequestPolicy for "
			"dimension \"memory\"");
}

Test(kueue_dra, a_capacity_is_charged_as_requested_or_by_default_or_whole)
{
	expect_capacity(SHARED("a", ""), WANT("3"), 3);
	expect_capacity(SHARED("a", ""), WANT("2500m"), 3);
	expect_capacity(SHARED("a", ", requestPolicy: {default: 7}"), ASK(""), 7);
	expect_capacity(SHARED("a", ""), ASK(""), 40);
}

Test(kueue_dra, a_capacity_is_rounded_up_by_the_policy)
{
	expect_capacity(SHARED("a", VALUES), WANT("4"), 4);
	expect_capacity(SHARED("a", VALUES), WANT("5"), 8);
	expect_capacity(SHARED("a", VALUES), WANT("9"), -1);
	expect_capacity(SHARED("a", VALUES), ASK(""), 4); /* The default, too. */
	expect_capacity(SHARED("a", RANGE), WANT("1"), 4);
	expect_capacity(SHARED("a", RANGE), WANT("7"), 7);
	expect_capacity(SHARED("a", RANGE), WANT("8"), 10);
	expect_capacity(SHARED("a", RANGE), WANT("11"), -1);
	/* A step is from the least. */
	expect_capacity(SHARED("a", ", requestPolicy: {validRange: {max: 10, step: 3}}"), WANT("5"), 5);
	/* Values before a range. */
	expect_capacity(
		SHARED("a", ", requestPolicy: {validValues: [6], validRange: {min: 20}}"), WANT("5"), 6);
}

Test(kueue_dra, of_several_capacities_the_greatest_is_charged)
{
	expect_capacity(SHARED("a", VALUES) SHARED("b", RANGE), WANT("5"), 8);
	expect_capacity(SHARED("a", VALUES) SHARED("b", RANGE), WANT("9"), 10); /* a allows none. */
	expect_capacity(SHARED("a", VALUES) SHARED("b", ""),
		ASK(", count: 2, capacity: {requests: {memory: 5}}"), 16);
}

Test(kueue_dra, what_no_capacity_can_be_charged_for_is_refused)
{
	static const char *const other[] = { CLASS, SLICE("s", "{name: p}", "  - {name: a}\n"), NULL };
	expect_refused(BY_CAPACITY, ASK(""), other, "matched devices have no capacity dimension \"memory\"");
	expect_refused(BY_CAPACITY, ASK(", count: 2"), other,
		"insufficient matching devices for capacity driver: 1 device(s) match but 2 requested");
}

/* ---- Selectors beside devices ---------------------------------------------------------------- */

#define BY_COUNT MAPPINGS "  - {name: gpus, deviceClassNames: [mig]}\n"
#define TWO(first, second)                                          \
	"requests: [{name: r, exactly: {deviceClassName: mig, " IS( \
		"1g") ", count: " first                             \
		      "}}, {name: s, exactly: {deviceClassName: mig, " IS("1g") ", count: " second "}}]"

/* Of 1g there are a and c, whether or not their pools are complete; n is not of the class. */
Test(kueue_dra, selectors_find_as_many_devices_as_are_requested)
{
	expect_charge(BY_COUNT, ASK(", count: 2, " IS("1g")), partitions, "gpus", 2);
	expect_refused(BY_COUNT, ASK(", count: 3, " IS("1g")), partitions,
		"ResourceClaimTemplate t: insufficient matching devices for CEL selector in DeviceClass mig: 2 "
		"device(s) match in the cluster but 3 requested");
	expect_charge(BY_COUNT, ASK(", " IS("7g")), partitions, "gpus", 1);  /* Of an old generation. */
	expect_charge(BY_COUNT, ASK(", count: 99"), partitions, "gpus", 99); /* It selects none. */
}

Test(kueue_dra, a_device_answers_one_request)
{
	expect_charge(BY_COUNT, TWO("1", "1"), partitions, "gpus", 2);
	expect_refused(BY_COUNT, TWO("1", "2"), partitions,
		"ResourceClaimTemplate t: insufficient matching devices for CEL selector in DeviceClass mig: 1 "
		"device(s) match in the cluster but 2 requested");
}

Test(kueue_dra, selectors_that_fail_are_refused)
{
	expect_refused(BY_COUNT, ASK(", selectors: [" CEL("device.attributes['gpu.x'].index == 1") "]"),
		partitions,
		"ResourceClaimTemplate t: CEL evaluation failed for DeviceClass mig: no such key");
}

/* The class selects devices of both drivers; the source's driver has one. */
Test(kueue_dra, of_classes_with_sources_only_their_drivers_are_compared)
{
	static const char *const both[] = { "kind: DeviceClass\nmetadata: {name: mig}\nspec: {}\n",
		SLICE("s", "{name: p}", DEVICE("a", "1g", "10Gi")),
		"kind: ResourceSlice\nmetadata: {name: nic}\nspec:\n  driver: nic.x\n  pool: {name: p}\n  "
		"devices: [{name: n}]\n",
		NULL };
	expect_refused(BY_MEMORY, ASK(", count: 2, selectors: [" CEL("true") "]"), both,
		"ResourceClaimTemplate t: insufficient matching devices for CEL selector in DeviceClass mig: 1 "
		"device(s) match in the cluster but 2 requested");
	expect_charge(BY_COUNT, ASK(", count: 2, selectors: [" CEL("true") "]"), both, "gpus", 2);
}

Test(kueue_dra, without_any_slice_nothing_is_compared)
{
	static const char *const class[] = { CLASS, NULL };
	struct dra_world *w = make_world(BY_COUNT, ASK(", count: 3, " IS("1g")), class);
	cr_expect_eq(charged(w, "gpus"), 3);
	cr_expect(w->k.dra->uncompared);
	free_world(w);
}

Test(kueue_dra, an_expression_that_is_none_is_said_at_its_place)
{
	struct dra_world *w = make_world(MAPPINGS COUNTER("m", "memory", "device."), ASK(""), NULL);
	cr_expect_eq(w->k.kq->err.status, SL_INPUT);
	cr_expect(strstr(w->k.kq->err.text, "expression, character"), "%s", w->k.kq->err.text);
	free_world(w);
}

/* ---- Alternatives, administrators ------------------------------------------------------------ */

#define LISTS       "featureGates: {KueueDRAIntegrationPrioritizedList: true}\n"
#define FIRST(a, b) "requests: [{name: r, firstAvailable: [{name: x, " a "}, {name: y, " b "}]}]"
#define GPUS     \
	MAPPINGS \
	"  - {name: gpus, deviceClassNames: [big, small]}\n  - {name: nics, deviceClassNames: [nic]}\n"

Test(kueue_dra, alternatives_that_cost_the_same_are_charged_once)
{
	expect_charge(LISTS GPUS, FIRST("deviceClassName: big, count: 2", "deviceClassName: small, count: 2"),
		NULL, "gpus", 2);
}

Test(kueue_dra, alternatives_that_do_not_are_refused)
{
	static const struct {
		const char *config, *devices, *want;
	} cases[] = {
		{ GPUS, FIRST("deviceClassName: big", "deviceClassName: small"),
			"FirstAvailable device selection is not supported" },
		{ LISTS GPUS, FIRST("deviceClassName: big", "deviceClassName: nic"),
			"every alternative must map to \"gpus\", this one maps to \"nics\"" },
		{ LISTS GPUS, FIRST("deviceClassName: big, count: 2", "deviceClassName: small"),
			"every alternative must have count 2, this one has 1" },
		{ LISTS GPUS, FIRST("deviceClassName: big", "deviceClassName: other"),
			"DeviceClass other is not mapped in DRA configuration" },
		{ LISTS GPUS, FIRST("deviceClassName: big", "deviceClassName: small, allocationMode: All"),
			"Unsupported value: \"All\": supported values: \"ExactCount\"" },
		{ LISTS BY_MEMORY, FIRST("deviceClassName: mig", "deviceClassName: mig"),
			"a counter-backed or capacity-backed DeviceClass is not supported for firstAvailable" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char text[300];
		(void)snprintf(text, sizeof(text), "ResourceClaimTemplate t: %s", cases[i].want);
		expect_refused(cases[i].config, cases[i].devices, NULL, text);
	}
}

Test(kueue_dra, administrators_cost_nothing)
{
	expect_charge(BY_COUNT, ASK(", adminAccess: true"), NULL, "gpus", 0);
	expect_charge(BY_COUNT, ASK(", adminAccess: true, allocationMode: All"), NULL, "gpus", 0);
	expect_refused(BY_COUNT, ASK(", allocationMode: All"), NULL,
		"ResourceClaimTemplate t: AllocationMode 'All' is not supported");
}

Test(kueue_dra, constraints_and_config_change_no_charge)
{
	expect_charge(BY_COUNT,
		ASK(", count: 2") ", constraints: [{matchAttribute: gpu.x/numa}], config: [{opaque: {driver: "
				  "gpu.x}}]",
		NULL, "gpus", 2);
}

Test(kueue_dra, an_extended_resource_has_no_counters)
{
	static const char *const class[] = {
		"kind: DeviceClass\nmetadata: {name: mig}\nspec: {extendedResourceName: x.com/gpu}\n", NULL
	};
	static const struct sl_amount asked = { "x.com/gpu", 1 };
	const struct sl_podset from = { .name = "main", .request = { &asked, 1 } };
	struct kq_podset to = { .name = "main" };
	struct dra_world *w = make_world(BY_MEMORY, ASK(""), class);
	const char *refused = kueue_charge_claims(&w->k, "default", &from, &to);
	cr_expect_str_eq(refused ? refused : "",
		"extended resource x.com/gpu resolves to DeviceClass mig with counters configured; use "
		"ResourceClaimTemplates with CEL selectors for counter-based quota");
	free_world(w);
}
