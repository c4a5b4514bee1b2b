# What Lua leaves to addresses and clock is the same in each process: pairs, equal elements in a sort, texts of tables, chance; and
# the collector. Its seed of hashes is drawn anew in each, so eight processes are enough to find an order that depends on it.
cp "$DATA/four.swf" .
cat >same.lua <<'LUA'
local shared = require "names"
local function order()
	local t, out = {}, {}
	for i, name in ipairs(shared) do t[name .. i] = i end
	for k, v in pairs(t) do out[#out + 1] = k .. "=" .. v end
	return table.concat(out, " ")
end
local function sorted()
	local t, out = {}, {}
	for i = 1, 300 do t[i] = { key = (i * 7) % 5, at = i } end
	table.sort(t, function(a, b) return a.key < b.key end)
	for i = 1, 300, 37 do out[#out + 1] = t[i].at end
	return table.concat(out, " ")
end
function pass(s)
	if s.now == 0 then
		print(order())
		print(sorted())
		print({}, print, s, string.format("%s", {}), next({ zebra = 1, ant = 2 }))
	end
	print(s.now, math.random(), math.random(1000))
	for job in s:queue() do s:start(job) end
end
LUA
echo 'return { "node", "job", "queue", "user", "gpu", "rack", "zone", "name" }' >names.lua
for i in 1 2 3 4 5 6 7 8; do
	schedlab run four.swf -p same.lua -o "out$i" 2>"said$i" >/dev/null
	cmp said1 "said$i" && cmp out1/run.json "out$i/run.json"
done
grep '^schedlab: same.lua' said1
schedlab run four.swf -p same.lua --seed 2 2>&1 >/dev/null | grep 'same.lua: 100'
grep -e names.lua -e same.lua out1/run.json | sed 's/"sha256": "[0-9a-f]*"/"sha256": HASH/'
