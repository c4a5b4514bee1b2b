/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_lua.c - scripts in Lua: each rule by a script of a few lines, on four jobs that are worked by hand.
 *
 * Four cpus. Job 1 (3 cpus, 100 s) runs from 0 on; job 2 (4, 50 s) comes at 10, job 3 (1, 60 s) at 20, job 4
 * (1, 100 s) at 30. In order: 0, 100, 150, 150. With EASY job 3 starts at 20, as it ends at 80, before job 2
 * can start.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"
#include "tests/world/trace_run.h"

static const char four[] = "; Version: 2.2\n"
			   "; MaxProcs: 4\n"
			   "1  0 -1 100 3 -1 -1 3 100 -1 1 1 1 -1 1 1 -1 -1\n"
			   "2 10 -1  50 4 -1 -1 4  50 -1 1 2 1 -1 1 1 -1 -1\n"
			   "3 20 -1  60 1 -1 -1 1  60 -1 1 1 1 -1 1 1 -1 -1\n"
			   "4 30 -1 100 1 -1 -1 1 200 -1 1 2 1 -1 1 1 -1 -1\n";

#define FCFS                                                    \
	"function pass(s)\n"                                    \
	"  local job = s:first()\n"                             \
	"  while job and s:start(job) do job = s:first() end\n" \
	"  if job then s:head(job) end\n"                       \
	"end\n"

struct scripted {
	struct registry registry;
	struct trace_run run;
	char script[32];
};

/* policy: "%s" stands for the script's path. script: its text, or the path of one that is there. A status. */
static int run_with(struct scripted *t, const char *policy, const char *script, const struct sim_options *how)
{
	static const char *const none[] = { NULL };
	char text[200];
	char name[40];
	memset(t, 0, sizeof(*t));
	int status = trace_load(&t->run, four, none);
	SL_CHECK(!status && !registry_make(&t->registry, &t->run.err));
	const bool is_path = script[0] == '/';
	(void)snprintf(
		name, sizeof(name), "%s", is_path ? script : memfile(t->script, script, strlen(script)));
	const char *gap = strstr(policy, "%s");
	(void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(gap - policy), policy, name, gap + 2);
	status = registry_add_policy(&t->registry, text, &t->run.err);
	if (!status)
		status = policy_choose(&t->registry, &t->run.choice, text, &t->run.settings,
			t->run.settings.arena, &t->run.err);
	struct sim_options options = *how;
	options.scenario = &t->run.scenario;
	options.choice = &t->run.choice;
	return status ? status : sim_run(&t->run.sim, &options, &t->run.err);
}

static int run(struct scripted *t, const char *policy, const char *script)
{
	return run_with(t, policy, script, &(struct sim_options){ .check = true });
}

static void release(struct scripted *t)
{
	trace_release(&t->run);
	registry_release(&t->registry);
}

static void expect_starts(struct scripted *t, int status, const char *about, const int64_t *start)
{
	if (status)
		cr_expect_fail("%s: %s", about, t->run.err.text);
	for (uint32_t row = 0; row < 4 && !status; row++) {
		const sl_time found = t->run.sim.result.start[row];
		if (found != start[row] * SL_SECOND)
			cr_expect_fail("%s: job %u started at %lld s, not %lld", about, row + 1,
				(long long)(found / SL_SECOND), (long long)start[row]);
	}
	release(t);
}

