/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policies_registry.c - the built-in policies, and the names for -p that stand for one with its parameters
 * set.
 */
#include "sim/plugin.h"

extern const struct sl_policy policy_composed, slurm_policy, kube_policy, kueue_policy, hybrid_policy,
	runai_policy, external_policy, agent_policy;
extern const struct sl_binder kube_binder;
extern const struct sl_placer slurm_placer, placer_pack_leaves, placer_spread_leaves, placer_contention;
extern const struct sl_placing place_first, place_best, place_worst, place_pack, place_spread, place_weight;
extern const struct sl_placing place_random, place_dotprod, place_gpu_bestfit, place_gpu_packing,
	place_gpu_clustering, place_fgd, place_consolidate, place_island;
extern const struct sl_placing place_lua;
extern const struct sl_scripting lua_scripting;
extern const struct sl_gauge gauge_fragmentation;

const struct sl_policy *const sl_policies[] = { &policy_composed, &slurm_policy, &kube_policy, &kueue_policy,
	&hybrid_policy, &runai_policy, &external_policy, &agent_policy, NULL };

const struct sl_binder *const sl_binders[] = { &kube_binder, NULL };

const struct sl_placing *const sl_placings[] = { &place_first, &place_best, &place_worst, &place_pack,
	&place_spread, &place_weight, &place_random, &place_dotprod, &place_gpu_bestfit, &place_gpu_packing,
	&place_gpu_clustering, &place_fgd, &place_consolidate, &place_island, &place_lua, NULL };

const struct sl_scripting *const sl_scriptings[] = { &lua_scripting, NULL };

const struct sl_gauge *const sl_gauges[] = { &gauge_fragmentation, NULL };

const struct sl_placer *const sl_placers[] = { &slurm_placer, &placer_pack_leaves, &placer_spread_leaves,
	&placer_contention, NULL };

#define LELONG   "Lelong, Reis & Trystram, JSSPP 2017"
#define TANG     "Tang et al., CLUSTER 2009"
#define CARASTAN "Carastan-Santos & de Camargo, SC 2017"
#define MUALEM   "Mu'alem & Feitelson, IEEE TPDS 12(6), 2001"

#define KAY      "Kay & Lauder, CACM 31(1), 1988"

const struct sl_preset sl_presets[] = {
	{ "fcfs", "composed", "plan=fcfs", "first come, first served, strictly: nobody overtakes",
		"Schwiegelshohn & Yahyapour, SODA 1998" },
	{ "fifo", "composed", "plan=fcfs", "the same as fcfs", "Schwiegelshohn & Yahyapour, SODA 1998" },
	{ "greedy", "composed", "plan=greedy", "whoever fits, in order of submission", "Graham, 1969" },
	{ "easy", "composed", "plan=easy", "backfill that does not delay the first in the queue",
		"Lifka, JSSPP 1995; " MUALEM },
	{ "easy++", "composed", "plan=easy,estimate=tsafrir,fill=shortest",
		"EASY on predicted run times, shortest candidates first",
		"Tsafrir, Etsion & Feitelson, IEEE TPDS 18(6), 2007" },
	{ "conservative", "composed", "plan=conservative", "backfill that moves nobody's promise", MUALEM },
	{ "depth-k", "composed", "plan=depth,depth=4", "backfill that moves no promise of the first four",
		"Chiang, Arpaci-Dusseau & Vernon, JSSPP 2002" },
	{ "slack", "composed", "plan=slack", "backfill that delays nobody beyond his slack",
		"Talby & Feitelson, IPPS 1999" },
	{ "sjf", "composed", "order=sjf,plan=fcfs", "shortest limit first", LELONG },
	{ "ljf", "composed", "order=ljf,plan=fcfs", "longest limit first", LELONG },
	{ "smallest", "composed", "order=smallest,plan=fcfs", "fewest cpus first", LELONG },
	{ "largest", "composed", "order=largest,plan=fcfs", "most cpus first", LELONG },
	{ "saf", "composed", "order=saf,plan=fcfs", "smallest area (limit * size) first", LELONG },
	{ "laf", "composed", "order=laf,plan=fcfs", "largest area first", LELONG },
	{ "srf", "composed", "order=srf,plan=fcfs", "smallest ratio limit / size first", LELONG },
	{ "wfp3", "composed", "order=wfp3,plan=fcfs", "-(wait / limit)^3 * size, anew in each pass", TANG },
	{ "unicep", "composed", "order=unicep,plan=fcfs", "-wait / (log2(size) * limit), anew in each pass",
		TANG },
	{ "f1", "composed", "order=f1,plan=fcfs", "log10(limit) * size + 870 * log10(submit)", CARASTAN },
	{ "f2", "composed", "order=f2,plan=fcfs", "sqrt(limit) * size + 25600 * log10(submit)", CARASTAN },
	{ "f3", "composed", "order=f3,plan=fcfs", "limit * size + 6860000 * log10(submit)", CARASTAN },
	{ "f4", "composed", "order=f4,plan=fcfs", "limit * sqrt(size) + 530000 * log10(submit)", CARASTAN },
	{ "fairshare", "composed", "order=fairshare,plan=easy",
		"who used least, for its weight, goes first; usage fades", KAY },
	{ "drf", "composed", "order=drf,plan=share", "who holds the least dominant share is served next",
		"Ghodsi et al., NSDI 2011" },
	{ "lottery", "composed", "order=lottery,plan=share", "who is next is drawn, by tickets",
		"Waldspurger & Weihl, OSDI 1994" },
	{ "stride", "composed", "order=stride,plan=share", "in proportion to tickets, without chance",
		"Waldspurger & Weihl, MIT/LCS/TM-528, 1995" },
	{ "quota", "composed", "plan=quota",
		"guaranteed shares; what is idle is lent, and taken back when claimed",
		"Zaharia et al., UCB/EECS-2009-55" },
	{ "srtf", "composed", "plan=srtf",
		"shortest remaining time first; who has less left takes from those with most, work is kept",
		"Schrage, Operations Research 16(3), 1968; Hu et al., SC 2021" },
	{ "gang", "composed", "plan=gang", "easy; jobs of one gang start together or not at all",
		"Ousterhout, ICDCS 1982; Lifka, JSSPP 1995" },
	{ "slices", "composed", "plan=slices",
		"gang scheduling: rows of jobs take turns, others are suspended",
		"Ousterhout, ICDCS 1982; Feitelson & Rudolph, JPDC 16(4), 1992" },
	{ "loss", "composed", "plan=loss", "each job starts as it comes, or is turned away", "Erlang, 1917" },
	{ "recorded", "composed", "plan=recorded", "each job when the log says it started: the base line",
		"the trace itself (SWF field 3)" },
	{ 0 },
};
