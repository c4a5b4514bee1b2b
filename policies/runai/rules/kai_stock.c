/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stock.c - which nodes have how much free: buckets of nodes by whole GPUs, and sums over all.
 *
 * A change of a node's accounting, done or undone, puts it on a list; who asks has the nodes on the list
 * looked at anew first. So nobody walks through all nodes to find the few that have enough free.
 */
#include "policies/runai/rules/kai_place.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };

void kai_stock_free(struct kai *kai)
{
	struct kai_stock *stock = kai->stock;
	if (!stock)
		return;
	free(stock->bits);
	free(stock->bucket);
	free(stock->idle_bucket);
	free(stock->free);
	free(stock->any);
	free(stock->shares);
	free(stock->changed);
	free(stock->is_changed);
	free(stock);
	kai->stock = NULL;
}

bool kai_stock_seal(struct kai *kai)
{
	const size_t nodes = (size_t)kai->node_count + 1, words = kai->node_words + 1;
	kai_stock_free(kai);
	struct kai_stock *stock = kai->stock = calloc(1, sizeof(*stock));
	if (!stock)
		return (void)sl_fail_memory(&kai->err), false;
	stock->words = words;
	stock->bits = calloc(words * KAI_BUCKETS, sizeof(*stock->bits));
	stock->bucket = calloc(nodes, sizeof(*stock->bucket));
	stock->idle_bucket = calloc(nodes, sizeof(*stock->idle_bucket));
	stock->free = calloc(nodes, sizeof(*stock->free));
	stock->any = calloc(words, sizeof(*stock->any));
	stock->shares = calloc(words, sizeof(*stock->shares));
	stock->changed = calloc(nodes, sizeof(*stock->changed));
	stock->is_changed = calloc(nodes, sizeof(*stock->is_changed));
	if (!stock->bits || !stock->bucket || !stock->idle_bucket || !stock->free || !stock->any ||
		!stock->shares || !stock->changed || !stock->is_changed)
		return (void)sl_fail_memory(&kai->err), false;
	stock->count[0] = stock->idle[0] = kai->node_count;
	for (uint32_t i = 0; i < kai->node_count; i++) {
		stock->bits[i / BITS] |= UINT64_C(1) << i % BITS;
		kai_stock_note(kai, i);
	}
	return true;
}

static void set_bit(uint64_t *bits, uint32_t at, bool on)
{
	const uint64_t bit = UINT64_C(1) << at % BITS;
	bits[at / BITS] = on ? bits[at / BITS] | bit : bits[at / BITS] & ~bit;
}

static void put_into(struct kai *kai, struct kai_stock *stock, uint32_t row, uint32_t bucket)
{
	const uint32_t before = stock->bucket[row], rank = kai->node_rank[row];
	if (before == bucket)
		return;
	set_bit(stock->bits + before * stock->words, rank, false);
	set_bit(stock->bits + bucket * stock->words, rank, true);
	stock->count[before]--;
	stock->count[bucket]++;
	stock->bucket[row] = (uint8_t)bucket;
}

static void add_sum(struct kai_vec *sum, const struct kai_vec *vec, int64_t sign)
{
	for (int r = 0; r < KAI_RES; r++)
		sum->at[r] += sign * vec->at[r];
}

/* ---- A node ---- */

struct kai_vec kai_node_free(const struct kai *kai, const struct kai_node *node)
{
	struct kai_vec vec = { { node->idle.cpu + node->releasing.cpu, node->idle.mem + node->releasing.mem,
		(node->idle.gpus + node->releasing.gpus) * KAI_GPU } };
	const int64_t mem = kai_device_mem(node);
	for (uint32_t i = 0; i < node->shared_count; i++) {
		const struct kai_shared *gpu = &node->shared[i];
		const int64_t left = mem - gpu->allocated + gpu->releasing - gpu->pipelined;
		if (kai_shared_in_use(gpu) && left > 0)
			vec.at[KAI_GPUS] += (left * KAI_GPU + mem - 1) / mem;
	}
	for (uint32_t i = 0; node->mig_count && i < kai->mig_count; i++)
		vec.at[KAI_GPUS] += (node->mig_idle[i] + node->mig_releasing[i]) *
				    strtol(kai->mig[i], NULL, 10) * KAI_GPU;
	return vec;
}

/* A share may go there: a device is free, or one that is shared has something left. */
static bool has_share(const struct kai_node *node)
{
	const int64_t device = kai_device_mem(node);
	if (node->idle.gpus + node->releasing.gpus > 0)
		return true;
	for (uint32_t i = 0; i < node->shared_count; i++)
		if (kai_share_fits(&node->shared[i], 1, device))
			return true;
	return false;
}

static void look_again(struct kai *kai, struct kai_stock *stock, uint32_t row)
{
	const struct kai_node *node = &kai->node[row];
	const int64_t whole = node->idle.gpus + node->releasing.gpus;
	const struct kai_vec free = kai_node_free(kai, node);
	put_into(kai, stock, row, kai_stock_from(whole).bucket);
	stock->idle[stock->idle_bucket[row]]--;
	stock->idle_bucket[row] = (uint8_t)kai_stock_from(node->idle.gpus).bucket;
	stock->idle[stock->idle_bucket[row]]++;
	add_sum(&stock->all, &stock->free[row], -1);
	if (stock->free[row].at[KAI_GPUS] > 0)
		add_sum(&stock->with_gpus, &stock->free[row], -1);
	add_sum(&stock->all, &free, 1);
	if (free.at[KAI_GPUS] > 0)
		add_sum(&stock->with_gpus, &free, 1);
	stock->free[row] = free;
	set_bit(stock->any, row, free.at[KAI_GPUS] > 0);
	set_bit(stock->shares, row, has_share(node));
}

void kai_stock_renew(struct kai *kai)
{
	struct kai_stock *stock = kai->stock;
	while (stock->changed_count) {
		const uint32_t row = stock->changed[--stock->changed_count];
		stock->is_changed[row] = 0;
		look_again(kai, stock, row);
	}
}

uint32_t kai_stock_next(const struct kai *kai, struct kai_stock_walk *walk)
{
	const struct kai_stock *stock = kai->stock;
	for (; walk->bucket < KAI_BUCKETS; walk->bucket++, walk->rank = 0) {
		if (!stock->count[walk->bucket])
			continue;
		const uint64_t *bits = stock->bits + walk->bucket * stock->words;
		const uint32_t rank = kai_next_node(kai, bits, walk->rank);
		if (rank < kai->node_count) {
			walk->rank = rank + 1;
			return kai->node_by_name[rank];
		}
	}
	return KAI_NO;
}
