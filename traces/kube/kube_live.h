/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_live.h - a dump of a live cluster (kubectl get -o yaml) as a moment: what runs now, what waits, and
 * whom to ask why one job does.
 */
#ifndef SL_KUBE_LIVE_H
#define SL_KUBE_LIVE_H

#include "traces/kube/kube_jobs.h"

enum kube_live_by { LIVE_KUEUE, LIVE_RUNAI, LIVE_KUBE };
struct kube_live {
	struct kube_file file;
	struct kube_owners owners;
	const struct sl_object *asked; /* As it was named. */
	const struct sl_object
		*waits;       /* What waits of it: a Workload, a PodGroup, a Pod, or it. NULL: nothing. */
	enum kube_live_by by; /* Who decides about that. */
	char id[2 * KUBE_NAME_MAX + 4]; /* As the moment calls it. */
	char state[800];                /* What it is in, where nothing of it waits. */
	size_t pods, pods_waiting;      /* Of it, in the dump. */
	bool topology;                  /* Kueue places in topologies: nodes count. */
};

/* How sure that the file is a dump, by its first bytes: 0..100. */
int kube_live_sniff(const char *text, size_t len);
/* name: "namespace/name", or a name that is the only one. SL_USAGE: there is none. Released whatever happens.
 */
int kube_live_read(struct sl_input *in, const char *name, struct kube_live *live, struct sl_err *err);
void kube_live_release(struct kube_live *live);

/* The moment, as a cluster and a trace: what runs comes at zero, what waits a second apart, by age; `until`
 * is the second in which all of it has come. `without`: but for this object; NULL. more: one more object of
 * the cluster, as JSON; NULL. */
struct kube_moment {
	struct manifest_text cluster, trace;
	/* Of each line of a text the object of the dump; NULL: `more`. malloc. */
	const struct sl_object **cluster_line, **trace_line;
	size_t cluster_lines, trace_lines;
	sl_time until;
	size_t running, waiting;
};
int kube_live_write(const struct kube_live *live, const struct kube_change *change,
	const struct sl_object *without, const char *more, struct kube_moment *moment, struct sl_err *err);
void kube_moment_release(struct kube_moment *moment);

/* A Workload with status.admission as one that holds what that says from its submission on
 * (the annotation schedlab/admitted); NULL of anything else. To be freed. */
int kube_admitted(const char *manifest, char **admitted, struct sl_err *err);

/* Is the condition of that type True, and what does it say? */
bool kube_live_is(const struct sl_object *object, const char *type);
const char *kube_live_message(const struct sl_object *object, const char *type); /* NULL: nothing. */
/* A Workload or Pod that has its place now. */
bool kube_live_runs(const struct kube_live *live, const struct sl_object *object);

#endif
