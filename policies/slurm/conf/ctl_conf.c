/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_conf.c - slurm.conf as slurmctld 22.05 reads it: SchedulerParameters and other keys of the cluster,
 * with their defaults (slurm.conf(5)). Partitions and TRES are ctl_conf_parts.c's, priorities ctl_prio.c's.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/conf/ctl_conf.h"

struct ctl_conf {
	struct param {
		const char *key, *value; /* value "": a flag. */
	} * sched;
	size_t sched_count;
};

/* ---- Keys ---------------------------------------------------------------------------------------------- */

const char *ctl_conf_text(const struct ctl *c, const char *key)
{
	return sl_setting_of(c->cluster, "cluster", "", key);
}

int64_t ctl_conf_number(const struct ctl *c, const char *key, int64_t otherwise)
{
	const char *text = ctl_conf_text(c, key);
	int64_t value;
	return text && sl_get_i64(text, strlen(text), &value) ? value : otherwise;
}

/* Slurm's times: "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours[:minutes[:seconds]]". */
static int64_t ctl_conf_seconds(const char *text, int64_t otherwise)
{
	int64_t part[4] = { 0 }; /* Days, hours, minutes, seconds. */
	size_t first = 2;
	size_t count = 0;
	int64_t number[3];
	if (!text || !*text)
		return otherwise;
	if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0 ||
		strcmp(text, "-1") == 0)
		return CTL_NEVER;
	const size_t dash = strcspn(text, "-");
	if (text[dash]) {
		if (!sl_get_i64(text, dash, &part[0]))
			return otherwise;
		text += dash + 1;
		first = 1;
	}
	for (bool more = true; more && count < SL_LEN(number); text++) {
		const size_t len = strcspn(text, ":");
		if (!sl_get_i64(text, len, &number[count++]))
			return otherwise;
		text += len;
		more = *text == ':';
	}
	if (first == 2 && count == 3)
		first = 1;
	for (size_t i = 0; i < count && first + i < 4; i++)
		part[first + i] = number[i];
	for (size_t i = 0; i < 4; i++)
		if (part[i] < 0 || part[i] > INT32_MAX)
			return otherwise;
	return ((part[0] * 24 + part[1]) * 60 + part[2]) * 60 + part[3];
}

bool ctl_conf_has(const char *list, const char *word)
{
	const size_t len = strlen(word);
	for (const char *at = list; at && *at; at += *at == ',') {
		const size_t size = strcspn(at, ",");
		if (size == len && strncasecmp(at, word, len) == 0)
			return true;
		at += size;
	}
	return false;
}

/* ---- SchedulerParameters ------------------------------------------------------------------------------- */

/* Parameters of the policy that stand for one of SchedulerParameters. */
static const char *const given[] = { "bf_window", "bf_resolution", "bf_interval", "bf_max_job_test",
	"bf_max_job_user", "bf_max_job_part", "default_queue_depth", "sched_interval" };

static int ctl_conf_parts_of(
	struct ctl *c, struct ctl_conf *conf, const struct sl_setup *setup, const char *text)
{
	size_t count = 1 + SL_LEN(given);
	for (const char *at = text; *at; at++)
		count += *at == ',';
	conf->sched = sl_alloc(c->arena, count, sizeof(*conf->sched));
	/* These come first, which is what counts. */
	for (size_t i = 0; conf->sched && setup->values && i < SL_LEN(given); i++) {
		const struct sl_value *value = sl_value_of(setup->values, setup->value_count, given[i]);
		if (value && value->text)
			conf->sched[conf->sched_count++] = (struct param){ given[i], value->text };
	}
	for (const char *at = text; conf->sched && *at; at += *at == ',') {
		const size_t len = strcspn(at, ",");
		const char *equals = memchr(at, '=', len);
		const size_t key = equals ? (size_t)(equals - at) : len;
		struct param *p = &conf->sched[conf->sched_count++];
		p->key = sl_strdup(c->arena, at, key);
		p->value = equals ? sl_strdup(c->arena, equals + 1, len - key - 1) : "";
		if (!p->key || !p->value)
			return SL_SYSTEM;
		at += len;
	}
	return conf->sched ? SL_OK : SL_SYSTEM;
}

