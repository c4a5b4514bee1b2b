/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_flags.c - flags of cluster-autoscaler and Karpenter by their own names: of an object
 * AutoscalerFlags (schedlab/v1) that has the program's name, or of a Deployment one of whose containers runs
 * it; and values of objects.
 */
#include "policies/kube/elastic/elastic.h"

#include <stdio.h>
#include <string.h>

#define PROVISIONING_MAX (366 * 24 * 3600 * SL_SECOND)

/* ---- Values -------------------------------------------------------------------------------------- */

/* As Go writes them ("1h30m"), and ours (90, 2m). Also "0s". */
static bool get_time(const char *text, bool never, sl_time *value)
{
	sl_time sum = 0;
	if (never && strcmp(text, "Never") == 0) {
		*value = SL_NEVER;
		return true;
	}
	if (sl_get_duration(text, strlen(text), value))
		return *value >= 0 && *value <= SL_NEVER / 4;
	while (*text) {
		const size_t digits = strspn(text, "0123456789.");
		const size_t len = digits + strcspn(text + digits, "0123456789.");
		sl_time part;
		if (!digits || !sl_get_duration(text, len, &part) || part < 0 || part > SL_NEVER / 4 ||
			sum > SL_NEVER / 4)
			return false;
		sum += part;
		text += len;
	}
	*value = sum;
	return true;
}

int elastic_time(
	const struct sl_object *object, const char *path, bool never, sl_time *value, struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(object->doc, object->node, path);
	const char *text = sl_doc_word(object->doc, at);
	if (!at || (text && *text && get_time(text, never, value)))
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, at);
	return sl_fail_at(
		err, &place, "'%s' has to be a duration (90, 2m, 1h30m%s)", path, never ? ", Never" : "");
}

int elastic_provisioning(const struct sl_object *object, sl_time *value, struct sl_err *err)
{
	const int status = elastic_time(object, "spec.provisioning", false, value, err);
	if (status || *value <= PROVISIONING_MAX)
		return status;
	const struct sl_place place =
		sl_doc_place(object->doc, sl_doc_at(object->doc, object->node, "spec.provisioning"));
	return sl_fail_at(err, &place, "'spec.provisioning' is at most 366 days");
}

/* Part of a metric's name, so one word of letters. */
int elastic_currency(struct kube_scaler *s, const struct sl_object *object, struct sl_err *err)
{
	enum { CURRENCY_MAX = 40 };
	const struct sl_doc_node *at = sl_doc_at(object->doc, object->node, "spec.currency");
	const char *text = sl_doc_word(object->doc, at);
	size_t len = 0;
	if (!at)
		return SL_OK;
	while (text && ((text[len] >= 'A' && text[len] <= 'Z') || (text[len] >= 'a' && text[len] <= 'z')))
		len++;
	if (!len || text[len] || len > CURRENCY_MAX) {
		const struct sl_place place = sl_doc_place(object->doc, at);
		return sl_fail_at(err, &place, "'spec.currency' has to be a word of letters, as EUR");
	}
	s->currency = text;
	return SL_OK;
}

int elastic_spec(const struct sl_object *object, struct sl_err *err)
{
	const struct sl_doc_node *spec = sl_doc_member(object->doc, object->node, "spec");
	const struct sl_place place = sl_doc_place(object->doc, spec ? spec : object->node);
	return spec && spec->kind == SL_DOC_MAP
		       ? SL_OK
		       : sl_fail_at(err, &place, "'spec' of a %.40s has to be a map of its fields",
				 object->kind);
}

int elastic_micro(const struct sl_object *object, const char *path, int64_t *value, struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(object->doc, object->node, path);
	const char *text = sl_doc_word(object->doc, at);
	if (!at || (text && sl_get_micro(text, strlen(text), value) && *value >= 0))
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, at);
	return sl_fail_at(err, &place, "'%s' has to be a number, 0 or more", path);
}

/* ---- Flags --------------------------------------------------------------------------------------- */

struct flags {
	struct kube *k;
	const char *program;
	const struct elastic_flag *flag;
	size_t count;
	int (*each)(void *self, const char *text, const struct sl_place *at, struct sl_err *err);
	void *self;
	char left_out[400]; /* Those that are not followed. */
	struct sl_err *err;
};

