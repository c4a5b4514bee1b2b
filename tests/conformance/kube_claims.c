/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_claims.c - which devices claims have at the end of a step, as they were recorded and as ours.
 */
#include "policies/kube/kube_dra.h"
#include "tests/conformance/kube_case.h"

#include <stdlib.h>
#include <string.h>

/* "request=driver/pool/device {consumed}", by claim. */
static char *recorded_devices(const struct kube_case *c, const struct sl_doc_node *claims)
{
	char *all = NULL;
	SL_DOC_EACH (claim, &c->doc, claims)
		SL_DOC_EACH (one, &c->doc, claim) {
			const char *text = sl_doc_word(&c->doc, one), *equals = strchr(text, '=');
			const char *name = equals ? equals + 1 : text;
			told_add(&all, "%s%.*s", all ? " " : "", (int)strcspn(name, " "), name);
		}
	told_sort(&all);
	return all;
}

static char *our_devices(const struct kube *k)
{
	char *all = NULL;
	for (uint32_t i = 0; k->dra && i < k->dra->devices; i++)
		for (uint32_t user = 0; user < k->dra->device[i].users; user++) {
			const struct dra_device *device = &k->dra->device[i];
			told_add(&all, "%s%s/%s/%s", all ? " " : "", device->seen.driver,
				k->dra->pool[device->pool].name, device->name);
		}
	told_sort(&all);
	return all;
}

bool claims_same(struct kube_case *c, const struct sl_doc_node *claims, char **theirs, char **ours)
{
	if (!claims || claims->kind == SL_DOC_MAP) /* Else "same". */
		c->claims = claims;
	*theirs = recorded_devices(c, c->claims);
	*ours = our_devices(&c->k);
	return told_same(*theirs, *ours);
}
