/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_keys.c - every key that Slurm's files may have, and how far it is followed here.
 *
 * One table drives it all: what is reported of a key, what is unknown, and what is suggested in its place.
 * Keys of which the same is to be said stand in one line: slurm.conf(5), gres.conf(5), topology.conf(5) of
 * Slurm 22.05 and later, and those of scontrol show.
 */
#include <stdio.h>
#include <string.h>

#include "traces/slurm/conf.h"

#define MODEL  SL_MODELLED
#define APPROX SL_APPROXIMATED
#define IGNORE SL_IGNORED

static const char policy[] = "kept for policies that follow it; others do not";
static const char scorer[] = "followed with place=slurm; other placings see cpus, memory and GPUs";
static const char sharing[] = "kept for policies that follow it, and for place=slurm";
/* What everybody follows in part. */
static const char memory[] = "whether memory counts; the rest with place=slurm";
static const char switches[] =
	"the order of nodes, and leaves for placings that look at them; the rest with place=slurm";
static const char written[] =
	"of jobs that are asked for in Slurm's words, as of sacct; of others with place=slurm";
static const char power[] = "kept for policies that follow it; nodes are always on otherwise";
static const char launch[] = "does not move a start";
static const char moment[] = "of the moment at which it was shown";
static const char who[] = "kept for policies that follow it; others let everyone in";

#define KEYS(kind, coverage, note, ...) \
	kind, coverage, note, (const char *const[]) { __VA_ARGS__, NULL }
