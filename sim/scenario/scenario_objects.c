/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_objects.c - Kubernetes objects among a cluster's files: kept for policies; and the labels of its
 * nodes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/doc.h"
#include "sim/scenario/scenario_machine.h"

enum { OBJECTS_MAX = 4000000 };

/* The copy's own texts and node, in place of those of the document that it was copied from. */
static int object_keep(const struct machine *machine, const struct sl_object *from, const struct sl_doc *doc,
	uint32_t node, struct sl_object *kept, struct sl_err *err)
{
	struct sl_arena *arena = machine->scenario->arena;
	*kept = (struct sl_object){ .kind = sl_strdup(arena, from->kind, strlen(from->kind)),
		.version = sl_strdup(arena, from->version, strlen(from->version)),
		.namespace = sl_strdup(arena, from->namespace, strlen(from->namespace)),
		.name = sl_strdup(arena, from->name, strlen(from->name)),
		.doc = doc,
		.node = &doc->node[node] };
	const bool good = kept->kind && kept->version && kept->namespace && kept->name;
	return good ? SL_OK : sl_fail_memory(err);
}

static int objects_keep(struct machine *machine, const struct sl_doc *doc, const struct sl_object *object,
	size_t count, struct sl_err *err)
{
	struct sl_doc *kept = sl_alloc(machine->scenario->arena, 1, sizeof(*kept));
	int status = kept ? sl_doc_keep(machine->scenario->arena, doc, kept, err) : sl_fail_memory(err);
	if (!status)
		status = SL_GROW_MOST(machine->object, machine->object_capacity,
			machine->object_count + count, OBJECTS_MAX, err);
	for (size_t i = 0; i < count && !status; i++)
		status = object_keep(machine, &object[i], kept, (uint32_t)(object[i].node - doc->node),
			&machine->object[machine->object_count++], err);
	return status;
}

int objects_add(
	void *self, struct sl_doc *doc, const struct sl_object *object, size_t count, struct sl_err *err)
{
	const int status = objects_keep(self, doc, object, count, err);
	sl_doc_release(doc);
	return status;
}

/* Of nodes that are there; the last of a name counts. */
static int node_labels(const struct machine *machine, struct sl_labels *labels, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < machine->object_count && !status; i++) {
		const struct sl_object *object = &machine->object[i];
		if (strcmp(object->kind, "Node") != 0)
			continue;
		const uint32_t node = machine_node(machine, object->name, strlen(object->name), NULL);
		if (node == UINT32_MAX)
			continue;
		const struct sl_doc_node *metadata = sl_doc_member(object->doc, object->node, "metadata");
		status = sl_doc_labels(machine->scenario->arena, object->doc,
			sl_doc_member(object->doc, metadata, "labels"), &labels[node], err);
	}
	return status;
}

int objects_lend(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_arena *arena = machine->scenario->arena;
	if (!machine->object_count)
		return SL_OK;
	struct sl_object *object = sl_alloc(arena, machine->object_count, sizeof(*object));
	struct sl_labels *labels = sl_alloc(arena, (size_t)cluster->node_count + 1, sizeof(*labels));
	if (!object || !labels)
		return sl_fail_memory(err);
	memcpy(object, machine->object, machine->object_count * sizeof(*object));
	cluster->object = object;
	cluster->object_count = (uint32_t)machine->object_count;
	cluster->node_labels = labels;
	return node_labels(machine, labels, err);
}

/* ---- cluster.objects: manifests beside a cluster of another kind ----------------------------------- */

/* The nodes are those of the cluster's own file: what manifests say of others is ignored. */
static int no_name(void *self, const char *name, struct sl_err *err)
{
	(void)self, (void)name, (void)err;
	return SL_OK;
}

static int no_pool(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)cpus, (void)at, (void)err;
	return SL_OK;
}

static int no_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)spec, (void)at, (void)err;
	return SL_OK;
}

static int read_objects(
	struct machine *machine, const char *path, const struct sl_cluster_sink *all, struct sl_err *err)
{
	const struct sl_cluster_sink sink = { .self = machine,
		.name = no_name,
		.pool = no_pool,
		.nodes = no_nodes,
		.setting = all->setting,
		.file = all->file,
		.objects = objects_add,
		.registry = all->registry };
	struct stat about;
	struct sl_input *in = NULL;
	const struct sl_cluster_reader *reader = NULL;
	const bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	const size_t before = machine->object_count;
	int status = folder ? SL_OK : sl_input_open(&in, path, err);
	if (!status)
		status = cluster_reader_choose(machine->scenario->registry, &reader, path, in, err);
	if (!status)
		status = reader->read(path, in, NULL, 0, &sink, err);
	if (!status && machine->object_count == before)
		status = sl_fail(err, SL_INPUT, "%s: cluster.objects names no manifests of Kubernetes", path);
	if (!status && in)
		status = sink.file(machine, in, err);
	sl_input_close(in);
	return status;
}

int objects_read(struct machine *machine, const struct loading *loading, const struct sl_cluster_sink *all,
	struct sl_err *err)
{
	return loading->objects ? read_objects(machine, loading->objects, all, err) : SL_OK;
}
