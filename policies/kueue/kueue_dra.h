/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_dra.h - devices as quota sees them: the ResourceSlices, DeviceClasses and ResourceClaimTemplates of
 * the files, and what each template is charged, worked out once.
 *
 * Devices do not change during a run: what is refused for want of them stays so.
 */
#ifndef SL_KUEUE_KUEUE_DRA_H
#define SL_KUEUE_KUEUE_DRA_H

#include "policies/cel/kube_cel.h"
#include "policies/kueue/kueue.h"

enum { KUEUE_DEVICES_MAX = 1 << 20, KUEUE_ALIKE_MAX = 64 };

struct kueue_device {
	struct cel_device seen;
	const struct sl_doc *doc;
	const struct sl_doc_node *node; /* Where its fields stand. */
	bool counts; /* Its slice is of its pool's newest generation, and the pool is complete. */
};

struct kueue_selectors {
	struct cel **at;
	uint32_t count;
};

struct kueue_device_class {
	const struct sl_object *object;
	const char *extended, *created; /* extendedResourceName, creationTimestamp; "": not there. */
	struct kueue_selectors selectors;
	bool parsed;
};

/* Resources it is charged, one of each. */
struct kueue_charge {
	struct kueue *k;
	const char *template; /* Its name, in front of what is refused. */
	struct kq_amount *amount;
	uint32_t count;
	const char *refused; /* The first reason why nobody with it is admitted; NULL. */
};

struct kueue_template {
	const struct sl_object *object;
	bool known;                         /* What follows is worked out: */
	struct kueue_charge plain, sourced; /* counts of devices; their counters and capacities. */
};

struct kueue_dra {
	struct kueue_device *device; /* By driver, pool, and place in the files. */
	uint32_t devices, slices;
	struct kueue_device_class *class;
	struct kueue_template *template;
	uint32_t classes, templates;
	/* Templates that cost something, each of another kind: those of one kind cost the same. */
	const struct kueue_template *kind[KUEUE_ALIKE_MAX];
	uint32_t kinds;
	struct cel **cel; /* With patterns that are to be freed. */
	size_t cels, cel_capacity;
	bool uncompared; /* Some template has selectors, and there are no devices to compare them with. */
};

/* kueue_devices.c. Selectors that cannot be parsed are a failure, in k->kq->err. */
struct kueue_selectors kueue_selectors_of(struct kueue *k, struct sl_at list);
struct kueue_selectors kueue_selector_of(struct kueue *k, const struct kq_source *source);
/* NULL: there is no DeviceClass of that name. */
struct kueue_device_class *kueue_device_class(struct kueue *k, const char *name);
enum cel_truth kueue_selected(
	const struct kueue_selectors *selectors, const struct cel_device *device, const char **why);

/* kueue_dra.c: `exactly` of a request, or of v1beta1 the request itself. */
struct sl_at kueue_dra_exactly(struct sl_at request);
const char *kueue_dra_class_of(struct sl_at exactly); /* "": none. */
int64_t kueue_dra_count(struct sl_at exactly);
void kueue_dra_refuse(struct kueue_charge *charge, bool named, const char *format, ...) SL_PRINTF(3, 4);
void kueue_dra_add(struct kueue_charge *charge, uint32_t resource, int64_t amount);

/* kueue_dra_sources.c */
bool kueue_dra_sourced(const struct kueue *k, const char *class, bool capacity);
void kueue_dra_compare(struct kueue_charge *charge, struct sl_at requests);
void kueue_dra_charge_sources(struct kueue_charge *charge, struct sl_at requests, bool capacity);

#endif