static const struct conf_key keys[] = {
	/* The cluster: who runs where */
	{ KEYS(CONF_CLUSTER, MODEL, NULL, "ClusterName", "SelectType") },
	{ KEYS(CONF_CLUSTER, APPROX, memory, "SelectTypeParameters") },
	{ KEYS(CONF_CLUSTER, APPROX, switches, "TopologyPlugin") },
	{ KEYS(CONF_CLUSTER, APPROX, "SwitchAsNodeRank orders the nodes; the rest is kept for policies",
		"TopologyParam") },
	{ KEYS(CONF_CLUSTER, MODEL, NULL, "GresTypes") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "Licenses") },
	{ KEYS(CONF_CLUSTER, MODEL, NULL, "DefMemPerCPU", "DefMemPerNode", "DefMemPerGPU", "DefCPUPerGPU") },
	{ KEYS(CONF_CLUSTER, APPROX, scorer, "MaxMemPerCPU", "MaxMemPerNode") },
	{ KEYS(CONF_CLUSTER, MODEL, NULL, "JobDefaults") },
	/* The cluster: what a policy follows */
	/* Of scontrol show config, and what its JSON says of itself. */
	{ KEYS(CONF_CLUSTER, APPROX, policy, "SLURM_VERSION") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "SchedulerType") },
	{ KEYS(CONF_CLUSTER, APPROX, sharing, "SchedulerParameters") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "SchedulerTimeSlice", "PriorityType", "PriorityFlags") },
	{ KEYS(CONF_CLUSTER, IGNORE, "no site factor is known that it would be for", "PriorityParameters") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "PriorityDecayHalfLife", "PriorityCalcPeriod",
		"PriorityFavorSmall", "PriorityMaxAge", "PriorityUsageResetPeriod", "PriorityWeightAge",
		"PriorityWeightAssoc", "PriorityWeightFairshare", "PriorityWeightJobSize",
		"PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightTRES",
		"FairShareDampeningFactor") },
	{ KEYS(CONF_CLUSTER, APPROX, sharing, "PreemptType", "PreemptMode") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "PreemptExemptTime", "PreemptParameters",
		"AccountingStorageEnforce", "AccountingStorageTRES", "AccountingStorageType") },
	{ KEYS(CONF_CLUSTER, APPROX, "cred_expire, the delay of requeued jobs, is kept for policies",
		"AuthInfo") },
	{ KEYS(CONF_CLUSTER, IGNORE, "a job begins as its nodes are ready", "BatchStartTimeout") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "CompleteWait") },
	{ KEYS(CONF_CLUSTER, APPROX, "kill_invalid_depend is kept for policies that follow it",
		"DependencyParameters") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "EnforcePartLimits") },
	{ KEYS(CONF_CLUSTER, IGNORE, "jobs have the numbers of the trace", "FirstJobId") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "InactiveLimit", "JobRequeue", "KillWait", "MaxArraySize",
		"MaxJobCount") },
	{ KEYS(CONF_CLUSTER, IGNORE, "tasks of a node are not counted against it", "MaxTasksPerNode") },
	{ KEYS(CONF_CLUSTER, APPROX, "mcs/user alone is kept for policies that follow --exclusive=mcs",
		"MCSPlugin") },
	{ KEYS(CONF_CLUSTER, IGNORE, "labels do not keep jobs apart", "MCSParameters") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "MessageTimeout", "MinJobAge", "OverTimeLimit") },
	{ KEYS(CONF_CLUSTER, IGNORE, "exit codes put no job back", "RequeueExit", "RequeueExitHold") },
	{ KEYS(CONF_CLUSTER, APPROX, policy, "ResvOverRun", "ReturnToService", "SlurmctldParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "every step can be killed", "UnkillableStepTimeout") },
	{ KEYS(CONF_CLUSTER, IGNORE, "root is as other users", "DisableRootJobs") },
	{ KEYS(CONF_CLUSTER, IGNORE, "specialized cores stay with the system", "AllowSpecResourcesUsage") },
	{ KEYS(CONF_CLUSTER, IGNORE, "jobs are charged as by default", "FairTreeCharge") },
	/* Power. */
	{ KEYS(CONF_CLUSTER, APPROX, power, "SuspendTime", "SuspendTimeout", "SuspendRate", "SuspendProgram",
		"SuspendExcNodes", "SuspendExcParts") },
	{ KEYS(CONF_CLUSTER, IGNORE, "states keep no node on", "SuspendExcStates") },
	{ KEYS(CONF_CLUSTER, APPROX, power, "ResumeProgram") },
	{ KEYS(CONF_CLUSTER, IGNORE, "nodes come up, unless failures say otherwise", "ResumeFailProgram") },
	{ KEYS(CONF_CLUSTER, APPROX, power, "ResumeRate", "ResumeTimeout") },
	{ KEYS(CONF_CLUSTER, IGNORE, "there is no reconfiguration but by commands", "ReconfigFlags") },
	{ KEYS(CONF_CLUSTER, IGNORE, launch, "DebugFlags") },
	/* The cluster: what changes jobs before they are in the queue */
	{ KEYS(CONF_CLUSTER, IGNORE,
		"a site's own rules at submission: what they changed is in the trace, where it was logged",
		"JobSubmitPlugins") },
	{ KEYS(CONF_CLUSTER, IGNORE, "likewise of the commands: it is in the trace", "CliFilterPlugins") },
	{ KEYS(CONF_CLUSTER, IGNORE, "jobs do not wait for burst buffers", "BurstBufferType",
		"BurstBufferParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "there is one cluster", "FederationParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "features do not change: no job waits for a reboot",
		"NodeFeaturesPlugins") },
	{ KEYS(CONF_CLUSTER, IGNORE, "a site's own factor is 0", "PrioritySiteFactorPlugin",
		"PrioritySiteFactorParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "power is not capped", "PowerPlugin", "PowerParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "takes no time", "Prolog", "PrologSlurmctld", "PrologFlags",
		"PrologEpilogTimeout", "PrologTimeout", "EpilogTimeout", "EpilogSlurmctld",
		"EpilogMsgTime") },
	{ KEYS(CONF_CLUSTER, APPROX,
		"under policy slurm a node takes no job for complete=TIME behind each; with others at once",
		"Epilog") },
	{ KEYS(CONF_CLUSTER, IGNORE, "nodes fail as events=FILE says", "HealthCheckProgram",
		"HealthCheckInterval", "HealthCheckNodeState", "SlurmdTimeout") },
	{ KEYS(CONF_CLUSTER, IGNORE, "nodes have what the file says", "FastSchedule", "SlurmdParameters") },
	{ KEYS(CONF_CLUSTER, IGNORE, "CoreSpecCount is what counts", "CoreSpecPlugin") },
	{ KEYS(CONF_CLUSTER, IGNORE, launch, "TaskPlugin", "TaskPluginParam") },
	/* The cluster: paths, ports, launch, logs */
	{ KEYS(CONF_CLUSTER, IGNORE, launch, "AccountingStorageBackupHost", "AccountingStorageExternalHost",
		"AccountingStorageHost", "AccountingStorageLoc", "AccountingStorageParameters",
		"AccountingStoragePass", "AccountingStoragePort", "AccountingStorageUser",
		"AccountingStoreFlags", "AccountingStoreJobComment", "AcctGatherEnergyType",
		"AcctGatherFilesystemType", "AcctGatherInfinibandType", "AcctGatherInterconnectType",
		"AcctGatherNodeFreq", "AcctGatherProfileType", "AuthAltParameters", "AuthAltTypes",
		"AuthType", "BackupAddr", "BackupController", "BcastExclude", "BcastParameters",
		"CacheGroups", "CheckpointType", "CommunicationParameters", "ControlAddr", "ControlMachine",
		"CpuFreqDef", "CpuFreqGovernors", "CredType", "CryptoType", "DataParserParameters",
		"EioTimeout", "ExtSensorsFreq", "ExtSensorsType", "FrontendName", "GetEnvTimeout",
		"GpuFreqDef", "GroupUpdateForce", "GroupUpdateTime", "HashPlugin", "InteractiveStepOptions",
		"JobAcctGatherFrequency", "JobAcctGatherParams", "JobAcctGatherType", "JobCompHost",
		"JobCompLoc", "JobCompParams", "JobCompPass", "JobCompPort", "JobCompType", "JobCompUser",
		"JobContainerType", "JobCredentialPrivateKey", "JobCredentialPublicCertificate",
		"JobFileAppend", "KeepAliveTime", "KillOnBadExit", "LaunchParameters", "LaunchType",
		"LogTimeFormat", "MailDomain", "MailProg", "MaxDBDMsgs", "MaxBatchRequeue", "MaxJobId") },
	{ KEYS(CONF_CLUSTER, IGNORE, "nodes that register by themselves are not known", "MaxNodeCount") },
	{ KEYS(CONF_CLUSTER, IGNORE, launch, "MaxStepCount", "MemLimitEnforce", "MpiDefault", "MpiParams",
		"PluginDir", "PlugStackConfig", "PrEpParameters", "PrEpPlugins", "PrivateData",
		"ProctrackType", "PropagatePrioProcess", "PropagateResourceLimits",
		"PropagateResourceLimitsExcept", "RebootProgram", "ResvEpilog", "ResvProlog", "RoutePlugin",
		"SallocDefaultCommand", "SbcastParameters", "SchedulerAuth", "SchedulerPort",
		"SchedulerRootFilter", "ScronParameters", "SlurmUser", "SlurmctldAddr", "SlurmctldDebug",
		"SlurmctldHost", "SlurmctldLogFile", "SlurmctldPidFile", "SlurmctldPlugstack",
		"SlurmctldPort", "SlurmctldPrimaryOffProg", "SlurmctldPrimaryOnProg", "SlurmctldSyslogDebug",
		"SlurmctldTimeout", "SlurmdDebug", "SlurmdLogFile", "SlurmdPidFile", "SlurmdPort",
		"SlurmdSpoolDir", "SlurmdSyslogDebug", "SlurmdUser", "SlurmSchedLogFile",
		"SlurmSchedLogLevel", "SrunEpilog", "SrunPortRange", "SrunProlog", "StateSaveLocation",
		"SwitchParameters", "SwitchType", "TaskEpilog", "TaskProlog", "TCPTimeout", "TLSParameters",
		"TLSType", "TmpFS", "TrackWCKey", "TreeWidth", "UnkillableStepProgram", "UsePAM",
		"VSizeFactor", "WaitTime", "X11Parameters") },
	/* Nodes */
	{ KEYS(CONF_NODE, MODEL, NULL, "NodeName", "Boards", "CPUs", "Procs", "Sockets", "SocketsPerBoard",
		"CoresPerSocket", "ThreadsPerCore", "CoreSpecCount") },
	{ KEYS(CONF_NODE, APPROX, "so many cores are kept, whichever they are", "CPUSpecList") },
	{ KEYS(CONF_NODE, MODEL, NULL, "MemSpecLimit", "RealMemory", "TmpDisk", "Gres", "Feature",
		"Features") },
	{ KEYS(CONF_NODE, APPROX, "followed with place=slurm and place=weight", "Weight") },
	{ KEYS(CONF_NODE, MODEL, NULL, "State", "Reason") },
	{ KEYS(CONF_NODE, IGNORE, launch, "CpuBind", "BcastAddr", "NodeAddr", "NodeHostname", "Port",
		"TRESWeights") },
	{ KEYS(CONF_NODE, APPROX, power, "SuspendTime") },
	{ KEYS(CONF_NODE, APPROX, policy, "Extra") },
	{ KEYS(CONF_NODE, IGNORE, "cores near GPUs are for every job", "RestrictedCoresPerGPU") },
	{ KEYS(CONF_NODE, IGNORE, "topology.conf says where the node hangs", "Topology") },
	{ KEYS(CONF_NODE, IGNORE, launch, "Parameters") },
	/* Partitions */
	{ KEYS(CONF_PARTITION, MODEL, NULL, "PartitionName", "Nodes", "Default", "MaxTime", "DefaultTime",
		"MaxNodes", "MinNodes") },
	{ KEYS(CONF_PARTITION, APPROX, written, "MaxCPUsPerNode") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "MaxCPUsPerSocket") },
	{ KEYS(CONF_PARTITION, MODEL, NULL, "DefMemPerCPU", "DefMemPerNode", "DefMemPerGPU", "DefCPUPerGPU",
		"JobDefaults") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "MaxMemPerCPU", "MaxMemPerNode") },
	{ KEYS(CONF_PARTITION, APPROX, "EXCLUSIVE is modelled; the others are followed with place=slurm",
		"OverSubscribe", "Shared") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "ExclusiveUser") },
	{ KEYS(CONF_PARTITION, APPROX, "USER is followed; TOPO is kept for policies", "Exclusive") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "ExclusiveTopo") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "LLN") },
	{ KEYS(CONF_PARTITION, MODEL, NULL, "State") },
	{ KEYS(CONF_PARTITION, APPROX, sharing, "PriorityTier") },
	{ KEYS(CONF_PARTITION, APPROX, policy, "PriorityJobFactor") },
	{ KEYS(CONF_PARTITION, APPROX, sharing, "Priority") },
	{ KEYS(CONF_PARTITION, MODEL, NULL, "Hidden") },
	{ KEYS(CONF_PARTITION, APPROX, who, "RootOnly") },
	{ KEYS(CONF_PARTITION, APPROX, "kept for policies; the cluster's counts", "SelectTypeParameters") },
	{ KEYS(CONF_PARTITION, APPROX, sharing, "PreemptMode") },
	{ KEYS(CONF_PARTITION, APPROX, policy, "GraceTime", "OverTimeLimit", "QOS", "QoS") },
	{ KEYS(CONF_PARTITION, APPROX, policy, "ReqResv") },
	{ KEYS(CONF_PARTITION, APPROX, policy, "TRESBillingWeights") },
	{ KEYS(CONF_PARTITION, IGNORE, "a job stays in the partition that it asks for", "Alternate") },
	{ KEYS(CONF_PARTITION, APPROX, who, "AllowAccounts", "AllowGroups", "AllowQos", "DenyAccounts",
		"DenyQos") },
	{ KEYS(CONF_PARTITION, APPROX, policy, "DisableRootJobs") },
	{ KEYS(CONF_PARTITION, IGNORE, "from where a job was submitted is not known", "AllocNodes") },
	{ KEYS(CONF_PARTITION, IGNORE, launch, "CpuBind") },
	{ KEYS(CONF_PARTITION, IGNORE, "idle nodes are powered down after SuspendTime", "PowerDownOnIdle") },
	{ KEYS(CONF_PARTITION, APPROX, power, "SuspendTime", "SuspendTimeout", "ResumeTimeout") },
	{ KEYS(CONF_PARTITION, APPROX, scorer, "Topology") },
	/* Of scontrol show partition. */
	{ KEYS(CONF_PARTITION, IGNORE, moment, "TotalCPUs", "TotalNodes", "TRES") },
	/* What else slurm.conf names */
	{ KEYS(CONF_DOWN, MODEL, NULL, "DownNodes", "State", "Reason") },
	{ KEYS(CONF_NODESET, MODEL, NULL, "NodeSet", "Feature", "Nodes") },
	{ KEYS(CONF_OTHER, IGNORE, launch, "FrontendName", "FrontendAddr", "AllowGroups", "AllowUsers",
		"DenyGroups", "DenyUsers", "Port", "Reason", "State") },
	{ KEYS(CONF_OTHER, IGNORE, "rings are not known: nodes are chosen as without a topology",
		"RingName") },
	{ KEYS(CONF_OTHER, IGNORE, "rings are not known", "Nodes") },
	/* gres.conf */
	{ KEYS(CONF_GRES, MODEL, NULL, "NodeName", "Name", "Type", "Count") },
	{ KEYS(CONF_GRES, APPROX, scorer, "Cores") },
	{ KEYS(CONF_GRES, APPROX, "taken as Cores, as Slurm does", "CPUs") },
	{ KEYS(CONF_GRES, MODEL, NULL, "File", "Files") },
	{ KEYS(CONF_GRES, APPROX, "one device, as Slurm has it; its parts are not known", "MultipleFiles") },
	{ KEYS(CONF_GRES, APPROX, "kept for policies: links do not choose devices", "Link", "Links") },
	{ KEYS(CONF_GRES, APPROX, "kept for policies: sharing among many jobs is counted in units alone",
		"Flags") },
	{ KEYS(CONF_GRES, APPROX,
		"what slurmd would find is not known: counts and types are those of the nodes' Gres, and all cores are "
		"as near",
		"AutoDetect") },
	/* topology.conf */
	{ KEYS(CONF_SWITCH, MODEL, NULL, "SwitchName", "Nodes", "Switches") },
	{ KEYS(CONF_SWITCH, IGNORE, "not used by Slurm either", "LinkSpeed") },
	{ KEYS(CONF_SWITCH, IGNORE, "follows from what hangs on the switch", "Level") },
	{ KEYS(CONF_BLOCK, MODEL, NULL, "BlockName", "Nodes") },
	{ KEYS(CONF_BLOCK, APPROX, policy, "BlockSizes", "BlockSize") },
	{ KEYS(CONF_BLOCK, IGNORE, moment, "BlockIndex") },
	/* scontrol show reservation, license */
	{ KEYS(CONF_RESERVATION, MODEL, NULL, "ReservationName", "StartTime", "EndTime", "Duration", "Nodes",
		"Users", "Accounts", "Flags") },
	{ KEYS(CONF_RESERVATION, IGNORE, "follows from the nodes", "NodeCnt") },
	{ KEYS(CONF_RESERVATION, APPROX, "a reservation holds whole nodes", "CoreCnt") },
	{ KEYS(CONF_RESERVATION, IGNORE, "groups of users are not known", "Groups") },
	{ KEYS(CONF_RESERVATION, IGNORE, "the nodes are chosen", "Features", "PartitionName") },
	{ KEYS(CONF_RESERVATION, IGNORE, "follows from the nodes", "TRES") },
	{ KEYS(CONF_RESERVATION, APPROX, policy, "Licenses") },
	{ KEYS(CONF_RESERVATION, IGNORE, moment, "State") },
	{ KEYS(CONF_RESERVATION, IGNORE, "jobs do not wait for burst buffers", "BurstBuffer") },
	{ KEYS(CONF_RESERVATION, IGNORE, "power is not capped", "Watts") },
	{ KEYS(CONF_RESERVATION, APPROX, policy, "MaxStartDelay") },
	{ KEYS(CONF_RESERVATION, IGNORE, "a reservation holds whole nodes", "NodeName") },
	{ KEYS(CONF_RESERVATION, APPROX, "a reservation holds whole nodes", "CoreIDs") },
	{ KEYS(CONF_RESERVATION, IGNORE, launch, "Comment") },
	{ KEYS(CONF_LICENSE, APPROX, policy, "LicenseName", "Total") },
	{ KEYS(CONF_LICENSE, IGNORE, moment, "Used", "Free", "Reserved", "Remote") },
};

