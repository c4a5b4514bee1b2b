/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_parts.h - what the registry needs of scripts in Lua, and the policy of every whole script.
 */
#ifndef SL_LUA_PARTS_H
#define SL_LUA_PARTS_H

#include "sim/plugin.h"

extern const struct sl_policy lua_policy; /* Without a name: a script's own replaces it. */
extern const struct sl_scripting lua_scripting;
extern const struct sl_node_scorer place_lua;

#endif