/* The first counts: slurmctld looks for it in the text. */
static const char *ctl_sched_param(const struct ctl *c, const char *key)
{
	for (size_t i = 0; i < c->conf->sched_count; i++)
		if (strcasecmp(c->conf->sched[i].key, key) == 0)
			return c->conf->sched[i].value;
	return NULL;
}

/* Slurm's numbers go to 2^32: what is out of bounds counts as not set. */
static const struct {
	const char *key;
	size_t at;
	int64_t otherwise, min, max;
} numbers[] = {
#define NUMBER(key, field, otherwise, min, max)                              \
	{                                                                    \
		key, offsetof(struct ctl_params, field), otherwise, min, max \
	}
	NUMBER("batch_sched_delay", batch_sched_delay, 3, 0, INT32_MAX),
	NUMBER("default_queue_depth", default_queue_depth, 100, 0, INT32_MAX),
	NUMBER("partition_job_depth", partition_job_depth, 0, 0, INT32_MAX),
	NUMBER("sched_interval", sched_interval, 60, -1, INT32_MAX),
	NUMBER("sched_min_interval", sched_min_interval_us, 2, 0, INT32_MAX),
	NUMBER("sched_max_job_start", sched_max_job_start, 0, 0, INT32_MAX),
	NUMBER("bf_interval", bf_interval, 30, -1, 10800),
	NUMBER("bf_window", bf_window_min, 1440, 1, 43200),
	NUMBER("bf_resolution", bf_resolution, 60, 1, 3600),
	NUMBER("bf_max_job_test", bf_max_job_test, 500, 1, 1000000),
	NUMBER("bf_max_job_user", bf_max_job_user, 0, 0, 1000000),
	NUMBER("bf_max_job_part", bf_max_job_part, 0, 0, 1000000),
	NUMBER("bf_max_job_user_part", bf_max_job_user_part, 0, 0, 1000000),
	NUMBER("bf_max_job_assoc", bf_max_job_assoc, 0, 0, 1000000),
	NUMBER("bf_max_job_start", bf_max_job_start, 0, 0, 10000),
	NUMBER("bf_job_part_count_reserve", bf_job_part_count_reserve, 0, 0, 100000),
	NUMBER("bf_min_age_reserve", bf_min_age_reserve, 0, 0, 2592000),
	NUMBER("bf_min_prio_reserve", bf_min_prio_reserve, 0, 0, UINT32_MAX),
	NUMBER("bf_max_job_array_resv", bf_max_job_array_resv, 20, 0, 1000),
	NUMBER("bf_window_linear", bf_window_linear, 0, 0, INT32_MAX),
	NUMBER("preempt_reorder_count", preempt_reorder_count, 1, 0, INT32_MAX),
	NUMBER("max_switch_wait", max_switch_wait, 300, 0, INT32_MAX),
#undef NUMBER
};

static const struct {
	const char *key;
	size_t at;
} flags[] = {
#define FLAG(field)                                        \
	{                                                  \
#field, offsetof(struct ctl_params, field) \
	}
	FLAG(bf_continue),
	FLAG(bf_one_resv_per_job),
	FLAG(bf_running_job_reserve),
	FLAG(bf_allow_magnetic_slot),
	FLAG(bf_hetjob_immediate),
	FLAG(whole_hetjob),
	FLAG(bf_licenses),
	FLAG(bf_busy_nodes),
	FLAG(assoc_limit_stop),
	FLAG(reduce_completing_frag),
	FLAG(pack_serial_at_end),
	FLAG(defer),
	FLAG(nohold_on_prolog_fail),
	FLAG(enable_user_top),
	FLAG(preempt_youngest_first),
	FLAG(preempt_strict_order),
#undef FLAG
};

static int64_t ctl_conf_number_of(
	const struct ctl *c, const char *key, int64_t otherwise, int64_t min, int64_t max)
{
	const char *text = ctl_sched_param(c, key);
	int64_t value;
	if (!text || !sl_get_i64(text, strlen(text), &value) || value < min || value > max)
		return otherwise;
	return value;
}

/* bf_hetjob_prio; bf_hetjob_immediate alone sets it to min. Another word is none. */
static enum ctl_het_prio het_prio_of(const struct ctl *c)
{
	static const struct {
		const char *word;
		enum ctl_het_prio prio;
	} words[] = { { "min", CTL_HET_PRIO_MIN }, { "max", CTL_HET_PRIO_MAX }, { "avg", CTL_HET_PRIO_AVG } };
	const char *text = ctl_sched_param(c, "bf_hetjob_prio");
	for (size_t i = 0; text && i < SL_LEN(words); i++)
		if (strcasecmp(text, words[i].word) == 0)
			return words[i].prio;
	return c->params.bf_hetjob_immediate ? CTL_HET_PRIO_MIN : CTL_HET_PRIO_NONE;
}

