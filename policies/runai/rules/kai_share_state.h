/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_share_state.h - room that kai_share.c and kai_reclaimable.c work in, made when the queues are sealed.
 */
#ifndef SL_RUNAI_KAI_SHARE_STATE_H
#define SL_RUNAI_KAI_SHARE_STATE_H

#include "policies/runai/rules/kai_share.h"

struct kai_share_state {
	uint32_t *order; /* Siblings in the order of kai_compare_claims; each where it is in kai.sealed. */
	uint32_t *room;
	struct kai_claim *claim;
	/* By queue, of those that lose something. */
	struct kai_vec *remaining;
	uint8_t *involved; /* Bits of resources; KAI_LOSES: it is one of them. */
	uint32_t *touched;
	uint32_t touched_count;
};
enum { KAI_LOSES = 1 << KAI_RES };

#endif
