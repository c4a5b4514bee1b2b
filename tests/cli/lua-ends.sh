# SPDX-License-Identifier: GPL-3.0-or-later
# --max-time and signals end a script, whatever it does: while it is loaded nothing was run; in a run the results are there, and
# marked. Without them it is bounded in instructions.
cp "$DATA/four.swf" .
loop='while true do end'
# On any machine that takes days until it is bounded.
slow='while true do local n = S == T end'
long='S, T = ("a"):rep(1000000), ("a"):rep(1000000)'
closing() {
	echo "local x <close> = setmetatable({}, { __close = function() $1 end }) $1"
}
ended() { # WORD: how it ended, and whether that was said.
	echo "$1: exit $?, $(grep -c 'stopped' said) line"
}
# While it is loaded.
load() { # WORD SECONDS SCRIPT
	printf '%s\n' "$3" >load.lua
	timeout -s KILL 60 schedlab run four.swf -p load.lua --quiet --max-time "$2" >/dev/null 2>said
	ended "$1"
}
load handler 0.2 "$long xpcall(function() $slow end, function() $slow end)"
load part 0.2 "$long local function f() $slow end while true do xpcall(f, f) end"
load wrapped 0.2 "$long coroutine.wrap(function() $(closing "$slow") end)()"
load closed 0.2 "$long local co = coroutine.create(function() $(closing "$slow") end) coroutine.resume(co) coroutine.close(co)"
load unwound 0.2 "$long while true do pcall(function() $(closing "$slow") end) end"
load sorted 0.2 "$long table.sort({ 3, 2, 1 }, function() $slow end)"
load same 0.2 "$long $slow"
load less 0.2 'local s, t = ("\0"):rep(1000000), ("\0"):rep(1000000) while true do local n = s < t end'
load number 0.2 'local s = (" "):rep(1000000) .. "1" while true do local n = s + 1 end'
load memory 2 'local l pcall(function() while true do l = { l } end end) while true do pcall(string.rep, "x", 100000) end'
load parsed 0.2 "x = $(awk 'BEGIN { for (i = 0; i < 400000; i++) printf "a and "; print "a" }')"
# A part, and by a signal.
printf '%s\n' "$long function order(job) return 1 end xpcall(function() $slow end, function() $slow end)" >load.lua
timeout -s KILL 60 schedlab run four.swf -p easy:order=lua:load.lua --quiet --max-time 0.2 >/dev/null 2>said
ended order
for signal in INT TERM; do
	timeout --preserve-status -s $signal -k 60 1 schedlab run four.swf -p load.lua --quiet >/dev/null 2>said
	ended $signal