static const struct {
	const char *about, *policy, *script;
	int64_t start[4];
} schedules[] = {
	{ "in order", "lua:%s", FCFS, { 0, 100, 150, 150 } },
	{ "EASY", "lua:%s",
		"function pass(s)\n"
		"  local head = s:first()\n"
		"  while head and s:start(head) do head = s:first() end\n"
		"  if not head then return end\n"
		"  local shadow = s:shadow(head)\n"
		"  assert(shadow.at == 100 or s.now ~= 20)\n"
		"  local job = s:next_fit(head, shadow)\n"
		"  while job do s:start(job) job = s:next_fit(job, shadow) end\n"
		"end\n",
		{ 0, 100, 20, 150 } },
	{ "whoever fits", "lua:%s", "function pass(s) for job in s:queue() do s:start(job) end end",
		{ 0, 180, 20, 80 } },
	{ "an order for the whole policy: small ones first", "lua:%s",
		"function order(job) return job.size end\n" FCFS, { 0, 180, 20, 80 } },
	{ "tried and taken back, then tried and kept", "lua:%s",
		"function pass(s)\n"
		"  for job in s:queue() do\n"
		"    local free = s:free()\n"
		"    assert(not s:try(function() s:start(job) return false end))\n"
		"    assert(s:free() == free and job.waits)\n"
		"    s:try(s.start, s, job)\n"
		"  end\n"
		"end\n",
		{ 0, 180, 20, 80 } },
	{ "an error takes it back, too", "lua:%s",
		"function pass(s)\n"
		"  for job in s:queue() do\n"
		"    assert(not pcall(s.try, s, function() s:start(job) error('no') end))\n"
		"    assert(job.waits)\n"
		"    s:start(job)\n"
		"  end\n"
		"end\n",
		{ 0, 180, 20, 80 } },
	{ "everyone is promised a start", "lua:%s",
		"uses = { 'promises' }\n"
		"function pass(s) s:promise_all() s:start_due() end\n",
		{ 0, 100, 20, 150 } },
	{ "a wake-up", "lua:%s",
		"function pass(s)\n"
		"  if s.now < 40 then s:wake(40) return end\n"
		"  for job in s:queue() do s:start(job) end\n"
		"end\n",
		{ 40, 200, 40, 100 } },
	{ "a timer with a tag, set by an event, told to on_event", "lua:%s",
		"local open = false\n"
		"function on_event(e, s)\n"
		"  if e.type == 'submit' and e.job.id == 1 then s:timer(60, 7) end\n"
		"  if e.type == 'timer' then assert(e.tag == 7 and e.time == 60) open = true end\n"
		"end\n"
		"function pass(s)\n"
		"  if not open then return end\n"
		"  for job in s:queue() do s:start(job) end\n"
		"end\n",
		{ 60, 220, 60, 120 } },
	{ "a ledger counts in a pass, and is taken back with it", "lua:%s",
		"ledgers = { started = 1 }\n"
		"function pass(s)\n"
		"  s:try(function() s:add('started', 1, 100) end)\n"
		"  for job in s:queue() do\n"
		"    if s:get('started', 1) < 2 or s.now >= 200 then\n"
		"      if s:start(job) then s:add('started', 1, 1) end\n"
		"    end\n"
		"  end\n"
		"  if s.now < 200 then s:wake(200) end\n"
		"end\n",
		{ 0, 200, 20, 250 } },
	{ "preempted: job 1 makes room for job 2", "lua:%s",
		"uses = { 'preempt' }\n"
		"function pass(s)\n"
		"  for job in s:queue() do\n"
		"    if job.id == 2 and not s:fits(job) then\n"
		"      for other in s:running() do s:preempt(other, 'checkpoint') end\n"
		"    end\n"
		"    s:start(job)\n"
		"  end\n"
		"end\n",
		{ 0, 10, 60, 120 } },
	{ "a part: order", "sjf:order=lua:%s", "function order(job) return job.limit end",
		{ 0, 100, 150, 150 } },
	{ "a part: an order that looks at the clock is asked in each pass", "sjf:order=lua:%s",
		"function order(job, now)\n"
		"  if now < 100 then return job.submit end\n"
		"  return -job.submit\n"
		"end\n",
		{ 0, 200, 100, 100 } },
	{ "a part: fill, of who overtakes", "easy:fill=lua:%s", "function fill(job) return -job.submit end",
		{ 0, 100, 20, 150 } },
	{ "a part: estimate: job 4 is taken to run for 20 s", "easy:estimate=lua:%s",
		"function estimate(job) if job.id == 4 then return 20 end end", { 0, 180, 20, 80 } },
	{ "a part: admit, by time and by no", "greedy:admit=lua:%s",
		"function admit(job, now)\n"
		"  if job.id == 1 then return 15 end\n"
		"  if job.id == 4 then return now >= 110 end\n"
		"end\n",
		{ 60, 10, 60, 120 } },
};

Test(lua, schedules_by_hand)
{
	for (size_t i = 0; i < SL_LEN(schedules); i++) {
		struct scripted t;
		const int status = run(&t, schedules[i].policy, schedules[i].script);
		expect_starts(&t, status, schedules[i].about, schedules[i].start);
	}
}

