/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * builtin.c - what is built in: the one place that names the rooms of plug-ins.
 *
 * Each room lists its own in its *_registry.c, as a plug-in from outside does. Whoever makes a registry
 * begins here, and hands it on; so nobody below knows which policies, readers or reports there are.
 */
#include "sim/lib/builtin.h"

extern const struct sl_plugin policies_builtin, traces_builtin, models_builtin, reports_builtin;

int registry_make(struct registry *registry, struct sl_err *err)
{
	static const struct sl_plugin *const builtin[] = { &policies_builtin, &traces_builtin,
		&models_builtin, &reports_builtin };
	return registry_init(registry, builtin, SL_LEN(builtin), err);
}
