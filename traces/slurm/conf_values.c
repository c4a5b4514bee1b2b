/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_values.c - values that a key cannot have, of those that are followed and that nothing else reads.
 *
 * One rule for all, by what slurmctld 22.05 does as it starts. What it refuses (read_config.c: "Bad value",
 * "Invalid", a plugin that cannot be loaded) is an error with its place. What it warns of or passes over in
 * silence has its default, and is reported as not known: --strict and --set refuse it.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

enum form {
	NUMBER_16, /* s_p_parse: up to 65533, or UNLIMITED, INFINITE. */
	NUMBER_32, /* Likewise, of 32 bits. */
	ONE_OF,    /* One word; */
	ALL_OF,    /* several: refused where one is none; */
	KNOWN_OF,  /* passed over where one is none. */
};

static const struct {
	enum conf_kind kind;
	const char *key;
	enum form form;
	const char *words; /* Apart by commas; "x=": with a value. */
} values[] = {
	{ CONF_CLUSTER, "AccountingStorageEnforce", ALL_OF,
		"associations,limits,qos,safe,wckeys,nojobs,nosteps,jobs,steps,all,none,no,0,1,2" },
	{ CONF_CLUSTER, "CompleteWait", NUMBER_16, NULL },
	{ CONF_CLUSTER, "EnforcePartLimits", ONE_OF, "ALL,ANY,NO,YES,0,1,true,false,up,down" },
	{ CONF_CLUSTER, "FairShareDampeningFactor", NUMBER_16, NULL },
	{ CONF_CLUSTER, "InactiveLimit", NUMBER_16, NULL },
	{ CONF_CLUSTER, "JobRequeue", NUMBER_16, NULL },
	{ CONF_CLUSTER, "KillWait", NUMBER_16, NULL },
	{ CONF_CLUSTER, "MaxArraySize", NUMBER_32, NULL },
	{ CONF_CLUSTER, "MaxJobCount", NUMBER_32, NULL },
	{ CONF_CLUSTER, "MessageTimeout", NUMBER_16, NULL },
	{ CONF_CLUSTER, "MinJobAge", NUMBER_32, NULL },
	{ CONF_CLUSTER, "OverTimeLimit", NUMBER_16, NULL },
	{ CONF_CLUSTER, "PreemptMode", ALL_OF,
		"OFF,CLUSTER,CANCEL,REQUEUE,SUSPEND,ON,GANG,WITHIN,PRIORITY,CHECKPOINT" },
	{ CONF_CLUSTER, "PreemptParameters", KNOWN_OF,
		"min_exempt_priority=,reclaim_licenses,reorder_count=,send_user_signal,strict_order,"
		"suspend_grace_time=,youngest_first" },
	{ CONF_CLUSTER, "PreemptType", ONE_OF,
		"preempt/none,preempt/partition_prio,preempt/qos,preempt/job_prio,none,partition_prio,qos" },
	{ CONF_CLUSTER, "PriorityFlags", KNOWN_OF,
		"ACCRUE_ALWAYS,CALCULATE_RUNNING,DEPTH_OBLIVIOUS,FAIR_TREE,NO_FAIR_TREE,INCR_ONLY,LEVEL_BASED,"
		"TICKET_BASED,MAX_TRES,MAX_TRES_GRES,NO_NORMAL_ALL,NO_NORMAL_ASSOC,NO_NORMAL_PART,"
		"NO_NORMAL_QOS,NO_NORMAL_TRES,SMALL_RELATIVE_TO_TIME" },
	{ CONF_CLUSTER, "PriorityType", ONE_OF, "priority/basic,priority/multifactor,basic,multifactor" },
	{ CONF_CLUSTER, "ResumeRate", NUMBER_16, NULL },
	{ CONF_CLUSTER, "ResumeTimeout", NUMBER_16, NULL },
	{ CONF_CLUSTER, "ResvOverRun", NUMBER_16, NULL },
	{ CONF_CLUSTER, "ReturnToService", NUMBER_16, NULL },
	{ CONF_CLUSTER, "SchedulerTimeSlice", NUMBER_16, NULL },
	{ CONF_CLUSTER, "SchedulerType", ONE_OF,
		"sched/backfill,sched/builtin,sched/hold,sched/wiki,sched/wiki2,backfill,builtin" },
	{ CONF_CLUSTER, "SelectType", ONE_OF,
		"select/linear,select/cons_res,select/cons_tres,select/cray,select/cray_aries,select/serial,"
		"select/alps,select/bluegene,linear,cons_res,cons_tres" },
	{ CONF_CLUSTER, "SelectTypeParameters", ALL_OF,
		"CR_CPU,CR_CPU_Memory,CR_Core,CR_Core_Memory,CR_Socket,CR_Socket_Memory,CR_Memory,"
		"CR_ONE_TASK_PER_CORE,CR_CORE_DEFAULT_DIST_BLOCK,CR_LLN,CR_Pack_Nodes,OTHER_CONS_RES,"
		"OTHER_CONS_TRES,LL_SHARED_GRES,ENFORCE_BINDING_GRES,MULTIPLE_SHARING_GRES_PJ,"
		"ONE_TASK_PER_SHARING_GRES,NONE" },
	{ CONF_CLUSTER, "SuspendRate", NUMBER_16, NULL },
	{ CONF_CLUSTER, "SuspendTimeout", NUMBER_16, NULL },
	{ CONF_CLUSTER, "TopologyPlugin", ONE_OF,
		"topology/none,topology/default,topology/flat,topology/tree,topology/block,"
		"topology/3d_torus,topology/hypercube,topology/node_rank,topology/ring,topology/torus3d,none,"
		"default,flat,tree,block,ring,torus3d" },
	{ CONF_PARTITION, "OverTimeLimit", NUMBER_16, NULL },
	{ CONF_PARTITION, "PreemptMode", ALL_OF,
		"OFF,CLUSTER,CANCEL,REQUEUE,SUSPEND,ON,GANG,WITHIN,PRIORITY,CHECKPOINT" },
	{ CONF_OTHER, "qos.Flags", KNOWN_OF,
		"DenyOnLimit,EnforceUsageThreshold,NoDecay,NoReserve,OverPartQOS,PartitionMaxNodes,"
		"PartitionMinNodes,PartitionQOS,PartitionTimeLimit,Relative,RequiresReservation,"
		"UsageFactorSafe" },
	{ CONF_OTHER, "qos.PreemptMode", KNOWN_OF,
		"cluster,OFF,CANCEL,REQUEUE,SUSPEND,GANG,WITHIN,PRIORITY,CHECKPOINT" },
};

