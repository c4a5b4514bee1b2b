/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_release.c - the release of slurmctld that decides: the parameter's; else the one that the files say
 * (SLURM_VERSION of scontrol show config and of JSON's meta, which sacct and squeue print, too); else one
 * that sites run today. Where no parameter says it, the run does.
 */
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl.h"

static const char *const names[] = { "22.05", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05" };
static const enum ctl_version releases[] = { CTL_22_05, CTL_23_11, CTL_24_05, CTL_24_11, CTL_25_05, CTL_25_11,
	CTL_26_05 };
enum { RELEASE_ELSE = 3 };

/* "24.11.5", "slurm-wlm 24.11.5": the last of our releases that is not behind it, or the first. False: it
 * says no release. */
static bool release_of(const char *text, size_t *release)
{
	const char *major = text + strcspn(text, "0123456789");
	const size_t len = strspn(major, "0123456789");
	const char *minor = major + len + (major[len] == '.');
	int64_t year, month;
	if (major[len] != '.' || !sl_get_i64(major, len, &year) ||
		!sl_get_i64(minor, strspn(minor, "0123456789"), &month) || year > 99 || month > 12)
		return false;
	*release = 0;
	for (size_t i = 0; i < SL_LEN(releases); i++)
		if ((int64_t)releases[i] <= year * 100 + month)
			*release = i;
	return true;
}

bool ctl_release_make(struct ctl *c, const struct sl_setup *setup, const struct sl_value *value)
{
	char text[400];
	size_t release = RELEASE_ELSE;
	const char *said = sl_setting_of(setup->cluster, "cluster", "", "SLURM_VERSION");
	if (value->text) {
		c->params.version = releases[value->number];
		return true;
	}
	const bool known = said && release_of(said, &release);
	c->params.version = releases[release];
	(void)snprintf(text, sizeof(text), "slurm: decides as slurmctld %s%s%.100s%s", names[release],
		said ? ": SLURM_VERSION is " : ": no file says which release ran", said ? said : "",
		known ? "" : "; slurm:version=RELEASE says it");
	c->release_said = sl_strdup(c->arena, text, strlen(text));
	return c->release_said;
}

void ctl_release_say(struct ctl *c)
{
	if (c->release_said && c->engine.pass)
		sl_say(c->engine.pass, c->release_said);
	c->release_said = NULL;
}
