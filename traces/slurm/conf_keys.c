/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_keys.c - every key that Slurm's files may have, and how far it is followed here.
 *
 * One table drives it all: what is told of a key, what is unknown, and what is suggested in its place. Keys:
 * slurm.conf(5), gres.conf(5), topology.conf(5) of Slurm 22.05 and later, and those of scontrol show.
 */
#include <stdio.h>
#include <string.h>

#include "traces/slurm/conf.h"

#define MODEL  SL_MODELLED
#define APPROX SL_APPROXIMATED
#define IGNORE SL_IGNORED

static const char policy[] = "kept for policies that follow it; others do not";
static const char placing[] = "followed with place=slurm; other placings see cpus, memory and GPUs";
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

static const struct conf_key keys[] = {
	/* ---- The cluster: who runs where ------------------------------------------------------------- */
	{ CONF_CLUSTER, "ClusterName", MODEL, NULL },
	{ CONF_CLUSTER, "SelectType", MODEL, NULL },
	{ CONF_CLUSTER, "SelectTypeParameters", APPROX, memory },
	{ CONF_CLUSTER, "TopologyPlugin", APPROX, switches },
	{ CONF_CLUSTER, "TopologyParam", APPROX,
		"SwitchAsNodeRank orders the nodes; the rest is kept for policies" },
	{ CONF_CLUSTER, "GresTypes", MODEL, NULL },
	{ CONF_CLUSTER, "Licenses", APPROX, policy },
	{ CONF_CLUSTER, "DefMemPerCPU", MODEL, NULL },
	{ CONF_CLUSTER, "DefMemPerNode", MODEL, NULL },
	{ CONF_CLUSTER, "DefMemPerGPU", MODEL, NULL },
	{ CONF_CLUSTER, "DefCPUPerGPU", MODEL, NULL },
	{ CONF_CLUSTER, "MaxMemPerCPU", APPROX, placing },
	{ CONF_CLUSTER, "MaxMemPerNode", APPROX, placing },
	{ CONF_CLUSTER, "JobDefaults", MODEL, NULL },
	/* ---- The cluster: what a policy follows -------------------------------------------------------- */
	{ CONF_CLUSTER, "SchedulerType", APPROX, policy },
	{ CONF_CLUSTER, "SchedulerParameters", APPROX, sharing },
	{ CONF_CLUSTER, "SchedulerTimeSlice", APPROX, policy },
	{ CONF_CLUSTER, "PriorityType", APPROX, policy },
	{ CONF_CLUSTER, "PriorityFlags", APPROX, policy },
	{ CONF_CLUSTER, "PriorityParameters", IGNORE, "no site factor is known that it would be for" },
	{ CONF_CLUSTER, "PriorityDecayHalfLife", APPROX, policy },
	{ CONF_CLUSTER, "PriorityCalcPeriod", APPROX, policy },
	{ CONF_CLUSTER, "PriorityFavorSmall", APPROX, policy },
	{ CONF_CLUSTER, "PriorityMaxAge", APPROX, policy },
	{ CONF_CLUSTER, "PriorityUsageResetPeriod", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightAge", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightAssoc", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightFairshare", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightJobSize", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightPartition", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightQOS", APPROX, policy },
	{ CONF_CLUSTER, "PriorityWeightTRES", APPROX, policy },
	{ CONF_CLUSTER, "FairShareDampeningFactor", APPROX, policy },
	{ CONF_CLUSTER, "PreemptType", APPROX, sharing },
	{ CONF_CLUSTER, "PreemptMode", APPROX, sharing },
	{ CONF_CLUSTER, "PreemptExemptTime", APPROX, policy },
	{ CONF_CLUSTER, "PreemptParameters", APPROX, policy },
	{ CONF_CLUSTER, "AccountingStorageEnforce", APPROX, policy },
	{ CONF_CLUSTER, "AccountingStorageTRES", APPROX, policy },
	{ CONF_CLUSTER, "AccountingStorageType", APPROX, policy },
	{ CONF_CLUSTER, "AuthInfo", APPROX, "cred_expire, the delay of requeued jobs, is kept for policies" },
	{ CONF_CLUSTER, "BatchStartTimeout", IGNORE, "a job begins as its nodes are ready" },
	{ CONF_CLUSTER, "CompleteWait", APPROX, policy },
	{ CONF_CLUSTER, "DependencyParameters", IGNORE, "dependencies are followed as without it" },
	{ CONF_CLUSTER, "EnforcePartLimits", APPROX, policy },
	{ CONF_CLUSTER, "FirstJobId", IGNORE, "jobs have the numbers of the trace" },
	{ CONF_CLUSTER, "InactiveLimit", APPROX, policy },
	{ CONF_CLUSTER, "JobRequeue", APPROX, policy },
	{ CONF_CLUSTER, "KillWait", APPROX, policy },
	{ CONF_CLUSTER, "MaxArraySize", APPROX, policy },
	{ CONF_CLUSTER, "MaxJobCount", APPROX, policy },
	{ CONF_CLUSTER, "MaxTasksPerNode", IGNORE, "tasks of a node are not counted against it" },
	{ CONF_CLUSTER, "MCSPlugin", IGNORE, "labels do not keep jobs apart" },
	{ CONF_CLUSTER, "MCSParameters", IGNORE, "labels do not keep jobs apart" },
	{ CONF_CLUSTER, "MessageTimeout", APPROX, policy },
	{ CONF_CLUSTER, "MinJobAge", APPROX, policy },
	{ CONF_CLUSTER, "OverTimeLimit", APPROX, policy },
	{ CONF_CLUSTER, "RequeueExit", IGNORE, "exit codes put no job back" },
	{ CONF_CLUSTER, "RequeueExitHold", IGNORE, "exit codes put no job back" },
	{ CONF_CLUSTER, "ResvOverRun", APPROX, policy },
	{ CONF_CLUSTER, "ReturnToService", APPROX, policy },
	{ CONF_CLUSTER, "SlurmctldParameters", APPROX, policy },
	{ CONF_CLUSTER, "UnkillableStepTimeout", IGNORE, "every step can be killed" },
	{ CONF_CLUSTER, "DisableRootJobs", IGNORE, "root is as other users" },
	{ CONF_CLUSTER, "AllowSpecResourcesUsage", IGNORE, "specialized cores stay with the system" },
	{ CONF_CLUSTER, "FairTreeCharge", IGNORE, "jobs are charged as by default" },
	/* Power. */
	{ CONF_CLUSTER, "SuspendTime", APPROX, power },
	{ CONF_CLUSTER, "SuspendTimeout", APPROX, power },
	{ CONF_CLUSTER, "SuspendRate", APPROX, power },
	{ CONF_CLUSTER, "SuspendProgram", APPROX, power },
	{ CONF_CLUSTER, "SuspendExcNodes", APPROX, power },
	{ CONF_CLUSTER, "SuspendExcParts", APPROX, power },
	{ CONF_CLUSTER, "SuspendExcStates", IGNORE, "states keep no node on" },
	{ CONF_CLUSTER, "ResumeProgram", APPROX, power },
	{ CONF_CLUSTER, "ResumeFailProgram", IGNORE, "nodes come up, unless failures say otherwise" },
	{ CONF_CLUSTER, "ResumeRate", APPROX, power },
	{ CONF_CLUSTER, "ResumeTimeout", APPROX, power },
	{ CONF_CLUSTER, "ReconfigFlags", IGNORE, "there is no reconfiguration but by commands" },
	{ CONF_CLUSTER, "DebugFlags", IGNORE, launch },
	/* ---- The cluster: what changes jobs before they are in the queue ------------------------------- */
	{ CONF_CLUSTER, "JobSubmitPlugins", IGNORE,
		"a site's own rules at submission: what they changed is in the trace, where it was logged" },
	{ CONF_CLUSTER, "CliFilterPlugins", IGNORE, "likewise of the commands: it is in the trace" },
	{ CONF_CLUSTER, "BurstBufferType", IGNORE, "jobs do not wait for burst buffers" },
	{ CONF_CLUSTER, "BurstBufferParameters", IGNORE, "jobs do not wait for burst buffers" },
	{ CONF_CLUSTER, "FederationParameters", IGNORE, "there is one cluster" },
	{ CONF_CLUSTER, "NodeFeaturesPlugins", IGNORE, "features do not change: no job waits for a reboot" },
	{ CONF_CLUSTER, "PrioritySiteFactorPlugin", IGNORE, "a site's own factor is 0" },
	{ CONF_CLUSTER, "PrioritySiteFactorParameters", IGNORE, "a site's own factor is 0" },
	{ CONF_CLUSTER, "PowerPlugin", IGNORE, "power is not capped" },
	{ CONF_CLUSTER, "PowerParameters", IGNORE, "power is not capped" },
	{ CONF_CLUSTER, "Prolog", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "PrologSlurmctld", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "PrologFlags", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "PrologEpilogTimeout", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "PrologTimeout", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "EpilogTimeout", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "Epilog", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "EpilogSlurmctld", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "EpilogMsgTime", IGNORE, "takes no time" },
	{ CONF_CLUSTER, "HealthCheckProgram", IGNORE, "nodes fail as events=FILE says" },
	{ CONF_CLUSTER, "HealthCheckInterval", IGNORE, "nodes fail as events=FILE says" },
	{ CONF_CLUSTER, "HealthCheckNodeState", IGNORE, "nodes fail as events=FILE says" },
	{ CONF_CLUSTER, "SlurmdTimeout", IGNORE, "nodes fail as events=FILE says" },
	{ CONF_CLUSTER, "FastSchedule", IGNORE, "nodes have what the file says" },
	{ CONF_CLUSTER, "SlurmdParameters", IGNORE, "nodes have what the file says" },
	{ CONF_CLUSTER, "CoreSpecPlugin", IGNORE, "CoreSpecCount is what counts" },
	{ CONF_CLUSTER, "TaskPlugin", IGNORE, launch },
	{ CONF_CLUSTER, "TaskPluginParam", IGNORE, launch },
	/* ---- The cluster: paths, ports, launch, logs -------------------------------------------------- */
	{ CONF_CLUSTER, "AccountingStorageBackupHost", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStorageExternalHost", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStorageHost", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStorageLoc", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStorageParameters", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStoragePass", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStoragePort", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStorageUser", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStoreFlags", IGNORE, launch },
	{ CONF_CLUSTER, "AccountingStoreJobComment", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherEnergyType", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherFilesystemType", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherInfinibandType", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherInterconnectType", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherNodeFreq", IGNORE, launch },
	{ CONF_CLUSTER, "AcctGatherProfileType", IGNORE, launch },
	{ CONF_CLUSTER, "AuthAltParameters", IGNORE, launch },
	{ CONF_CLUSTER, "AuthAltTypes", IGNORE, launch },
	{ CONF_CLUSTER, "AuthType", IGNORE, launch },
	{ CONF_CLUSTER, "BackupAddr", IGNORE, launch },
	{ CONF_CLUSTER, "BackupController", IGNORE, launch },
	{ CONF_CLUSTER, "BcastExclude", IGNORE, launch },
	{ CONF_CLUSTER, "BcastParameters", IGNORE, launch },
	{ CONF_CLUSTER, "CacheGroups", IGNORE, launch },
	{ CONF_CLUSTER, "CheckpointType", IGNORE, launch },
	{ CONF_CLUSTER, "CommunicationParameters", IGNORE, launch },
	{ CONF_CLUSTER, "ControlAddr", IGNORE, launch },
	{ CONF_CLUSTER, "ControlMachine", IGNORE, launch },
	{ CONF_CLUSTER, "CpuFreqDef", IGNORE, launch },
	{ CONF_CLUSTER, "CpuFreqGovernors", IGNORE, launch },
	{ CONF_CLUSTER, "CredType", IGNORE, launch },
	{ CONF_CLUSTER, "CryptoType", IGNORE, launch },
	{ CONF_CLUSTER, "DataParserParameters", IGNORE, launch },
	{ CONF_CLUSTER, "EioTimeout", IGNORE, launch },
	{ CONF_CLUSTER, "ExtSensorsFreq", IGNORE, launch },
	{ CONF_CLUSTER, "ExtSensorsType", IGNORE, launch },
	{ CONF_CLUSTER, "FrontendName", IGNORE, launch },
	{ CONF_CLUSTER, "GetEnvTimeout", IGNORE, launch },
	{ CONF_CLUSTER, "GpuFreqDef", IGNORE, launch },
	{ CONF_CLUSTER, "GroupUpdateForce", IGNORE, launch },
	{ CONF_CLUSTER, "GroupUpdateTime", IGNORE, launch },
	{ CONF_CLUSTER, "HashPlugin", IGNORE, launch },
	{ CONF_CLUSTER, "InteractiveStepOptions", IGNORE, launch },
	{ CONF_CLUSTER, "JobAcctGatherFrequency", IGNORE, launch },
	{ CONF_CLUSTER, "JobAcctGatherParams", IGNORE, launch },
	{ CONF_CLUSTER, "JobAcctGatherType", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompHost", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompLoc", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompParams", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompPass", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompPort", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompType", IGNORE, launch },
	{ CONF_CLUSTER, "JobCompUser", IGNORE, launch },
	{ CONF_CLUSTER, "JobContainerType", IGNORE, launch },
	{ CONF_CLUSTER, "JobCredentialPrivateKey", IGNORE, launch },
	{ CONF_CLUSTER, "JobCredentialPublicCertificate", IGNORE, launch },
	{ CONF_CLUSTER, "JobFileAppend", IGNORE, launch },
	{ CONF_CLUSTER, "KeepAliveTime", IGNORE, launch },
	{ CONF_CLUSTER, "KillOnBadExit", IGNORE, launch },
	{ CONF_CLUSTER, "LaunchParameters", IGNORE, launch },
	{ CONF_CLUSTER, "LaunchType", IGNORE, launch },
	{ CONF_CLUSTER, "LogTimeFormat", IGNORE, launch },
	{ CONF_CLUSTER, "MailDomain", IGNORE, launch },
	{ CONF_CLUSTER, "MailProg", IGNORE, launch },
	{ CONF_CLUSTER, "MaxDBDMsgs", IGNORE, launch },
	{ CONF_CLUSTER, "MaxBatchRequeue", IGNORE, launch },
	{ CONF_CLUSTER, "MaxJobId", IGNORE, launch },
	{ CONF_CLUSTER, "MaxNodeCount", IGNORE, "nodes that register by themselves are not known" },
	{ CONF_CLUSTER, "MaxStepCount", IGNORE, launch },
	{ CONF_CLUSTER, "MemLimitEnforce", IGNORE, launch },
	{ CONF_CLUSTER, "MpiDefault", IGNORE, launch },
	{ CONF_CLUSTER, "MpiParams", IGNORE, launch },
	{ CONF_CLUSTER, "PluginDir", IGNORE, launch },
	{ CONF_CLUSTER, "PlugStackConfig", IGNORE, launch },
	{ CONF_CLUSTER, "PrEpParameters", IGNORE, launch },
	{ CONF_CLUSTER, "PrEpPlugins", IGNORE, launch },
	{ CONF_CLUSTER, "PrivateData", IGNORE, launch },
	{ CONF_CLUSTER, "ProctrackType", IGNORE, launch },
	{ CONF_CLUSTER, "PropagatePrioProcess", IGNORE, launch },
	{ CONF_CLUSTER, "PropagateResourceLimits", IGNORE, launch },
	{ CONF_CLUSTER, "PropagateResourceLimitsExcept", IGNORE, launch },
	{ CONF_CLUSTER, "RebootProgram", IGNORE, launch },
	{ CONF_CLUSTER, "ResvEpilog", IGNORE, launch },
	{ CONF_CLUSTER, "ResvProlog", IGNORE, launch },
	{ CONF_CLUSTER, "RoutePlugin", IGNORE, launch },
	{ CONF_CLUSTER, "SallocDefaultCommand", IGNORE, launch },
	{ CONF_CLUSTER, "SbcastParameters", IGNORE, launch },
	{ CONF_CLUSTER, "SchedulerAuth", IGNORE, launch },
	{ CONF_CLUSTER, "SchedulerPort", IGNORE, launch },
	{ CONF_CLUSTER, "SchedulerRootFilter", IGNORE, launch },
	{ CONF_CLUSTER, "ScronParameters", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmUser", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldAddr", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldDebug", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldHost", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldLogFile", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldPidFile", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldPlugstack", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldPort", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldPrimaryOffProg", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldPrimaryOnProg", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldSyslogDebug", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmctldTimeout", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdDebug", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdLogFile", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdPidFile", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdPort", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdSpoolDir", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdSyslogDebug", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmdUser", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmSchedLogFile", IGNORE, launch },
	{ CONF_CLUSTER, "SlurmSchedLogLevel", IGNORE, launch },
	{ CONF_CLUSTER, "SrunEpilog", IGNORE, launch },
	{ CONF_CLUSTER, "SrunPortRange", IGNORE, launch },
	{ CONF_CLUSTER, "SrunProlog", IGNORE, launch },
	{ CONF_CLUSTER, "StateSaveLocation", IGNORE, launch },
	{ CONF_CLUSTER, "SwitchParameters", IGNORE, launch },
	{ CONF_CLUSTER, "SwitchType", IGNORE, launch },
	{ CONF_CLUSTER, "TaskEpilog", IGNORE, launch },
	{ CONF_CLUSTER, "TaskProlog", IGNORE, launch },
	{ CONF_CLUSTER, "TCPTimeout", IGNORE, launch },
	{ CONF_CLUSTER, "TLSParameters", IGNORE, launch },
	{ CONF_CLUSTER, "TLSType", IGNORE, launch },
	{ CONF_CLUSTER, "TmpFS", IGNORE, launch },
	{ CONF_CLUSTER, "TrackWCKey", IGNORE, launch },
	{ CONF_CLUSTER, "TreeWidth", IGNORE, launch },
	{ CONF_CLUSTER, "UnkillableStepProgram", IGNORE, launch },
	{ CONF_CLUSTER, "UsePAM", IGNORE, launch },
	{ CONF_CLUSTER, "VSizeFactor", IGNORE, launch },
	{ CONF_CLUSTER, "WaitTime", IGNORE, launch },
	{ CONF_CLUSTER, "X11Parameters", IGNORE, launch },
	/* ---- Nodes ----------------------------------------------------------------------------------- */
	{ CONF_NODE, "NodeName", MODEL, NULL },
	{ CONF_NODE, "Boards", MODEL, NULL },
	{ CONF_NODE, "CPUs", MODEL, NULL },
	{ CONF_NODE, "Procs", MODEL, NULL },
	{ CONF_NODE, "Sockets", MODEL, NULL },
	{ CONF_NODE, "SocketsPerBoard", MODEL, NULL },
	{ CONF_NODE, "CoresPerSocket", MODEL, NULL },
	{ CONF_NODE, "ThreadsPerCore", MODEL, NULL },
	{ CONF_NODE, "CoreSpecCount", MODEL, NULL },
	{ CONF_NODE, "CPUSpecList", APPROX, "so many cores are kept, whichever they are" },
	{ CONF_NODE, "MemSpecLimit", MODEL, NULL },
	{ CONF_NODE, "RealMemory", MODEL, NULL },
	{ CONF_NODE, "TmpDisk", MODEL, NULL },
	{ CONF_NODE, "Gres", MODEL, NULL },
	{ CONF_NODE, "Feature", MODEL, NULL },
	{ CONF_NODE, "Features", MODEL, NULL },
	{ CONF_NODE, "Weight", APPROX, "followed with place=slurm and place=weight" },
	{ CONF_NODE, "State", MODEL, NULL },
	{ CONF_NODE, "Reason", MODEL, NULL },
	{ CONF_NODE, "CpuBind", IGNORE, launch },
	{ CONF_NODE, "BcastAddr", IGNORE, launch },
	{ CONF_NODE, "NodeAddr", IGNORE, launch },
	{ CONF_NODE, "NodeHostname", IGNORE, launch },
	{ CONF_NODE, "Port", IGNORE, launch },
	{ CONF_NODE, "TRESWeights", IGNORE, launch },
	{ CONF_NODE, "RestrictedCoresPerGPU", IGNORE, "cores near GPUs are for every job" },
	{ CONF_NODE, "Topology", IGNORE, "topology.conf says where the node hangs" },
	{ CONF_NODE, "Parameters", IGNORE, launch },
	/* ---- Partitions -------------------------------------------------------------------------------- */
	{ CONF_PARTITION, "PartitionName", MODEL, NULL },
	{ CONF_PARTITION, "Nodes", MODEL, NULL },
	{ CONF_PARTITION, "Default", MODEL, NULL },
	{ CONF_PARTITION, "MaxTime", MODEL, NULL },
	{ CONF_PARTITION, "DefaultTime", MODEL, NULL },
	{ CONF_PARTITION, "MaxNodes", MODEL, NULL },
	{ CONF_PARTITION, "MinNodes", MODEL, NULL },
	{ CONF_PARTITION, "MaxCPUsPerNode", APPROX, written },
	{ CONF_PARTITION, "MaxCPUsPerSocket", APPROX,
		"kept for policies that follow it; others give out all of a socket" },
	{ CONF_PARTITION, "DefMemPerCPU", MODEL, NULL },
	{ CONF_PARTITION, "DefMemPerNode", MODEL, NULL },
	{ CONF_PARTITION, "DefMemPerGPU", MODEL, NULL },
	{ CONF_PARTITION, "DefCPUPerGPU", MODEL, NULL },
	{ CONF_PARTITION, "JobDefaults", MODEL, NULL },
	{ CONF_PARTITION, "MaxMemPerCPU", APPROX, placing },
	{ CONF_PARTITION, "MaxMemPerNode", APPROX, placing },
	{ CONF_PARTITION, "OverSubscribe", APPROX,
		"EXCLUSIVE is modelled; the others are followed with place=slurm" },
	{ CONF_PARTITION, "Shared", APPROX,
		"EXCLUSIVE is modelled; the others are followed with place=slurm" },
	{ CONF_PARTITION, "ExclusiveUser", APPROX, placing },
	{ CONF_PARTITION, "Exclusive", APPROX, "USER is followed; TOPO is kept for policies" },
	{ CONF_PARTITION, "LLN", APPROX, placing },
	{ CONF_PARTITION, "State", MODEL, NULL },
	{ CONF_PARTITION, "PriorityTier", APPROX, sharing },
	{ CONF_PARTITION, "PriorityJobFactor", APPROX, policy },
	{ CONF_PARTITION, "Priority", APPROX, sharing },
	{ CONF_PARTITION, "Hidden", MODEL, NULL },
	{ CONF_PARTITION, "RootOnly", APPROX, who },
	{ CONF_PARTITION, "SelectTypeParameters", APPROX, "kept for policies; the cluster's counts" },
	{ CONF_PARTITION, "PreemptMode", APPROX, sharing },
	{ CONF_PARTITION, "GraceTime", APPROX, policy },
	{ CONF_PARTITION, "OverTimeLimit", APPROX, policy },
	{ CONF_PARTITION, "QOS", APPROX, policy },
	{ CONF_PARTITION, "QoS", APPROX, policy },
	{ CONF_PARTITION, "ReqResv", IGNORE, "jobs without a reservation are let in" },
	{ CONF_PARTITION, "TRESBillingWeights", APPROX, policy },
	{ CONF_PARTITION, "Alternate", IGNORE, "a job stays in the partition that it asks for" },
	{ CONF_PARTITION, "AllowAccounts", APPROX, who },
	{ CONF_PARTITION, "AllowGroups", APPROX, who },
	{ CONF_PARTITION, "AllowQos", APPROX, who },
	{ CONF_PARTITION, "DenyAccounts", APPROX, who },
	{ CONF_PARTITION, "DenyQos", APPROX, who },
	{ CONF_PARTITION, "DisableRootJobs", IGNORE, "root is as other users" },
	{ CONF_PARTITION, "AllocNodes", IGNORE, "from where a job was submitted is not known" },
	{ CONF_PARTITION, "CpuBind", IGNORE, launch },
	{ CONF_PARTITION, "PowerDownOnIdle", IGNORE, "idle nodes are powered down after SuspendTime" },
	{ CONF_PARTITION, "SuspendTime", APPROX, power },
	{ CONF_PARTITION, "SuspendTimeout", APPROX, power },
	{ CONF_PARTITION, "ResumeTimeout", APPROX, power },
	{ CONF_PARTITION, "Topology", IGNORE, "there is one topology" },
	/* Of scontrol show partition. */
	{ CONF_PARTITION, "TotalCPUs", IGNORE, moment },
	{ CONF_PARTITION, "TotalNodes", IGNORE, moment },
	{ CONF_PARTITION, "TRES", IGNORE, moment },
	/* ---- What else slurm.conf names -----------------------------------------------------------------
	 */
	{ CONF_DOWN, "DownNodes", MODEL, NULL },
	{ CONF_DOWN, "State", MODEL, NULL },
	{ CONF_DOWN, "Reason", MODEL, NULL },
	{ CONF_NODESET, "NodeSet", MODEL, NULL },
	{ CONF_NODESET, "Feature", MODEL, NULL },
	{ CONF_NODESET, "Nodes", MODEL, NULL },
	{ CONF_OTHER, "FrontendName", IGNORE, launch },
	{ CONF_OTHER, "FrontendAddr", IGNORE, launch },
	{ CONF_OTHER, "AllowGroups", IGNORE, launch },
	{ CONF_OTHER, "AllowUsers", IGNORE, launch },
	{ CONF_OTHER, "DenyGroups", IGNORE, launch },
	{ CONF_OTHER, "DenyUsers", IGNORE, launch },
	{ CONF_OTHER, "Port", IGNORE, launch },
	{ CONF_OTHER, "Reason", IGNORE, launch },
	{ CONF_OTHER, "State", IGNORE, launch },
	{ CONF_OTHER, "RingName", IGNORE, "rings are not known: nodes are chosen as without a topology" },
	{ CONF_OTHER, "Nodes", IGNORE, "rings are not known" },
	/* ---- gres.conf ----------------------------------------------------------------------------------
	 */
	{ CONF_GRES, "NodeName", MODEL, NULL },
	{ CONF_GRES, "Name", MODEL, NULL },
	{ CONF_GRES, "Type", MODEL, NULL },
	{ CONF_GRES, "Count", MODEL, NULL },
	{ CONF_GRES, "Cores", APPROX, placing },
	{ CONF_GRES, "CPUs", APPROX, "taken as Cores, as Slurm does" },
	{ CONF_GRES, "File", MODEL, NULL },
	{ CONF_GRES, "Files", MODEL, NULL },
	{ CONF_GRES, "MultipleFiles", APPROX, "one device, as Slurm has it; its parts are not known" },
	{ CONF_GRES, "Link", APPROX, "kept for policies: links do not choose devices" },
	{ CONF_GRES, "Links", APPROX, "kept for policies: links do not choose devices" },
	{ CONF_GRES, "Flags", APPROX,
		"kept for policies: sharing among many jobs is counted in units alone" },
	{ CONF_GRES, "AutoDetect", APPROX,
		"what slurmd would find is not known: counts and types are those of the nodes' Gres, and all cores are "
		"as near" },
	/* ---- topology.conf --------------------------------------------------------------------------------
	 */
	{ CONF_SWITCH, "SwitchName", MODEL, NULL },
	{ CONF_SWITCH, "Nodes", MODEL, NULL },
	{ CONF_SWITCH, "Switches", MODEL, NULL },
	{ CONF_SWITCH, "LinkSpeed", IGNORE, "not used by Slurm either" },
	{ CONF_SWITCH, "Level", IGNORE, "follows from what hangs on the switch" },
	{ CONF_BLOCK, "BlockName", MODEL, NULL },
	{ CONF_BLOCK, "Nodes", MODEL, NULL },
	{ CONF_BLOCK, "BlockSizes", APPROX, policy },
	{ CONF_BLOCK, "BlockSize", APPROX, policy },
	{ CONF_BLOCK, "BlockIndex", IGNORE, moment },
	/* ---- scontrol show reservation, license ----------------------------------------------------------
	 */
	{ CONF_RESERVATION, "ReservationName", MODEL, NULL },
	{ CONF_RESERVATION, "StartTime", MODEL, NULL },
	{ CONF_RESERVATION, "EndTime", MODEL, NULL },
	{ CONF_RESERVATION, "Duration", MODEL, NULL },
	{ CONF_RESERVATION, "Nodes", MODEL, NULL },
	{ CONF_RESERVATION, "Users", MODEL, NULL },
	{ CONF_RESERVATION, "Accounts", MODEL, NULL },
	{ CONF_RESERVATION, "Flags", MODEL, NULL },
	{ CONF_RESERVATION, "NodeCnt", IGNORE, "follows from the nodes" },
	{ CONF_RESERVATION, "CoreCnt", APPROX, "a reservation holds whole nodes" },
	{ CONF_RESERVATION, "Groups", IGNORE, "groups of users are not known" },
	{ CONF_RESERVATION, "Features", IGNORE, "the nodes are chosen" },
	{ CONF_RESERVATION, "PartitionName", IGNORE, "the nodes are chosen" },
	{ CONF_RESERVATION, "TRES", IGNORE, "follows from the nodes" },
	{ CONF_RESERVATION, "Licenses", APPROX, policy },
	{ CONF_RESERVATION, "State", IGNORE, moment },
	{ CONF_RESERVATION, "BurstBuffer", IGNORE, "jobs do not wait for burst buffers" },
	{ CONF_RESERVATION, "Watts", IGNORE, "power is not capped" },
	{ CONF_RESERVATION, "MaxStartDelay", APPROX, policy },
	{ CONF_RESERVATION, "NodeName", IGNORE, "a reservation holds whole nodes" },
	{ CONF_RESERVATION, "CoreIDs", APPROX, "a reservation holds whole nodes" },
	{ CONF_RESERVATION, "Comment", IGNORE, launch },
	{ CONF_LICENSE, "LicenseName", APPROX, policy },
	{ CONF_LICENSE, "Total", APPROX, policy },
	{ CONF_LICENSE, "Used", IGNORE, moment },
	{ CONF_LICENSE, "Free", IGNORE, moment },
	{ CONF_LICENSE, "Reserved", IGNORE, moment },
	{ CONF_LICENSE, "Remote", IGNORE, moment },
};

const struct conf_key *conf_key_find(enum conf_kind kind, const char *key)
{
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (keys[i].kind == kind && (keys[i].key[0] | 0x20) == (key[0] | 0x20) &&
			conf_same(keys[i].key, key))
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
	const char *near = conf->suggestions++ < SUGGESTIONS_MAX ? sl_nearest(text, known) : NULL;
	const char *said = near ? conf_printf(&conf->mem, "did you mean '%s'?", near) : NULL;
	return said ? said : "";
}

static const char *unknown_note(struct conf *conf, enum conf_kind kind, const char *key)
{
	const char *known[SL_LEN(keys) + 1];
	size_t count = 0;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (keys[i].kind == kind)
			known[count++] = keys[i].key;
	known[count] = NULL;
	const char *said = conf_suggest(conf, key, known);
	return *said ? said : NULL;
}

int conf_tell_other(struct conf *conf, const struct sl_setting *setting)
{
	return conf->sink->setting ? conf->sink->setting(conf->sink->self, setting, conf->err) : SL_OK;
}

/* Who follows it, if not everybody; NULL. */
static const char *followers_of(const struct conf_key *key)
{
	if (key->note == policy || key->note == power || key->note == who)
		return CONF_BY_SLURM;
	if (key->note == memory || key->note == switches || key->note == written)
		return CONF_BY_PLACE ", *";
	return key->note == placing || key->note == sharing ? CONF_BY_PLACE : NULL;
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

int conf_tell(struct conf *conf, enum conf_kind kind, const char *name, struct conf_pair *pair, bool observed)
{
	const struct conf_key *key = conf_key_find(kind, pair->key);
	if (!key && observed) /* What scontrol adds in some version is no key of a file. */
		return SL_OK;
	const char *other = other_plugin(kind, pair);
	const char *by = key && !other ? followers_of(key) : NULL;
	const int status = conf_tell_other(conf, &(struct sl_setting){ .kind = kind_name(kind),
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
	return checked || !options ? checked : conf_options_tell(conf, pair->value, pair->at);
}

int conf_tell_line(struct conf *conf, struct conf_line *line)
{
	const bool named = line->kind != CONF_CLUSTER && line->kind != CONF_OTHER;
	const char *name = named && line->count ? line->pair[0].value : "";
	int status = SL_OK;
	if (line->kind == CONF_GRES) {
		const char *nodes = conf_value_of(line, "NodeName");
		name = nodes ? nodes : "";
	}
	for (uint32_t i = 0; i < line->count && !status; i++) {
		if (!line->pair[i].told)
			status = conf_tell(conf, line->kind, name, &line->pair[i], line->observed);
		line->pair[i].told = true;
	}
	return status;
}