const struct conf_key *conf_key_find(enum conf_kind kind, const char *key)
{
	for (size_t i = 0; i < SL_LEN(keys); i++)
		for (const char *const *name = keys[i].kind == kind ? keys[i].name : NULL; name && *name;
			name++)
			if (((*name)[0] | 0x20) == (key[0] | 0x20) && conf_same(*name, key))
				return &keys[i];
	return NULL;
}

static const char *kind_name(enum conf_kind kind)
{
	static const char *const name[CONF_KINDS] = { "cluster", "node", "partition", "down", "nodeset",
		"gres", "switch", "switch", "reservation", "license", "cluster" };
	return name[kind];
}

const char *conf_suggest(struct conf *conf, const char *text, const char *const *known)
{
	enum { SUGGESTIONS_MAX = 200 };
	const char *similar = conf->suggestions++ < SUGGESTIONS_MAX ? sl_nearest(text, known) : NULL;
	const char *said = similar ? conf_printf(&conf->mem, "did you mean '%s'?", similar) : NULL;
	return said ? said : "";
}

enum { KEYS_MAX = 1000 }; /* Of one kind. */

static const char *unknown_note(struct conf *conf, enum conf_kind kind, const char *key)
{
	const char *known[KEYS_MAX + 1];
	size_t count = 0;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		for (const char *const *name = keys[i].name;
			*name && keys[i].kind == kind && count < KEYS_MAX;)
			known[count++] = *name++;
	known[count] = NULL;
	const char *said = conf_suggest(conf, key, known);
	return *said ? said : NULL;
}

