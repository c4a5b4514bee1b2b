/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_images.c - plugin ImageLocality: nodes that have a pod's images score higher, by the images' sizes and
 * by how many nodes have them (so that pods do not crowd where few have one).
 *
 * Of each image that the node has, its size times the share of all nodes that have it; the sum is clamped to
 * 23 MiB and 1000 MiB for each of the pod's containers, and scaled to 0..100
 * (pkg/scheduler/framework/plugins/ imagelocality, v1.36). What nodes have is in the status.images of their
 * objects, and does not change.
 */
#include "policies/kube/kube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_MIB INT64_C(1048576)
enum { SUM_MIN = 23, SUM_MAX = 1000, IMAGES_MAX = 1 << 24 };

struct kube_image { /* By name, then by node. */
	const char *name;
	uint32_t node;
	uint32_t nodes; /* That have it. */
	int64_t size;
};

static int by_image(const void *a, const void *b)
{
	const struct kube_image *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int take_image(struct kube *k, const struct sl_object *object, const struct sl_doc_node *of,
	uint32_t node, struct sl_err *err)
{
	int64_t size = 0;
	int status = kube_int(object->doc, of, "sizeBytes", &size, err);
	SL_DOC_EACH (name, object->doc, sl_doc_at(object->doc, of, "names")) {
		const char *text = sl_doc_word(object->doc, name);
		if (status || !text)
			continue;
		if (SL_GROW_MOST(k->image, k->image_capacity, k->images + 1, IMAGES_MAX, err))
			return SL_SYSTEM;
		k->image[k->images++] = (struct kube_image){ text, node, 0, size };
	}
	return status;
}

int kube_images_of(struct kube *k, const struct sl_object *object, uint32_t node, struct sl_err *err)
{
	int status = SL_OK;
	SL_DOC_EACH (one, object->doc, sl_doc_at(object->doc, object->node, "status.images"))
		if (!status)
			status = take_image(k, object, one, node, err);
	return status;
}

void kube_images_sort(struct kube *k)
{
	size_t kept = 0;
	if (k->images)
		qsort(k->image, k->images, sizeof(*k->image), by_image);
	for (size_t i = 0; i < k->images; i++) /* A node that names it twice has it once. */
		if (!kept || by_image(&k->image[i], &k->image[kept - 1]) != 0)
			k->image[kept++] = k->image[i];
	k->images = kept;
	for (size_t i = 0, next; i < k->images; i = next) {
		for (next = i; next < k->images && strcmp(k->image[next].name, k->image[i].name) == 0;)
			next++;
		for (size_t at = i; at < next; at++)
			k->image[at].nodes = (uint32_t)(next - i);
	}
}

/* A name without a tag means the latest. */
static const char *full_name(const char *name, char *buffer, size_t capacity)
{
	const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
	if (colon && (!slash || colon > slash))
		return name;
	(void)snprintf(buffer, capacity, "%s:latest", name);
	return buffer;
}

static int64_t worth(const struct kube *k, const char *name, uint32_t node)
{
	char buffer[512];
	const struct kube_image key = { .name = full_name(name, buffer, sizeof(buffer)), .node = node };
	const struct kube_image *at =
		k->images ? bsearch(&key, k->image, k->images, sizeof(*k->image), by_image) : NULL;
	return at ? (int64_t)((double)at->size * ((double)at->nodes / (double)k->nodes)) : 0;
}

int64_t kube_images_score(const struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	const int64_t least = SUM_MIN * IMAGE_MIB, most = SUM_MAX * IMAGE_MIB * spec->podset->containers_all;
	int64_t sum = 0;
	for (uint32_t i = 0; i < spec->podset->image_count; i++)
		sum += worth(k, spec->podset->image[i], node);
	sum = sum < least ? least : sum;
	sum = sum > most ? most : sum;
	return most > least ? 100 * (sum - least) / (most - least) : 0;
}
