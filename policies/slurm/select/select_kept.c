/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_kept.c - what reservations keep of nodes: cores, devices and units, from whoever asks next.
 *
 * Rules (reservation.c and gres_sock_list.c of 24.11, in outline): a job in no reservation gets none of the
 * devices that reservations have by the very kind it asks for; a job in one gets no others. Who asks for GPUs
 * of a type is not kept from those that were reserved without one, nor the other way.
 */
#include "policies/slurm/select/select_parts.h"

void select_keep_cores(struct select *s, const uint64_t *cores)
{
	if (cores && !s->kept)
		s->kept_plain = s->plain;
	if (cores)
		s->plain = true;
	else if (s->kept)
		s->plain = s->kept_plain;
	s->kept = cores;
	if (!cores)
		s->kept_gres_count = 0;
}

void select_keep_gres(struct select *s, const struct select_kept_gres *gres, uint32_t count)
{
	s->kept_gres = gres;
	s->kept_gres_count = s->kept ? count : 0;
}

static bool is_kind(const struct select_kept_gres *kept, const struct sel_gres_request *r)
{
	return kept->name == r->name && kept->type == r->type;
}

uint64_t sel_kept_devices(const struct sel_test *t, uint32_t node, const struct sel_gres_request *r)
{
	uint64_t devices = 0;
	for (uint32_t i = 0; i < t->s->kept_gres_count && !t->ever; i++) {
		const struct select_kept_gres *kept = &t->s->kept_gres[i];
		if (is_kind(kept, r))
			devices |= kept->own ? ~kept->of_node[node].devices : kept->of_node[node].devices;
	}
	return devices;
}

/* Of one's own reservation all count, whatever others in it have of them. */
int64_t sel_kept_units(
	const struct sel_test *t, uint32_t node, const struct sel_gres_request *r, int64_t count)
{
	for (uint32_t i = 0; i < t->s->kept_gres_count && !t->ever; i++) {
		const struct select_kept_gres *kept = &t->s->kept_gres[i];
		if (is_kind(kept, r))
			count = kept->own ? kept->of_node[node].count
					  : max64(count - kept->of_node[node].count, 0);
	}
	return count;
}

/* Of a node's devices of that name those of the type. */
static struct select_gres of_type(
	const struct select *s, const struct select_node_alloc *node_alloc, const struct sel_gres_request *r)
{
	struct select_gres gres = node_alloc->gres ? node_alloc->gres[r->name] : (struct select_gres){ 0 };
	if (r->type == UINT32_MAX || !gres.devices)
		return gres;
	gres.devices &= shape_of(s, node_alloc->node)->typed[r->name * SEL_TYPES + r->type];
	gres.count = bits_of(gres.devices);
	return gres;
}

uint32_t select_kept_of(struct select *s, const struct select_job *job, const struct select_alloc *alloc,
	struct select_kept_gres *gres, uint32_t capacity)
{
	const struct sel_request *q = sel_request_of(s, job);
	uint32_t count = 0;
	for (uint32_t g = 0; q && g < q->gres_count && count < capacity; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		struct select_gres *of_node = sl_alloc(s->arena, s->node_count, sizeof(*of_node));
		for (uint32_t i = 0; of_node && i < alloc->node_count; i++)
			of_node[alloc->node_alloc[i].node] = of_type(s, &alloc->node_alloc[i], r);
		if (of_node)
			gres[count++] = (struct select_kept_gres){
				.name = r->name, .type = r->type, .of_node = of_node
			};
	}
	return count;
}