int conf_report_other(struct conf *conf, const struct sl_setting *setting)
{
	return conf->sink->setting ? conf->sink->setting(conf->sink->self, setting, conf->err) : SL_OK;
}

int conf_report_warned(struct conf *conf, enum conf_kind kind, const char *name, const struct conf_pair *pair,
	const char *value, const char *note)
{
	return conf_report_other(conf, &(struct sl_setting){ .kind = kind_name(kind),
					       .name = name,
					       .key = pair->key,
					       .value = value,
					       .at = conf_at(pair),
					       .coverage = SL_UNKNOWN_KEY,
					       .note = note });
}

/* Who follows it, if not everybody; NULL. */
static const char *followers_of(const struct conf_key *key)
{
	if (key->note == policy || key->note == power || key->note == who)
		return CONF_BY_SLURM;
	if (key->note == memory || key->note == switches || key->note == written)
		return CONF_BY_PLACE ", *";
	return key->note == scorer || key->note == sharing ? CONF_BY_PLACE : NULL;
}

/* A plugin that there is in Slurm, and not here: what stands for it; NULL. */
static const char *other_plugin(enum conf_kind kind, const struct conf_pair *pair)
{
	static const char *const selects[] = { "linear", "cons_tres", "cons_res", NULL };
	static const char *const topologies[] = { "tree", "block", "none", "default", "flat", NULL };
	const bool select = kind == CONF_CLUSTER && conf_same(pair->key, "SelectType");
	const bool topology = kind == CONF_CLUSTER && conf_same(pair->key, "TopologyPlugin");
	const char *slash = strchr(pair->value, '/');
	const char *const *word = select ? selects : topologies;
	if (!select && !topology)
		return NULL;
	while (*word && !conf_same(*word, slash ? slash + 1 : pair->value))
		word++;
	if (*word)
		return NULL;
	return select ? "not known: taken as select/cons_tres"
		      : "not known: nodes are in the order of their names, without a topology";
}

