/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_place.c - a node scorer in Lua: score(node, task), the least first; ties as `ties` says.
 *
 * It is called once for nodes with the same free resources, and remembered: so the score may depend on its
 * arguments alone. It has an interpreter of its own.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "policies/lua/lua_parts.h"
#include "policies/lua/lua_sim.h"

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct sl_script *script = sl_param_script(setup, "place");
	struct lua_sim *sim = sl_alloc(setup->arena, 1, sizeof(*sim));
	if (!sim)
		return sl_fail_memory(err);
	if (!script)
		script = sl_param_script(setup, NULL);
	if (!script)
		return sl_fail(err, SL_USAGE, "place=lua needs its script: place=lua:FILE");
	const int status = luaw_open(sim, setup, script, err);
	*state = sim;
	if (luaw_early(sim, status, err))
		return SL_OK;
	if (!status && luaw_takes(sim, "score", NULL) < 0)
		(void)sl_fail(err, SL_INPUT, "%s: has no function score(node, task): place=lua:FILE asks it",
			sl_script_path(script));
	return err->status;
}

static void lua_place_release(void *state)
{
	if (state)
		luaw_close(state);
}

static void set_amount(lua_State *L, const char *key, int64_t amount, int64_t parts)
{
	push_amount(L, amount, parts);
	lua_setfield(L, -2, key);
}

/* Memory without bound is infinite. */
static void set_memory(lua_State *L, const char *key, int64_t mib)
{
	if (mib >= SL_MEM_UNBOUNDED / 2)
		lua_pushnumber(L, (double)INFINITY);
	else
		lua_pushinteger(L, mib);
	lua_setfield(L, -2, key);
}

static int64_t lua_place_gpus_of(const struct sl_cluster *cluster, const int64_t *amount)
{
	int64_t gpus = 0;
	for (uint32_t i = SL_KIND_GPUS; i < cluster->kind_count; i++)
		gpus += amount[i];
	return gpus;
}

/* { type, cpus, mem, gpus; cpus_free, mem_free, gpus_free; devices = { free of each } } */
static void push_node(lua_State *L, const struct sl_node_class *class)
{
	const struct sl_cluster *cluster = class->cluster;
	const struct sl_node_type *type = &cluster->type[class->type];
	lua_createtable(L, 0, 9);
	lua_pushstring(L, type->name ? type->name : "");
	lua_setfield(L, -2, "type");
	set_amount(L, "cpus", type->amount[SL_KIND_CPUS], cluster->cpu_parts);
	set_memory(L, "mem", type->amount[SL_KIND_MEM]);
	set_amount(L, "gpus", lua_place_gpus_of(cluster, type->amount), cluster->gpu_parts);
	set_amount(L, "cpus_free", class->free[SL_KIND_CPUS], cluster->cpu_parts);
	set_memory(L, "mem_free", class->free[SL_KIND_MEM]);
	set_amount(L, "gpus_free", lua_place_gpus_of(cluster, class->free), cluster->gpu_parts);
	lua_createtable(L, (int)type->device_count, 0);
	for (uint32_t i = 0; class->device && i < type->device_count; i++) {
		/* Of a divided one a bit for each free slice, of eight. */
		const bool divided = type->device[i].mig;
		push_amount(L, divided ? __builtin_popcountll((uint64_t) class->device[i]) : class->device[i],
			divided ? SL_MIG_SLICES : cluster->gpu_parts);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_setfield(L, -2, "devices");
}

/* { cpus, mem, gpus } of one task; tasks: how many would go there. */
static void push_task(
	lua_State *L, const struct sl_cluster *cluster, const struct sl_group *group, uint32_t tasks)
{
	lua_createtable(L, 0, 5);
	set_amount(L, "cpus", group->task.cpus, cluster->cpu_parts);
	set_memory(L, "mem", group->task.mem);
	set_amount(L, "gpus", group->task.gpus, cluster->gpu_parts);
	lua_pushinteger(L, tasks);
	lua_setfield(L, -2, "tasks");
	lua_pushinteger(L, group->tasks);
	lua_setfield(L, -2, "of");
}

static int lua_place_refuse(struct lua_sim *sim)
{
	int line = 0;
	(void)luaw_takes(sim, "score", &line);
	luaw_fail(sim, line, "score() did not return a number that is finite");
	return 0;
}

static int64_t score(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	struct lua_sim *sim = state;
	double key = 0;
	if (!luaw_good(sim) || !luaw_function(sim, "score"))
		return 0;
	sim->draw.what =
		"score"; /* The same for all: what is remembered must not depend on which call is first. */
	push_node(sim->L, class);
	push_task(sim->L, class->cluster, group, tasks);
	if (!luaw_call(sim, "score", 2, 1))
		return 0;
	const bool good = lua_type(sim->L, -1) == LUA_TNUMBER &&
			  luaw_quantise(lua_tonumber(sim->L, -1), &key) && fabs(key) < 0x1p62;
	lua_settop(sim->L, 0);
	return good ? (int64_t)floor(key + 0.5) : lua_place_refuse(sim);
}

const struct sl_node_scorer place_lua = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "lua",
	.summary = "score(node, task) of a script in Lua: place=lua:FILE",
	.paper = "the script's own",
	.devices = true,
	.init = init,
	.release = lua_place_release,
	.score = score,
};