#define NOTHING "function pass(s) end\n"

static const struct {
	const char *about, *policy, *script;
	int status;
	const char *says;
} refused[] = {
	{ "syntax", "lua:%s", "function pass(s)\n  x = = 3\nend", SL_INPUT, ":2: unexpected symbol" },
	{ "bytecode", "lua:%s", "\x1bLuaT", SL_INPUT, "binary" },
	{ "no pass", "lua:%s", "function order(job) return 1 end", SL_INPUT, "has no function pass(s)" },
	{ "fails as it is read", "lua:%s", "\nerror('no')\n" NOTHING, SL_INPUT, ":2: no" },
	{ "a part without its function", "easy:order=lua:%s", NOTHING, SL_INPUT,
		"has no function order(job, now)" },
	{ "order and plan without an order", "recorded:order=lua:%s", "function order(job) return 1 end",
		SL_USAGE, "means nothing under plan=recorded" },
	{ "fill looks at the clock: never asked with it", "fcfs:fill=lua:%s",
		"function fill(job) return 1 end", SL_USAGE, "fill=lua" },
	{ "fails in a run", "lua:%s", "function pass(s)\n  local x\n  x.y = 1\nend", SL_POLICY,
		":3: attempt to index" },
	{ "nan", "easy:order=lua:%s", "\nfunction order(job) return 0/0 end", SL_POLICY,
		":2: order() of job 1 returned nan" },
	{ "infinite", "easy:order=lua:%s", "function order(job) return 1e308 * 10 end", SL_POLICY,
		"infinite" },
	{ "no number", "easy:order=lua:%s", "function order(job) end", SL_POLICY, "did not return a number" },
	{ "no answer at all", "easy:order=lua:%s", "function order(job) return {} end", SL_POLICY,
		"neither a number" },
	{ "answers otherwise the second time", "easy:order=lua:%s",
		"n = 0\nfunction order(job) n = n + 1 return n end", SL_POLICY, "was asked twice" },
	{ "keeps state in a pass", "lua:%s",
		"n = 0\nfunction pass(s) n = n + 1 for job in s:queue() do if n % 2 == 0 then s:start(job) end end end",
		SL_POLICY, "made again at 0 s, and did otherwise" },
	{ "a loop without end", "lua:%s",
		"limits = { instructions = 1 }\nfunction pass(s)\n  while true do end\nend", SL_POLICY,
		":3: pass() goes on for more than 1 million instructions" },
	{ "a loop that catches its errors", "lua:%s",
		"limits = { instructions = 1 }\nfunction pass(s)\n  while true do pcall(error) end\nend",
		SL_POLICY, "more than 1 million instructions" },
	{ "memory", "lua:%s",
		"limits = { memory = 2 }\nfunction pass(s) local t = {} for i = 1, 1e7 do t[i] = i end end",
		SL_POLICY, "needs more than 2 MiB" },
	{ "a bad limit", "lua:%s", "limits = { memory = 'much' }\n" NOTHING, SL_INPUT, "limits.memory" },
	{ "a bad use", "lua:%s", "uses = { 'magic' }\n" NOTHING, SL_INPUT, "'magic' is not one of" },
	{ "a command without its use", "lua:%s", "function pass(s) s:preempt(s:first()) end", SL_POLICY,
		"needs uses = { \"preempt\" }" },
	{ "a command outside a pass", "lua:%s", "function on_event(e, s) s:start(e.job) end\n" NOTHING,
		SL_POLICY, "belongs into pass(s)" },
	{ "the run time", "easy:order=lua:%s", "function order(job) return job.run end", SL_POLICY,
		"clairvoyant" },
	{ "no such field", "easy:order=lua:%s", "function order(job) return job.length end", SL_POLICY,
		"a job has no field 'length'" },
	{ "a job is written to", "easy:order=lua:%s", "function order(job) job.mark = 1 return 1 end",
		SL_POLICY, "not to be set" },
	{ "no such method", "lua:%s", "function pass(s) s:begin() end", SL_POLICY, "a pass has no 'begin'" },
	{ "no such reason", "lua:%s", "function pass(s) s:reason(s:first(), 'Tired') end", SL_POLICY,
		"'Tired'" },
	{ "pairs over objects", "lua:%s",
		"function pass(s)\n  local t = { [s:first()] = 1 }\n  for k in pairs(t) do end\nend",
		SL_POLICY, ":3: a table with a userdata for a key" },
	{ "a parameter without default", "lua:%s", "params = { depth = { help = 'x' } }\n" NOTHING, SL_INPUT,
		":1: params.depth: has no default" },
	{ "a parameter that is no table", "lua:%s",
		"params = { a = { default = 1 },\n c = { default = 2 }, d = { default = 3 }, b = 4 }\n" NOTHING,
		SL_INPUT, ":2: params.b: is no table: write { default" },
	{ "of two, the first by name", "lua:%s", "params = { d = 1, a = 2, c = 3, b = 4 }\n" NOTHING,
		SL_INPUT, ":1: params.a: is no table" },
	{ "parameters by number", "lua:%s", "params = { 1, 2 }\n" NOTHING, SL_INPUT,
		":1: params: is no table of at most" },
	{ "no parameters at all", "lua:%s", "\nparams = 3\n" NOTHING, SL_INPUT, ":2: params: is no table" },
	{ "one bound", "lua:%s", "params = { depth = { default = 1, min = 0 } }\n" NOTHING, SL_INPUT,
		"give both" },
	{ "a default out of bounds", "lua:%s",
		"params = { depth = { default = 9, min = 0, max = 5 } }\n" NOTHING, SL_USAGE,
		"must be within 0..5" },
	{ "require of nothing", "lua:%s", "require 'no-such-file'\n" NOTHING, SL_INPUT,
		":1: require 'no-such-file'" },
	{ "require of another folder", "lua:%s", "require '../secret'\n" NOTHING, SL_INPUT,
		"beside the script" },
};

