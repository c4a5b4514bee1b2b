/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifests.h - manifests of Kubernetes and Kueue: what the files of this folder share.
 *
 * A file is YAML with one or more documents, or JSON; an object, or a List of them as `kubectl get -o yaml`
 * prints. It stays a document; objects point into it.
 */
#ifndef SL_MANIFESTS_H
#define SL_MANIFESTS_H

#include "sim/plugin.h"

enum { KUBE_OBJECTS_MAX = 2000000, KUBE_NAME_MAX = 253 };

struct kube_file {
	struct sl_doc doc;
	struct sl_object *object;
	size_t count, capacity;
	char **foreign; /* Kinds' names that were made. */
	size_t foreign_count;
};

enum { KUBE_NODE_AMOUNT_MAX = 10000000 }; /* Cpus, and GPUs, of a Node. */

/* As kinds are called that are of another group than KAI's PodGroup; policy kube follows them. */
#define KUBE_POD_GROUP      "PodGroup.scheduling.k8s.io"
#define KUBE_POD_GROUP_SIGS "PodGroup.scheduling.x-k8s.io"

/* ---- kube_file.c --------------------------------------------------------------------------------- */

/* Released whatever happens. */
int kube_file_read(struct sl_input *in, struct kube_file *file, struct sl_err *err);
/* A text in JSON that was made here. */
int kube_text_read(
	const char *text, size_t len, const char *name, struct kube_file *file, struct sl_err *err);
/* The same, made of an object: whatever is wrong with it is wrong where that stands. */
int kube_written_read(
	const char *text, size_t len, const struct sl_object *of, struct kube_file *file, struct sl_err *err);
void kube_file_release(struct kube_file *file);
/* How sure that a text is of manifests: 0..100. */
int kube_sniff(const char *text, size_t len);
/* A member's member...: "spec.template.spec"; NULL: it is not there, or null. */
const struct sl_doc_node *kube_at(
	const struct sl_doc *doc, const struct sl_doc_node *node, const char *const *keys, size_t count);
#define KUBE_AT(doc, node, ...)                                  \
	kube_at(doc, node, (const char *const[]){ __VA_ARGS__ }, \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))
/* A text; NULL: it is none. */
const char *manifest_text(const struct sl_doc *doc, const struct sl_doc_node *node);
/* An RFC 3339 time, in UTC (a trailing Z), as microseconds since 1970. */
bool kube_time(const char *text, sl_time *time);

/* ---- kube_json.c: an object as a line of JSON ------------------------------------------------------ */

struct manifest_text {
	char *text;
	size_t len, capacity;
	bool failed; /* Out of memory. */
};
void kube_put(struct manifest_text *text, const char *more, size_t len);
void kube_put_string(struct manifest_text *text, const char *p); /* In quotes. */
/* Without what an API server adds for itself (managedFields, resourceVersion, generation). */
void kube_put_object(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *node);

/* Another JSON in the place of a node; a list of these is closed by a NULL node. */
struct kube_change {
	const struct sl_doc_node *node;
	const char *text;
};
void kube_put_changed(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *node,
	const struct kube_change *change);

/* ---- kube_nodes.c: nodes, or one as large as all quotas ---------------------------------------------- */

int kube_nodes_report(struct sl_arena *arena, const struct sl_object *object, size_t count, const char *path,
	const struct sl_cluster_sink *sink, struct sl_err *err);

/* ---- kube_templates.c: nodes that may come ------------------------------------------------------------- */

/* Node objects for all nodes that NodeGroups with a template, and NodePools with InstanceTypes, may ever have
 * at a time, into `file`; there may be none. */
int kube_templates_make(struct sl_arena *arena, const struct sl_object *object, size_t count,
	struct kube_file *file, struct sl_err *err);

/* ---- kube_fields.c: what of the objects is followed ---------------------------------------------------- */

struct kube_field {
	const char *path; /* "spec.resourceGroups.flavors.name"; "spec.x.*": all below. */
	enum sl_coverage coverage;
	const char *note;
};
struct kube_kind {
	const char *kind, *version; /* Its API group. */
	const struct kube_field *field;
	size_t count;
};
/* NULL: it is not known. */
const struct kube_kind *kube_kind_of(const char *kind);
/* The same of an object: a kind is known by its API group as well, as "scheduling.run.ai/v2" has it. */
const struct kube_kind *kube_kind_in(const char *kind, const char *version);
/* kube_gates.c: is it a feature gate of Kueue's? Else the most similar, or NULL. */
bool kube_gate_known(const char *name, const char **similar);
/* The field of the path; NULL: it is not known. */
const struct kube_field *kube_field_of(const struct kube_kind *kind, const char *path);

/* Each field of each kind once, at its first place. */
struct kube_reported {
	void *self;
	int (*report)(void *self, const struct sl_setting *setting, struct sl_err *err);
	struct kube_seen *seen; /* Zeroed at first. */
	size_t count, capacity;
};
int kube_fields_report(struct kube_reported *reported, const struct sl_object *object, struct sl_err *err);
void kube_reported_release(struct kube_reported *reported);

/* ---- kube_generator.c: the generator files of Kueue's performance test -------------------------- */

int kube_generator_sniff(const char *text, size_t len);

#endif
