/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * builtin.c - what is built in: the one place that names the folders of plug-ins.
 *
 * Each folder lists its own in its *_registry.c, as a shared-object plug-in does. A registry is made here,
 * and passed on; so no file below depends on which policies, readers or reports there are.
 */
#include "sim/lib/builtin.h"

extern const struct sl_plugin policies_builtin, traces_builtin, models_builtin, reports_builtin;

int registry_make(struct registry *registry, struct sl_err *err)
{
	static const struct sl_plugin *const builtin[] = { &policies_builtin, &traces_builtin,
		&models_builtin, &reports_builtin };
	return registry_init(registry, builtin, SL_LEN(builtin), err);
}
