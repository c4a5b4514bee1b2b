# SPDX-License-Identifier: GPL-3.0-or-later
# What one instruction of a script may take: matching, moving and repeating are counted as the script's own steps are, while it is
# loaded too; a script that would not end is ended, and says where.
cp "$DATA/four.swf" .
bad() {
	printf '%s\n' "$2" >"$1.lua"
	timeout 600 schedlab run four.swf -p "$1.lua" --quiet >/dev/null 2>said
	code=$?
	[ $code -ne $fails ] || code=3
	echo "$1: exit $code, $(grep -c "$1.lua" said) line: $(grep -o 'goes on for more\|without end\|too complex\|without __len\|too large\|needs more than\|too big' said | head -n 1)"
}
# While it is loaded. Where all is slow it is in a pass of few instructions, which fails with 7.
fails=3
if [ "${SL_EFFORT:-}" = less ]; then
	fails=7
	loaded() { bad "$1" "limits = { instructions = 5 } function pass(s) $2 end"; }
else
	loaded() { bad "$@"; }
fi
loaded find 'local s = ("a"):rep(60) local n = s:find(("a-"):rep(20) .. "b")'
loaded match 'local n = (("a"):rep(50000)):match(".-.-.-.-b")'
loaded gmatch 'for w in (("a"):rep(50000)):gmatch(".-.-.-.-b") do end'
loaded gsub 'local n = (("a"):rep(50000)):gsub(".-.-.-.-b", "")'
loaded balance 'local n = (("("):rep(100000)):find("%b()x") for i = 1, 1e6 do n = (("("):rep(100000)):find("%b()x") end'
loaded rep 'local s = ("x"):rep(1e15)'
loaded reps 'while true do local s = ("x"):rep(1000000) end'
loaded joined 'local s = ("x"):rep(500000) while true do local t = s .. s end'
loaded move 'table.move({}, 1, 1 << 60, 2)'
loaded concat 'local t = setmetatable({}, { __index = tostring }) local s = table.concat(t, "", 1, 1 << 60)'
loaded length 'local n = 0 local t = setmetatable({}, { __len = function() n = n + 1 return n > 1 and 1 << 60 or 0 end }) table.insert(t, 1, 1)'
loaded border 'local t = {} for i = 0, 61 do t[1 << i] = 1 end for i = 1, 1000 do table.insert(t, 1, 1) end'
loaded caught 'while true do pcall(string.find, ("a"):rep(50000), ".-.-.-.-b") end'
fails=3
# In a run: the same, and --max-time comes before.
bad passes 'function pass(s) local n = (("a"):rep(50000)):match(".-.-.-.-b") end'
cat >long.lua <<'LUA'
limits = { instructions = 1000000 }
function pass(s) local n = (("a"):rep(1000000)):match(".-.-.-.-b") end
LUA
timeout 600 schedlab run four.swf -p long.lua --quiet --max-time 1 >/dev/null 2>&1
echo "exit $?"
# Nothing of nothing, and what patterns are for: as Lua 5.4 has it.
cat >same.lua <<'LUA'
local function is(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
local function all(...) local t = table.pack(...) for i = 1, t.n do t[i] = tostring(t[i]) end return table.concat(t, " ") end
is((""):rep(1 << 60), "")
is(all(("hello world"):find("o w")), "5 7")
is(all(("hello world"):find("l+")), "3 4")
is(all(("hello"):find("l", 1, true)), "3 3")
is(all(("hello"):find("", 6)), "6 5")
is(all(("hello"):find("", 7)), "nil")
is(all(("hello"):find("h", -10)), "1 1")
is(all(("a.b"):find(".", 2, true)), "2 2")
is(all(("key = value"):match("^(%w+)%s*=%s*(%w+)$")), "key value")
is(all(("  x "):match("^%s*(.-)%s*$")), "x")
is(all(("f(a(b)c)d"):match("%b()")), "(a(b)c)")
is(all(("THE (quick) fox"):find("%((%a+)%)")), "5 11 quick")
is(all(("hello"):match("()ll()")), "3 5")
is(all(('"it\'s"'):match("([\"'])(.-)%1")), "\" it's")
is(all(("THE (quick) fox"):gsub("%f[%a]%a+", "x")), "x (x) x 3")
is(all(("abc"):gsub("", "-")), "-a-b-c- 4")
is(all(("abc"):gsub("%w", "%0%0", 2)), "aabbc 2")
is(all(("hello world"):gsub("o", { o = "0" })), "hell0 w0rld 2")
is(all(("hello"):gsub("l", function(c) return c == "l" and nil end)), "hello 2")
is(all(("a,b,,c"):gsub(",", ";")), "a;b;;c 3")
is(all(("x^y"):gsub("%^", "%%")), "x%y 1")
is(all(("[]]"):find("[]]")), "2 2")
is(all(("a-z"):gsub("[a%-]", "")), "z 2")
is(all(("abc123"):match("[^%d]+")), "abc")
is(all(("é\0x"):find("%z")), "nil")
is(all(("a\0b"):find("\0b")), "2 3")
local words = {}
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do words[#words + 1] = k .. v end
for w in ("one two"):gmatch("%a+") do words[#words + 1] = w end
for p in ("ab"):gmatch("()") do words[#words + 1] = p end
is(table.concat(words, " "), "a1 b2 one two 1 2 3")
for pattern, says in pairs { ["["] = "missing ']'", ["%"] = "ends with '%'", ["(a"] = "unfinished capture", ["a)"] = "invalid pattern capture",
	["%1"] = "invalid capture index", ["%f"] = "missing '['", ["%b"] = "missing arguments" } do
	local good, err = pcall(string.match, "aaa", pattern)
	is(good, false)
	is(err:find(says, 1, true) and says or err, says)
end
local t = { 1, 2, 3 }
table.insert(t, 1, 0) table.insert(t, 4) is(table.remove(t, 1), 0) is(table.remove(t), 4) is(table.concat(t, ","), "1,2,3")
is(table.concat(table.move(t, 1, 3, 2), ","), "1,1,2,3") is(table.concat(t, "-", 2, 3), "1-2") is(table.concat {}, "")
function pass(s) for job in s:queue() do s:start(job) end end
LUA
schedlab run four.swf -p same.lua --quiet >/dev/null && echo 'as Lua has it'
