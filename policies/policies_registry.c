/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policies_registry.c - the built-in policies, and the names for -p that stand for one with its parameters
 * set.
 */
#include "sim/plugin.h"

extern const struct sl_policy policy_composed, slurm_policy, kube_policy, kueue_policy, hybrid_policy,
	runai_policy, external_policy, agent_policy;
extern const struct sl_binder kube_binder;
extern const struct sl_allocator slurm_allocator, allocator_pack_leaves, allocator_spread_leaves,
	allocator_contention;
extern const struct sl_node_scorer place_first, place_best, place_worst, place_pack, place_spread,
	place_weight;
extern const struct sl_node_scorer place_random, place_dotprod, place_gpu_bestfit, place_gpu_packing,
	place_gpu_clustering, place_fgd, place_consolidate, place_island;
extern const struct sl_node_scorer place_lua;
extern const struct sl_scripting lua_scripting;
extern const struct sl_gauge gauge_fragmentation;

static const struct sl_policy *const policies[] = { &policy_composed, &slurm_policy, &kube_policy,
	&kueue_policy, &hybrid_policy, &runai_policy, &external_policy, &agent_policy, NULL };

static const struct sl_binder *const binders[] = { &kube_binder, NULL };

static const struct sl_node_scorer *const scorers[] = { &place_first, &place_best, &place_worst, &place_pack,
	&place_spread, &place_weight, &place_random, &place_dotprod, &place_gpu_bestfit, &place_gpu_packing,
	&place_gpu_clustering, &place_fgd, &place_consolidate, &place_island, &place_lua, NULL };

static const struct sl_scripting *const scriptings[] = { &lua_scripting, NULL };

static const struct sl_gauge *const gauges[] = { &gauge_fragmentation, NULL };

static const struct sl_allocator *const allocators[] = { &slurm_allocator, &allocator_pack_leaves,
	&allocator_spread_leaves, &allocator_contention, NULL };

#define LELONG   "Lelong, Reis & Trystram, JSSPP 2017"
#define TANG     "Tang et al., CLUSTER 2009"
#define CARASTAN "Carastan-Santos & de Camargo, SC 2017"
#define MUALEM   "Mu'alem & Feitelson, IEEE TPDS 12(6), 2001"

#define KAY      "Kay & Lauder, CACM 31(1), 1988"

/* -p NAME */
#define P(...) (&(const struct sl_preset){ SL_ABI_OF(struct sl_preset), __VA_ARGS__ })

static const struct sl_preset *const presets[] = {
	P("fcfs", "first come, first served, strictly: nobody overtakes", "composed", "plan=fcfs",
		"Schwiegelshohn & Yahyapour, SODA 1998"),
	P("fifo", "the same as fcfs", "composed", "plan=fcfs", "Schwiegelshohn & Yahyapour, SODA 1998"),
	P("greedy", "whoever fits, in order of submission", "composed", "plan=greedy", "Graham, 1969"),
	P("easy", "backfill that does not delay the first in the queue", "composed", "plan=easy",
		"Lifka, JSSPP 1995; " MUALEM),
	P("easy++", "EASY on predicted run times, shortest candidates first", "composed",
		"plan=easy,estimate=tsafrir,fill=shortest",
		"Tsafrir, Etsion & Feitelson, IEEE TPDS 18(6), 2007"),
	P("conservative", "backfill that moves nobody's promise", "composed", "plan=conservative", MUALEM),
	P("depth-k", "backfill that moves no promise of the first four", "composed", "plan=depth,depth=4",
		"Chiang, Arpaci-Dusseau & Vernon, JSSPP 2002"),
	P("slack", "backfill that delays nobody beyond his slack", "composed", "plan=slack",
		"Talby & Feitelson, IPPS 1999"),
	P("sjf", "shortest limit first", "composed", "order=sjf,plan=fcfs", LELONG),
	P("ljf", "longest limit first", "composed", "order=ljf,plan=fcfs", LELONG),
	P("smallest", "fewest cpus first", "composed", "order=smallest,plan=fcfs", LELONG),
	P("largest", "most cpus first", "composed", "order=largest,plan=fcfs", LELONG),
	P("saf", "smallest area (limit * size) first", "composed", "order=saf,plan=fcfs", LELONG),
	P("laf", "largest area first", "composed", "order=laf,plan=fcfs", LELONG),
	P("srf", "smallest ratio limit / size first", "composed", "order=srf,plan=fcfs", LELONG),
	P("wfp3", "-(wait / limit)^3 * size, anew in each pass", "composed", "order=wfp3,plan=fcfs", TANG),
	P("unicep", "-wait / (log2(size) * limit), anew in each pass", "composed", "order=unicep,plan=fcfs",
		TANG),
	P("f1", "log10(limit) * size + 870 * log10(submit)", "composed", "order=f1,plan=fcfs", CARASTAN),
	P("f2", "sqrt(limit) * size + 25600 * log10(submit)", "composed", "order=f2,plan=fcfs", CARASTAN),
	P("f3", "limit * size + 6860000 * log10(submit)", "composed", "order=f3,plan=fcfs", CARASTAN),
	P("f4", "limit * sqrt(size) + 530000 * log10(submit)", "composed", "order=f4,plan=fcfs", CARASTAN),
	P("fairshare", "who used least, for its weight, goes first; usage fades", "composed",
		"order=fairshare,plan=easy", KAY),
	P("drf", "who holds the least dominant share is served next", "composed", "order=drf,plan=share",
		"Ghodsi et al., NSDI 2011"),
	P("lottery", "who is next is drawn, by tickets", "composed", "order=lottery,plan=share",
		"Waldspurger & Weihl, OSDI 1994"),
	P("stride", "in proportion to tickets, without chance", "composed", "order=stride,plan=share",
		"Waldspurger & Weihl, MIT/LCS/TM-528, 1995"),
	P("quota", "guaranteed shares; what is idle is lent, and taken back when claimed", "composed",
		"plan=quota", "Zaharia et al., UCB/EECS-2009-55"),
	P("srtf", "shortest remaining time first; who has less left takes from those with most, work is kept",
		"composed", "plan=srtf", "Schrage, Operations Research 16(3), 1968; Hu et al., SC 2021"),
	P("gang", "easy; jobs of one gang start together or not at all", "composed", "plan=gang",
		"Ousterhout, ICDCS 1982; Lifka, JSSPP 1995"),
	P("slices", "gang scheduling: rows of jobs take turns, others are suspended", "composed",
		"plan=slices", "Ousterhout, ICDCS 1982; Feitelson & Rudolph, JPDC 16(4), 1992"),
	P("loss", "each job starts as it comes, or is turned away", "composed", "plan=loss", "Erlang, 1917"),
	P("recorded", "each job when the log says it started: the base line", "composed", "plan=recorded",
		"the trace itself (SWF field 3)"),
	NULL,
};

const struct sl_plugin policies_builtin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "policies",
	.policies = policies,
	.presets = presets,
	.scorers = scorers,
	.allocators = allocators,
	.gauges = gauges,
	.binders = binders,
	.scriptings = scriptings,
};