int conf_report(
	struct conf *conf, enum conf_kind kind, const char *name, struct conf_pair *pair, bool observed)
{
	const struct conf_key *key = conf_key_find(kind, pair->key);
	if (!key && observed) /* What scontrol adds in some version is no key of a file. */
		return SL_OK;
	if (!*pair->value)
		return conf_report_other(conf,
			&(struct sl_setting){ kind_name(kind), name, pair->key, "", pair->at,
				key ? SL_IGNORED : SL_UNKNOWN_KEY,
				key ? "empty: it says nothing" : unknown_note(conf, kind, pair->key), NULL });
	const char *other = other_plugin(kind, pair);
	const char *by = key && !other ? followers_of(key) : NULL;
	const int status =
		conf_report_other(conf, &(struct sl_setting){ .kind = kind_name(kind),
						.name = name,
						.key = pair->key,
						.value = pair->value,
						.at = pair->at,
						.coverage = other ? SL_APPROXIMATED
							    : by  ? SL_MODELLED
							    : key ? key->coverage
								  : SL_UNKNOWN_KEY,
						.note = other                    ? other
							: by && !strchr(by, '*') ? NULL
							: key                    ? key->note
							      : unknown_note(conf, kind, pair->key),
						.by = by });
	const bool options = kind == CONF_CLUSTER && conf_same(pair->key, "SchedulerParameters");
	const int checked =
		status || observed ? status : conf_value_check(conf, kind, kind_name(kind), name, pair);
	if (checked || kind != CONF_CLUSTER)
		return checked;
	return options ? conf_options_report(conf, pair->value, pair->at) : conf_words_report(conf, pair);
}

int conf_report_line(struct conf *conf, struct conf_line *line)
{
	const bool named = line->kind != CONF_CLUSTER && line->kind != CONF_OTHER;
	const char *name = named && line->count ? line->pair[0].value : "";
	int status = SL_OK;
	if (line->kind == CONF_GRES) {
		const char *nodes = conf_value_of(line, "NodeName");
		name = nodes ? nodes : "";
	}
	for (uint32_t i = 0; i < line->count && !status; i++) {
		if (!line->pair[i].reported)
			status = conf_report(conf, line->kind, name, &line->pair[i], line->observed);
		line->pair[i].reported = true;
	}
	return status;
}