static void take_sched(struct ctl *c)
{
	struct ctl_params *p = &c->params;
	for (size_t i = 0; i < SL_LEN(numbers); i++)
		*(int64_t *)(void *)((char *)p + numbers[i].at) = ctl_conf_number_of(
			c, numbers[i].key, numbers[i].otherwise, numbers[i].min, numbers[i].max);
	for (size_t i = 0; i < SL_LEN(flags); i++)
		*(bool *)(void *)((char *)p + flags[i].at) = ctl_sched_param(c, flags[i].key) != NULL;
	p->whole_hetjob = p->whole_hetjob || ctl_sched_param(c, "whole_pack"); /* Its name before. */
	p->bf_hetjob_prio = het_prio_of(c);
	p->bf_node_space_size = ctl_conf_number_of(c, "bf_node_space_size", p->bf_max_job_test, 2, 2000000);
	if (ctl_sched_param(c, "bf_licenses")) /* It wants the running ones, too. */
		p->bf_running_job_reserve = true;
	/* slurmctld looks for the word in the text: "defer_batch" has it, too; batch jobs are alike for both.
	 */
	p->defer = p->defer || ctl_sched_param(c, "defer_batch");
	p->time_min_as_soft_limit = p->version >= CTL_23_11 && ctl_sched_param(c, "time_min_as_soft_limit");
	p->extra_constraints = p->version >= CTL_23_11 && ctl_sched_param(c, "extra_constraints");
	if (p->bf_max_job_assoc) /* Of both, it takes precedence. */
		p->bf_max_job_user = 0;
	const char *type = ctl_conf_text(c, "SchedulerType");
	p->builtin = type && strcasecmp(type, "sched/builtin") == 0;
	if (p->bf_interval < 0)
		p->bf_interval = -1;
}

/* ---- Preemption ---------------------------------------------------------------------------------------- */

enum ctl_preempt_mode ctl_conf_preempt_mode(const char *text)
{
	static const struct {
		const char *word;
		enum ctl_preempt_mode mode;
	} modes[] = { { "SUSPEND", CTL_PREEMPT_SUSPEND }, { "ON", CTL_PREEMPT_SUSPEND },
		{ "REQUEUE", CTL_PREEMPT_REQUEUE }, { "CANCEL", CTL_PREEMPT_CANCEL },
		{ "OFF", CTL_PREEMPT_OFF }, { "CLUSTER", CTL_PREEMPT_OFF } };
	for (size_t i = 0; i < SL_LEN(modes); i++)
		if (ctl_conf_has(text, modes[i].word))
			return modes[i].mode;
	return CTL_PREEMPT_NOT_SAID;
}

static void take_preempt(struct ctl *c)
{
	struct ctl_params *p = &c->params;
	const char *type = ctl_conf_text(c, "PreemptType");
	const char *mode = ctl_conf_text(c, "PreemptMode");
	p->preempt_by_part = type && strcasecmp(type, "preempt/partition_prio") == 0;
	p->preempt_by_qos = type && strcasecmp(type, "preempt/qos") == 0;
	p->gang = ctl_conf_has(mode, "GANG");
	p->preempt_mode = ctl_conf_preempt_mode(mode);
	if (p->preempt_mode == CTL_PREEMPT_NOT_SAID)
		p->preempt_mode = CTL_PREEMPT_OFF;
	p->preempt_exempt_time = ctl_conf_seconds(ctl_conf_text(c, "PreemptExemptTime"), 0);
	if (p->preempt_exempt_time == CTL_NEVER) /* -1: off. */
		p->preempt_exempt_time = 0;
}

/* ---- The rest ------------------------------------------------------------------------------------------ */

int64_t ctl_conf_over_time(const char *text, int64_t otherwise)
{
	int64_t value;
	if (text && (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0))
		return CTL_NEVER;
	return text && sl_get_i64(text, strlen(text), &value) && value >= 0 ? value : otherwise;
}

