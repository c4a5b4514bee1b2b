/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_try.c - what would come of it: pods are put on nodes and taken off, nodes shown and hidden, and all
 * of it is taken back in reverse. As cluster-autoscaler forks and reverts its snapshot
 * (cluster-autoscaler/simulator/clustersnapshot), and Karpenter solves on a copy of its state.
 */
#include "policies/kube/elastic/elastic.h"

static void note_move(struct kube_scaler *s, struct elastic_move move)
{
	if (!SL_GROW(s->move, s->move_capacity, s->moves + 1, &s->k->err))
		s->move[s->moves++] = move;
}

bool elastic_fits(struct kube_scaler *s, uint32_t pod, uint32_t node)
{
	struct kube *k = s->k;
	const struct kube_cycle cycle = { pod, kube_pod_affinity_new(k, pod), k->nominees > 0, false };
	const bool fits = kube_filter(k, &cycle, node) == KUBE_FITS;
	kube_pod_affinity_free(cycle.pod_affinity);
	return fits;
}

bool elastic_place(struct kube_scaler *s, uint32_t pod, uint32_t node)
{
	struct kube *k = s->k;
	if (k->err.status || !elastic_fits(s, pod, node))
		return false;
	note_move(s, (struct elastic_move){ ELASTIC_PLACED, pod, node, k->pod[pod].gpu_kind });
	if (k->err.status)
		return false;
	k->pod[pod].gpu_kind = KUBE_NO;
	kube_take(k, pod, node);
	return true;
}

void elastic_lift(struct kube_scaler *s, uint32_t pod)
{
	struct kube *k = s->k;
	note_move(s, (struct elastic_move){ ELASTIC_LIFTED, pod, k->pod[pod].node, k->pod[pod].gpu_kind });
	if (!k->err.status)
		kube_give(k, pod);
}

void elastic_show(struct kube_scaler *s, uint32_t node)
{
	note_move(s, (struct elastic_move){ ELASTIC_SHOWN, node, 0, 0 });
	if (!s->k->err.status)
		s->k->node[node].there = true;
}

void elastic_hide(struct kube_scaler *s, uint32_t node)
{
	note_move(s, (struct elastic_move){ ELASTIC_HIDDEN, node, 0, 0 });
	if (!s->k->err.status)
		s->k->node[node].there = false;
}

void elastic_undo(struct kube_scaler *s, size_t mark)
{
	struct kube *k = s->k;
	while (s->moves > mark) {
		const struct elastic_move *move = &s->move[--s->moves];
		switch (move->what) {
		case ELASTIC_PLACED:
			kube_give(k, move->row);
			k->pod[move->row].gpu_kind = move->gpu_kind;
			break;
		case ELASTIC_LIFTED:
			k->pod[move->row].gpu_kind = move->gpu_kind;
			kube_take(k, move->row, move->node);
			break;
		case ELASTIC_SHOWN:
			k->node[move->row].there = false;
			break;
		case ELASTIC_HIDDEN:
			k->node[move->row].there = true;
			break;
		}
	}
}