static bool conf_values_is_number(const char *text, int64_t most)
{
	int64_t value;
	if (conf_same(text, "UNLIMITED") || conf_same(text, "INFINITE"))
		return true;
	return conf_whole(text, &value) && value >= 0 && value <= most;
}

static bool conf_values_is_word(const char *words, const char *word, size_t len)
{
	for (const char *p = words; *p; p += *p == ',') {
		const size_t own = strcspn(p, ",");
		const bool valued = p[own - 1] == '=';
		const bool same = valued ? len >= own && strncasecmp(p, word, own) == 0
					 : len == own && strncasecmp(p, word, own) == 0;
		if (same)
			return true;
		p += own;
	}
	return false;
}

/* The first of them that is none; NULL: all are. */
static const char *wrong_word(const char *words, const char *value, size_t *len)
{
	for (const char *p = value; *p; p += *len) {
		p += strspn(p, ", \"'");
		*len = strcspn(p, ", \"'");
		if (*len && !conf_values_is_word(words, p, *len))
			return p;
	}
	return NULL;
}

bool conf_value_bad(enum conf_kind kind, const char *key, const char *value, struct conf_bad *bad)
{
	static const int64_t most[] = { [NUMBER_16] = 65533, [NUMBER_32] = 4294967293 };
	size_t i = 0;
	while (i < SL_LEN(values) && (values[i].kind != kind || !conf_same(values[i].key, key)))
		i++;
	*bad = (struct conf_bad){ .word = value, .len = strlen(value) };
	if (i == SL_LEN(values) || !*value)
		return false;
	bad->refused = values[i].form != KNOWN_OF;
	bad->words = values[i].words;
	if (values[i].form == NUMBER_16 || values[i].form == NUMBER_32)
		return !conf_values_is_number(value, most[values[i].form]);
	if (values[i].form == ONE_OF)
		return !conf_values_is_word(bad->words, value, bad->len);
	const char *word = wrong_word(bad->words, value, &bad->len);
	bad->word = word;
	return word != NULL;
}

/* As what is not known, beside its key. */
int conf_value_report(struct conf *conf, const char *kind, const char *name, const char *key,
	const struct conf_bad *bad, struct sl_place at)
{
	const char *word = conf_strdup(&conf->mem, bad->word, bad->len);
	return word ? conf_report_other(conf, &(struct sl_setting){ kind, name, key, word, at, SL_UNKNOWN_KEY,
						      CONF_NO_VALUE, NULL })
		    : sl_fail_memory(conf->err);
}

int conf_value_check(struct conf *conf, enum conf_kind kind, const char *kind_name, const char *name,
	const struct conf_pair *pair)
{
	struct conf_bad bad;
	if (!conf_value_bad(kind, pair->key, pair->value, &bad))
		return SL_OK;
	if (!bad.refused)
		return conf_value_report(conf, kind_name, name, pair->key, &bad, conf_at(pair));
	return bad.words ? conf_fail(conf, pair, "'%.*s' of %s is none of: %s",
				   (int)(bad.len < 60 ? bad.len : 60), bad.word, pair->key, bad.words)
			 : conf_fail(conf, pair, "'%.60s' of %s is no whole number that Slurm takes",
				   bad.word, pair->key);
}