/* AuthInfo=cred_expire=SECONDS: a requeued job waits until its old credential is void, and a second more. */
static int64_t requeue_delay(const struct ctl *c)
{
	enum { CRED_LIFE = 120 };
	static const char key[] = "cred_expire=";
	const char *info = ctl_conf_text(c, "AuthInfo");
	for (const char *at = info; at && *at; at += strspn(at, ",;\"")) {
		const size_t len = strcspn(at, ",;\""); /* Quotes of "a","b" are letters of it. */
		int64_t value;
		if (len >= sizeof(key) && strncasecmp(at, key, sizeof(key) - 1) == 0 &&
			sl_get_i64(at + sizeof(key) - 1, len - sizeof(key) + 1, &value) && value > 0)
			return value + 1;
		at += len;
	}
	return CRED_LIFE + 1;
}

/* PriorityType: of 23.11 on the default is multifactor, before it basic (DEFAULT_PRIORITY_TYPE). */
bool ctl_conf_multifactor(const struct ctl *c)
{
	const char *type = ctl_conf_text(c, "PriorityType");
	return type ? strcasecmp(type, "priority/multifactor") == 0 : c->params.version >= CTL_23_11;
}

/* requeue_delay of 25.11, in place of the credential's life (batch_requeue_fini). */
static int64_t requeue_after(const struct ctl *c)
{
	const char *text = ctl_sched_param(c, "requeue_delay");
	int64_t value;
	if (c->params.version >= CTL_25_11 && text && sl_get_i64(text, strlen(text), &value) && value >= 0 &&
		value <= INT32_MAX)
		return value + 1;
	return requeue_delay(c);
}

static int64_t part_limits(const char *text)
{
	if (!text || strcasecmp(text, "NO") == 0)
		return 0;
	return strcasecmp(text, "ANY") == 0 ? 1 : 2;
}

static void take_enforce(struct ctl *c)
{
	struct ctl_params *p = &c->params;
	const char *list = ctl_conf_text(c, "AccountingStorageEnforce");
	const char *type = ctl_conf_text(c, "AccountingStorageType");
	const bool all = ctl_conf_has(list, "all") || ctl_conf_has(list, "1");
	p->has_dbd = type && strcasecmp(type, "accounting_storage/slurmdbd") == 0;
	p->enforce_safe = all || ctl_conf_has(list, "safe");
	p->enforce_limits = p->enforce_safe || ctl_conf_has(list, "limits");
	p->enforce_qos = all || ctl_conf_has(list, "qos");
	p->enforce_nojobs = ctl_conf_has(list, "nojobs");
	p->enforce_assoc = p->enforce_limits || p->enforce_qos || ctl_conf_has(list, "associations") ||
			   ctl_conf_has(list, "wckeys");
}

static void take_rest(struct ctl *c)
{
	struct ctl_params *p = &c->params;
	p->time_slice = ctl_conf_number(c, "SchedulerTimeSlice", 30);
	p->kill_wait = ctl_conf_number(c, "KillWait", 30);
	p->complete_wait = ctl_conf_number(c, "CompleteWait", 0);
	p->over_time_min = ctl_conf_over_time(ctl_conf_text(c, "OverTimeLimit"), 0);
	p->inactive_limit = ctl_conf_number(c, "InactiveLimit", 0);
	p->kill_invalid_depend =
		ctl_conf_has(ctl_conf_text(c, "DependencyParameters"), "kill_invalid_depend");
	p->requeue = ctl_conf_number(c, "JobRequeue", 1) != 0;
	p->requeue_delay = requeue_after(c);
	p->enforce_part_limits = part_limits(ctl_conf_text(c, "EnforcePartLimits"));
	p->max_array = ctl_conf_number(c, "MaxArraySize", 1001);
	p->max_job_count = ctl_conf_number(c, "MaxJobCount", 10000);
	p->multifactor = ctl_conf_multifactor(c);
	take_enforce(c);
}

int ctl_conf_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	c->conf = sl_alloc(c->arena, 1, sizeof(*c->conf));
	if (!c->conf)
		return sl_fail_memory(err);
	const char *params = ctl_conf_text(c, "SchedulerParameters");
	if (ctl_conf_parts_of(c, c->conf, setup, params ? params : ""))
		return sl_fail_memory(err);
	take_sched(c);
	take_preempt(c);
	take_rest(c);
	return ctl_conf_parts(c, err);
}
