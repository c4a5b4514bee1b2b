/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_parts.h - what of scripts in Lua the registry has, and the policy that every whole script is.
 */
#ifndef SL_LUA_PARTS_H
#define SL_LUA_PARTS_H

#include "sim/plugin.h"

extern const struct sl_policy lua_policy; /* Without a name: a script's own takes its place. */
extern const struct sl_scripting lua_scripting;
extern const struct sl_node_scorer place_lua;

#endif
