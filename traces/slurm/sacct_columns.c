/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_columns.c - the columns of sacct(1) by name, in any case: those that are used, and what the others
 * hold.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/sacct.h"

static const struct {
	const char *name;
	uint8_t column, kind;
} columns[] = {
	{ "JobID", SACCT_JOBID, SACCT_ID },
	{ "JobIDRaw", SACCT_JOBIDRAW, SACCT_ID },
	{ "User", SACCT_USER, SACCT_ANY },
	{ "UID", SACCT_UID, SACCT_NUMBER },
	{ "Account", SACCT_ACCOUNT, SACCT_ANY },
	{ "Partition", SACCT_PARTITION, SACCT_ANY },
	{ "QOS", SACCT_QOS, SACCT_ANY },
	{ "Submit", SACCT_SUBMIT, SACCT_DATE },
	{ "Eligible", SACCT_ELIGIBLE, SACCT_DATE },
	{ "Start", SACCT_START, SACCT_DATE },
	{ "End", SACCT_END, SACCT_DATE },
	{ "Elapsed", SACCT_ELAPSED, SACCT_DURATION },
	{ "ElapsedRaw", SACCT_ELAPSEDRAW, SACCT_NUMBER },
	{ "Suspended", SACCT_SUSPENDED, SACCT_DURATION },
	{ "Timelimit", SACCT_TIMELIMIT, SACCT_DURATION },
	{ "TimelimitRaw", SACCT_TIMELIMITRAW, SACCT_DURATION },
	{ "State", SACCT_STATE, SACCT_STATE_WORD },
	{ "ExitCode", SACCT_EXITCODE, SACCT_DURATION },
	{ "Reason", SACCT_REASON, SACCT_ANY },
	{ "NNodes", SACCT_NNODES, SACCT_NUMBER },
	{ "AllocNodes", SACCT_NNODES, SACCT_NUMBER },
	{ "ReqNodes", SACCT_REQNODES, SACCT_NUMBER },
	{ "NCPUS", SACCT_NCPUS, SACCT_NUMBER },
	{ "AllocCPUS", SACCT_NCPUS, SACCT_NUMBER },
	{ "ReqCPUS", SACCT_REQCPUS, SACCT_NUMBER },
	{ "ReqMem", SACCT_REQMEM, SACCT_ANY },
	{ "ReqTRES", SACCT_REQTRES, SACCT_TRES },
	{ "AllocTRES", SACCT_ALLOCTRES, SACCT_TRES },
	{ "NodeList", SACCT_NODELIST, SACCT_ANY },
	{ "Constraints", SACCT_CONSTRAINTS, SACCT_TEXT },
	{ "Reservation", SACCT_RESERVATION, SACCT_ANY },
	{ "Dependency", SACCT_DEPENDENCY, SACCT_ANY },
	{ "JobName", SACCT_JOBNAME, SACCT_TEXT },
	{ "SubmitLine", SACCT_SUBMITLINE, SACCT_TEXT },
	/* Not used; what they hold helps to tell where the others are. */
	{ "AdminComment", SACCT_OTHER, SACCT_TEXT },
	{ "AssocID", SACCT_OTHER, SACCT_NUMBER },
	{ "Cluster", SACCT_CLUSTER, SACCT_ANY },
	{ "Comment", SACCT_OTHER, SACCT_TEXT },
	{ "ConsumedEnergy", SACCT_OTHER, SACCT_ANY },
	{ "ConsumedEnergyRaw", SACCT_OTHER, SACCT_NUMBER },
	{ "Container", SACCT_OTHER, SACCT_TEXT },
	{ "CPUTime", SACCT_OTHER, SACCT_DURATION },
	{ "CPUTimeRAW", SACCT_OTHER, SACCT_NUMBER },
	{ "DBIndex", SACCT_OTHER, SACCT_NUMBER },
	{ "DerivedExitCode", SACCT_OTHER, SACCT_DURATION },
	{ "Extra", SACCT_OTHER, SACCT_TEXT },
	{ "Flags", SACCT_OTHER, SACCT_ANY },
	{ "GID", SACCT_OTHER, SACCT_NUMBER },
	{ "Group", SACCT_OTHER, SACCT_ANY },
	{ "NTasks", SACCT_OTHER, SACCT_NUMBER },
	{ "Planned", SACCT_OTHER, SACCT_DURATION },
	{ "Priority", SACCT_OTHER, SACCT_NUMBER },
	{ "QOSRAW", SACCT_OTHER, SACCT_NUMBER },
	{ "ReservationId", SACCT_OTHER, SACCT_NUMBER },
	{ "Reserved", SACCT_OTHER, SACCT_DURATION },
	{ "ResvCPU", SACCT_OTHER, SACCT_DURATION },
	{ "ResvCPURAW", SACCT_OTHER, SACCT_NUMBER },
	{ "StdErr", SACCT_OTHER, SACCT_TEXT },
	{ "StdIn", SACCT_OTHER, SACCT_TEXT },
	{ "StdOut", SACCT_OTHER, SACCT_TEXT },
	{ "SystemComment", SACCT_OTHER, SACCT_TEXT },
	{ "SystemCPU", SACCT_OTHER, SACCT_DURATION },
	{ "TotalCPU", SACCT_OTHER, SACCT_DURATION },
	{ "TRESUsageInTot", SACCT_OTHER, SACCT_TRES },
	{ "TRESUsageInAve", SACCT_OTHER, SACCT_TRES },
	{ "TRESUsageInMax", SACCT_OTHER, SACCT_TRES },
	{ "TRESUsageOutTot", SACCT_OTHER, SACCT_TRES },
	{ "TRESUsageOutAve", SACCT_OTHER, SACCT_TRES },
	{ "UserCPU", SACCT_OTHER, SACCT_DURATION },
	{ "WCKeyID", SACCT_OTHER, SACCT_NUMBER },
	{ "WorkDir", SACCT_OTHER, SACCT_TEXT },
};

static size_t find(const char *name, size_t len)
{
	size_t i = 0;
	while (i < SL_LEN(columns) &&
		(strlen(columns[i].name) != len || strncasecmp(columns[i].name, name, len) != 0))
		i++;
	return i;
}

enum sacct_column sacct_column_of(const char *name, size_t len)
{
	const size_t i = find(name, len);
	return i < SL_LEN(columns) ? columns[i].column : SACCT_OTHER;
}

enum sacct_kind sacct_kind_of(const char *name, size_t len)
{
	const size_t i = find(name, len);
	return i < SL_LEN(columns) ? columns[i].kind : SACCT_ANY;
}