/* What a script makes of reads of tables is not asked when they are read for what they say of it. */
Test(lua, tables_are_read_as_they_are)
{
	static const char *const scripts[] = {
		"setmetatable(_G, { __index = function(_, k) error('undeclared ' .. k) end })\n" FCFS,
		"params = setmetatable({ a = setmetatable({ default = 1 }, { __index = error }) },"
		" { __index = error, __pairs = error })\n" FCFS,
		"limits = setmetatable({}, { __index = error })\nuses = setmetatable({}, { __index = error })\n" FCFS,
	};
	for (size_t i = 0; i < SL_LEN(scripts); i++) {
		struct scripted t;
		const int status = run(&t, "lua:%s", scripts[i]);
		cr_expect_eq(status, SL_OK, "script %zu: %s", i, t.run.err.text);
		release(&t);
	}
}

Test(lua, bad_scripts_are_named_with_their_line)
{
	for (size_t i = 0; i < SL_LEN(refused); i++) {
		struct scripted t;
		const int status = run(&t, refused[i].policy, refused[i].script);
		cr_expect_eq(
			status, refused[i].status, "%s: %d, %s", refused[i].about, status, t.run.err.text);
		cr_expect(strstr(t.run.err.text, refused[i].says), "%s: '%s' is not in '%s'",
			refused[i].about, refused[i].says, t.run.err.text);
		release(&t);
	}
}