static bool take_value(struct flags *f, const struct elastic_flag *flag, const char *text)
{
	const size_t len = strlen(text);
	switch (flag->kind) {
	case ELASTIC_TIME:
		return get_time(text, false, flag->value);
	case ELASTIC_INT:
		return sl_get_i64(text, len, flag->value);
	case ELASTIC_SHARE:
		return sl_get_micro(text, len, flag->value) && *flag->value >= 0;
	case ELASTIC_BOOL:
		*flag->value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
		return *flag->value || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
	case ELASTIC_WORD:
		*flag->word = sl_strdup(f->k->arena, text, len);
		return *flag->word != NULL;
	}
	return false;
}

static void leave_out(struct flags *f, const char *name, size_t len)
{
	const size_t used = strlen(f->left_out);
	if (used + len + 3 < sizeof(f->left_out))
		(void)snprintf(f->left_out + used, sizeof(f->left_out) - used, "%s%.*s", used ? ", " : "",
			(int)len, name);
}

static int take_flag(struct flags *f, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	const char *text = sl_doc_word(doc, node);
	const struct sl_place at = sl_doc_place(doc, node);
	if (!text || text[0] != '-')
		return SL_OK;
	text += strspn(text, "-");
	const size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : "true";
	if (f->each && len == 5 && memcmp(text, "nodes", 5) == 0)
		return f->each(f->self, value, &at, f->err);
	for (size_t i = 0; i < f->count; i++) {
		if (strlen(f->flag[i].name) != len || memcmp(f->flag[i].name, text, len) != 0)
			continue;
		return take_value(f, &f->flag[i], value)
			       ? SL_OK
			       : sl_fail_at(f->err, &at, "flag --%.*s of %s: '%.60s' is not such a value",
					 (int)len, text, f->program, value);
	}
	leave_out(f, text, len);
	return SL_OK;
}

static int take_list(struct flags *f, const struct sl_doc *doc, const struct sl_doc_node *list)
{
	int status = SL_OK;
	SL_DOC_EACH (at, doc, list)
		if (!status)
			status = take_flag(f, doc, at);
	return status;
}

/* "./cluster-autoscaler" runs it; an image's entry point does where its name has it. */
static bool runs(const struct flags *f, const struct sl_doc *doc, const struct sl_doc_node *container)
{
	const char *image = sl_doc_word(doc, sl_doc_member(doc, container, "image"));
	const char *name = sl_doc_word(doc, sl_doc_member(doc, container, "name"));
	SL_DOC_EACH (at, doc, sl_doc_member(doc, container, "command"))
		if (sl_doc_word(doc, at) && strstr(sl_doc_word(doc, at), f->program))
			return true;
	return (image && strstr(image, f->program)) || (name && strcmp(name, f->program) == 0);
}

static int take_deployment(struct flags *f, const struct sl_object *object)
{
	int status = SL_OK;
	SL_DOC_EACH (at, object->doc, sl_doc_at(object->doc, object->node, "spec.template.spec.containers")) {
		if (!runs(f, object->doc, at))
			continue;
		if (!status)
			status = take_list(f, object->doc, sl_doc_member(object->doc, at, "command"));
		if (!status)
			status = take_list(f, object->doc, sl_doc_member(object->doc, at, "args"));
	}
	return status;
}

int elastic_flags_read(struct kube *k, const struct sl_setup *setup, const char *program,
	const struct elastic_flag *flag, size_t count,
	int (*each)(void *self, const char *text, const struct sl_place *at, struct sl_err *err), void *self,
	struct sl_err *err)
{
	struct flags f = { k, program, flag, count, each, self, "", err };
	int status = SL_OK;
	for (uint32_t i = 0; i < k->cluster->object_count && !status; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		if (strcmp(object->kind, "AutoscalerFlags") == 0 && strcmp(object->name, program) == 0)
			status = take_list(
				&f, object->doc, sl_doc_at(object->doc, object->node, "spec.flags"));
		else if (strcmp(object->kind, "Deployment") == 0)
			status = take_deployment(&f, object);
	}
	if (!status && *f.left_out) {
		char text[600];
		(void)snprintf(
			text, sizeof(text), "flags of %s that are not followed: %s", program, f.left_out);
		sl_warning(setup, text);
	}
	return status;
}