done
# Bounded without: as many instructions as any. Where all is slow it is in a pass of few, which fails with 7.
bounded() {
	fails=3
	if [ "${SL_EFFORT:-}" = less ]; then
		fails=7
		printf 'limits = { instructions = 5 }\nfunction pass(s) %s end\n' "$2" >load.lua
	else
		printf '%s\n' "$2" >load.lua
	fi
	timeout -s KILL 300 schedlab run four.swf -p load.lua --quiet >/dev/null 2>said
	code=$?
	[ $code -ne $fails ] || code=3
	echo "$1: exit $code, $(grep -o 'goes on for more\|without end\|longer than\|of more than' said | head -n 1)"
}
bounded handler "xpcall(function() $loop end, function() $loop end)"
bounded closed "local co = coroutine.create(function() $(closing "$loop") end) coroutine.resume(co) coroutine.close(co)"
bounded coroutines 'while true do coroutine.wrap(function() for i = 1, 40 do end end)() end'
bounded utf8 "$long while true do local n = utf8.len(S) end"
bounded tonumber "$long while true do local n = tonumber(S) end"
bounded format "$long while true do local n = ('%.1s'):format(S) end"
bounded unpack 'while true do local n = select("#", table.unpack({}, 1, 900000)) end'
bounded reverse "$long while true do local n = S:reverse() end"
bounded text 'local s = ("x"):rep(1000000) local t = s .. s'
bounded rep 'local s = ("x"):rep(2000000)'
# In a run: what was done until then, marked.
script() {
	printf 'limits = { instructions = 1000000 }\n%s\n' "$1" >run.lua
}
passes() { # WORD COMMAND...
	word=$1
	shift
	rm -rf out
	"$@" >/dev/null 2>said
	echo "$word: exit $?, $(grep -c 'results are partial' said) line, $(grep -c '"partial": true' out/run.json) mark"
}
both() { # WORD
	passes "$1" timeout -s KILL 60 schedlab run four.swf -p run.lua --quiet -o out --max-time 0.5
	passes "$1" timeout --preserve-status -s INT -k 60 2 schedlab run four.swf -p run.lua --quiet -o out
}
script "function pass(s) xpcall(function() $loop end, function() $loop end) end"
both handler
script "function pass(s) coroutine.wrap(function() $(closing "$loop") end)() end"
both wrapped
script "function pass(s) local co = coroutine.create(function() $(closing "$loop") end) coroutine.resume(co) coroutine.close(co) end"
both closed
script "function pass(s) $long $slow end"
both same
script "function pass(s) for job in s:queue() do s:start(job) end end function tell(s) xpcall(function() $loop end, function() $loop end) end"
both tell
# As its run begins it is run once more: there is a run by then.
printf 'for i = 1, 150000000 do end\nfunction pass(s) for job in s:queue() do s:start(job) end end\n' >run.lua
rm -rf out
schedlab run four.swf -p run.lua -o out >/dev/null 2>said &
until grep -q 'time limit' said; do :; done
kill -TERM $!
wait $!
echo "begins: exit $?, $(grep -c 'results are partial' said) line, $(grep -c '"partial": true' out/run.json) mark"
# Errors, handlers and coroutines are as Lua 5.4 has them.
cat >same.lua <<'LUA'
local function is(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
local function all(...) local t = table.pack(...) for i = 1, t.n do t[i] = tostring(t[i]) end return table.concat(t, " ") end
is(all(pcall(function(...) return ... end, 1, nil, 3)), "true 1 nil 3")
is(all(pcall(error, "e", 0)), "false e")
is(all(pcall(error)), "false nil")
is(all(pcall(pcall)), "false bad argument #1 to 'pcall' (value expected)")
is(all(xpcall(function(...) return select("#", ...) end, print, 1, 2)), "true 2")
is(all(xpcall(error, function(e) return e .. "!", 2 end, "e", 0)), "false e!")
is(all(pcall(xpcall, print)), "false bad argument #2 to 'xpcall' (function expected, got no value)")
is(all(xpcall(error, function(e) error("again") end)):match("^false"), "false")
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return pcall(function() error(coroutine.yield(b * 2), 0) end) end)
is(all(coroutine.resume(co, 1)), "true 2")
is(all(coroutine.resume(co, 5)), "true 10")
is(coroutine.status(co), "suspended")
is(all(coroutine.resume(co, "e")), "true false e")
is(all(coroutine.resume(co)), "false cannot resume dead coroutine")
is(all(coroutine.close(co)), "true")
is(all(coroutine.resume(coroutine.create(error), "e")), "false e")
is(all(pcall(coroutine.wrap(function() error { 1 } end))), "false table")
is(all(pcall(coroutine.wrap(function() error("e", 0) end))):match("e$"), "e")
local log = {}
local function open(name) return setmetatable({}, { __close = function(_, e) log[#log + 1] = name .. ":" .. tostring(e) end }) end
co = coroutine.create(function() local x <close> = open "x" local y <close> = open "y" coroutine.yield() end)
coroutine.resume(co)
is(all(coroutine.close(co)), "true")
is(all(pcall(coroutine.wrap(function() local x <close> = open "z" error("e", 0) end))), "false e")
is(all(pcall(function() coroutine.wrap(function() error("e", 0) end)() end)), "false same.lua:27: e")
is(all(pcall(function() local x <close> = open "p" error("e", 0) end)), "false e")
is(table.concat(log, " "), "y:nil x:nil z:e p:e")
is(all(pcall(coroutine.close, coroutine.running())), "false cannot close a running coroutine")
is(all(pcall(coroutine.resume, 1)), "false bad argument #1 to 'coroutine.resume' (thread expected, got number)")
local words = {}
for w in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do words[#words + 1] = w end
is(table.concat(words, ","), "1,2,3")
is(all(coroutine.wrap(function() return coroutine.isyieldable() end)()), "true")
is(all(tonumber("0x10"), tonumber("z", 36), tonumber("1e1"), tonumber("x")), "16 35 10.0 nil")
is(all(select(-1, 1, 2), select("#")), "2 0")
is(all(utf8.len("äb"), utf8.codepoint("äb", 1, -1)), "2 228 98")
is(all(("ab"):byte(1, -1)), "97 98")
is(all(table.unpack({ 1, 2, 3 }, 2)), "2 3")
is(("abc"):reverse():upper() .. ("ab"):rep(3, "-"), "CBAab-ab-ab")
is(("\0"):rep(1 << 20):len(), 1 << 20)
is(all(string.unpack("<i4", string.pack("<i4", 7))), "7 5")
function pass(s) for job in s:queue() do s:start(job) end end
LUA
schedlab run four.swf -p same.lua --quiet >/dev/null && echo 'as Lua has it'