/* What the script asserts is said as it fails. */
static const char *const holds[] = {
	/* What is not there. */
	"assert(not os and not io and not debug and not package and not load and not loadfile and not dofile)\n"
	"assert(not collectgarbage and not string.dump and not math.randomseed)\n" NOTHING,
	/* The order of pairs: numbers, texts byte by byte, booleans. */
	"local t, seen = { z = 1, a = 1, B = 1, [3] = 1, [1] = 1, [2.5] = 1, [true] = 1, ab = 1 }, {}\n"
	"for k in pairs(t) do seen[#seen + 1] = tostring(k) end\n"
	"assert(table.concat(seen, ' ') == '1 2.5 3 B a ab z true', table.concat(seen, ' '))\n" NOTHING,
	/* What is removed on the way is not visited, and next goes by the same order. */
	"local t, n = { a = 1, b = 2, c = 3 }, 0\n"
	"for k in pairs(t) do t.c = nil n = n + 1 end\n"
	"assert(n == 2 and next(t) == 'a' and next(t, 'a') == 'b' and next(t, 'b') == nil and next({}) == nil)\n" NOTHING,
	/* Sorted: equal ones stay as they were. */
	"local t = {}\n"
	"for i = 1, 500 do t[i] = { key = i % 3, at = i } end\n"
	"table.sort(t, function(a, b) return a.key < b.key end)\n"
	"for i = 2, 500 do assert(t[i - 1].key < t[i].key or (t[i - 1].key == t[i].key and t[i - 1].at < t[i].at)) end\n"
	"local n = { 3, 1, 2 } table.sort(n) assert(n[1] == 1 and n[2] == 2 and n[3] == 3)\n" NOTHING,
	/* No addresses. */
	"assert(tostring({}) == 'table' and tostring(print) == 'function')\n"
	"assert(string.format('%s %5s|%d', {}, print, 3) == 'table function|3')\n"
	"assert(not pcall(string.format, '%p', {}) and not pcall(string.format, '%-9p', {}))\n"
	"assert(string.format('%d%% %s', 5, 'p') == '5% p')\n" NOTHING,
	/* Nothing that goes by when memory is collected. */
	"assert(not pcall(setmetatable, {}, { __gc = print }) and not pcall(setmetatable, {}, { __mode = 'k' }))\n"
	"assert(setmetatable({}, { __index = { x = 1 } }).x == 1)\n" NOTHING,
	/* libm, rounded. */
	"assert(math.log(8, 2) == 3 and math.log(1000, 10) == 3 and math.exp(0) == 1 and math.pow(2, 10) == 1024)\n" NOTHING,
	/* Chance within bounds. */
	"for i = 1, 100 do local x, y = math.random(), math.random(3, 5)\n"
	"assert(x >= 0 and x < 1 and y >= 3 and y <= 5) end\n"
	"assert(not pcall(math.random, 0) and not pcall(math.random, 5, 4))\n" NOTHING,
	/* Fields of a job. */
	"function pass(s)\n"
	"  if s.now ~= 30 then return end\n"
	"  local j = s:after(s:after(s:after(s:first())))\n"
	"  assert(j.id == 4 and j.row == 4 and j.submit == 30 and j.wait == 0 and j.size == 1 and j.cpus == 1)\n"
	"  assert(j.limit == 200 and j.estimate == 200 and j.user == 2 and j.state == 'PENDING' and j.waits)\n"
	"  assert(j.start == nil and j.gpus == 0 and j.tasks == 1 and tostring(j) == 'job 4' and s:count() == 4)\n"
	"  assert(s:free() == 4 and s:total() == 4 and s:any_fits() and s:fits(j) and j == s:after(s:after(s:after(s:first()))))\n"
	"  assert(s:after(j) == nil and s:promise(j) == nil)\n"
	"end\n",
	/* Run times, for whoever says so. */
	"clairvoyant = true\n"
	"function pass(s) assert(s:first().run == 100) end\n",
	/* Memory is limited, and freed. */
	"limits = { memory = 4 }\n"
	"function pass(s) for i = 1, 100 do local t = {} for k = 1, 10000 do t[k] = k end end end\n",
};

Test(lua, what_scripts_may_rely_on)
{
	for (size_t i = 0; i < SL_LEN(holds); i++) {
		struct scripted t;
		const int status = run(&t, "lua:%s", holds[i]);
		cr_expect_eq(status, SL_OK, "%s\n%s", t.run.err.text, holds[i]);
		release(&t);
	}
}

static char said[4000];

static void hear(void *self, const struct sl_pass *pass, const char *text)
{
	(void)self;
	(void)pass;
	const char *colon = strstr(text, ": ");
	const size_t len = strlen(said);
	(void)snprintf(said + len, sizeof(said) - len, "%s;", colon ? colon + 2 : text);
}

/* What is printed: once a pass, though each is made twice. */
static void listen(const char *script, uint64_t seed, bool check, char *heard, size_t size)
{
	struct scripted t;
	said[0] = '\0';
	const struct sim_watch watch = { .said = hear };
	const struct sim_options how = { .check = check, .seed = seed, .watch = &watch };
	const int status = run_with(&t, "lua:%s", script, &how);
	if (status)
		cr_assert_fail("%s", t.run.err.text);
	release(&t);
	(void)snprintf(heard, size, "%s", said);
}

