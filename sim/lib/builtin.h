/* SPDX-License-Identifier: GPL-3.0-or-later */
/* builtin.h - the registry of a program, or of a session of the library, as it begins. */
#ifndef SL_BUILTIN_H
#define SL_BUILTIN_H

#include "sim/registry/registry.h"

/* With all that is built in. */
int registry_make(struct registry *registry, struct sl_err *err);

#endif