Test(lua, chance_is_by_seed_and_pass)
{
	static const char text[] = "function pass(s) print(s.now, math.random(1000000)) end";
	char script[32]; /* Its name is in the stream's. */
	(void)memfile(script, text, strlen(text));
	char one[1000];
	char retry[1000];
	char other[1000];
	listen(script, 1, false, one, sizeof(one));
	listen(script, 1, true, retry, sizeof(retry));
	listen(script, 2, true, other, sizeof(other));
	cr_expect_str_eq(one, retry, "with and without --check: %s - %s", one, retry);
	cr_expect_str_neq(one, other, "another seed");
	int lines = 0;
	for (const char *p = one; (p = strchr(p, ';')); p++)
		lines++;
	cr_expect_eq(lines, 4, "a line a pass: %s", one);
}

Test(lua, events_in_their_order)
{
	char heard[1000];
	listen("function on_event(e, s) print(e.type, e.job.id, e.time) end\n" FCFS, 1, false, heard,
		sizeof(heard));
	cr_expect_str_eq(heard,
		"submit 1 0.0;submit 2 10.0;submit 3 20.0;submit 4 30.0;end 1 100.0;end 2 150.0;end 3 210.0;end 4 250.0;");
}

Test(lua, parameters_arrive_with_their_kinds)
{
	static const char script[] =
		"params = { n = { default = 3, min = 1, max = 9, help = 'a number' },\n"
		"  x = { default = 0.5, help = 'a share' }, on = { default = true, help = 'or off' },\n"
		"  how = { default = 'a', choices = { 'a', 'b' }, help = 'which' },\n"
		"  t = { default = '1h', time = true, help = 'how long' } }\n"
		"local p = params\n"
		"function pass(s)\n"
		"  assert(math.type(p.n) == 'integer' and p.n == 7 and p.x == 0.25 and p.on == false)\n"
		"  assert(p.how == 'b' and p.t == 5400 and params.t == 5400)\n"
		"end\n";
	struct scripted t;
	const int status = run(&t, "lua:%s:n=7,x=0.25,on=no,how=b,t=1.5h", script);
	cr_expect_eq(status, SL_OK, "%s", t.run.err.text);
	cr_assert_eq(t.run.choice.policy->param_count, 5);
	cr_expect_str_eq(t.run.choice.policy->params[1].key, "n", "sorted by name");
	cr_expect_str_eq(t.run.choice.policy->params[1].choices, "1..9");
	release(&t);
}

Test(lua, reported_metrics)
{
	struct scripted t;
	const int status = run(&t, "lua:%s",
		"local n = 0\n"
		"function on_event(e) if e.type == 'end' then n = n + 1 end end\n" FCFS
		"function tell(s) s:metric('mine.ended', n) s:metric('mine.half', n / 8) end\n");
	cr_assert_eq(status, SL_OK, "%s", t.run.err.text);
	const struct sl_result *result = &t.run.sim.result;
	cr_assert_eq(result->reported_metric_count, 2);
	cr_expect_str_eq(result->reported_metric[0].name, "mine.ended");
	cr_expect_eq(result->reported_metric[0].micro, 4000000);
	cr_expect_eq(result->reported_metric[1].micro, 500000);
	release(&t);
}

/* Its files are reported with their hashes, and what is known of a script is in the order of its text. */
Test(lua, the_script_is_one_of_the_policys_files)
{
	struct scripted t;
	const int status = run(&t, "easy:order=lua:%s", "function order(job) return job.submit end");
	cr_assert_eq(status, SL_OK, "%s", t.run.err.text);
	cr_assert_eq(t.run.choice.file_count, 1);
	cr_expect_str_eq(t.run.choice.file[0].key, "order");
	cr_expect_str_eq(t.run.choice.file[0].path, t.script);
	cr_expect_eq(strlen(t.run.choice.file[0].sha256), 64);
	release(&t);
}

/* A score counts to its millionth, and where that is coarse to 40 significant bits: 3e-9 is not 2e-9. */
Test(lua, small_scores_are_reported_apart)
{
	struct scripted t;
	const int status = run(&t, "sjf:order=lua:%s",
		"function order(job) return 1e-9 * (job.id == 2 and 3 or 5 - job.id) end");
	/* 4: 1e-9, 3: 2e-9, 2: 3e-9: each is first as it comes. All the same: 0, 100, 150, 150. */
	expect_starts(&t, status, "small scores", (const int64_t[]){ 0, 180, 20, 80 });
}
