# A policy's files are inputs: they stand in run.json with their hashes, another text is another run, and who goes on from a run or
# looks at it again is told if one of them is not what it was. Of scripts with what they require, and of projects=FILE.
cp "$DATA/four.swf" .
hash() { sha256sum "$1" | cut -d ' ' -f 1; }
echo 'return { limit = 60 }' >knobs.lua
cat >mine.lua <<'LUA'
local knobs = require "knobs"
function order(job) return job.limit <= knobs.limit and 0 or 1 end
LUA
run() { schedlab run four.swf -p easy:order=lua:mine.lua "$@" --quiet >/dev/null; }
run -o out && grep -c -e "$(hash mine.lua)" -e "$(hash knobs.lua)" out/run.json
run -o out && echo "the same again"
run --until 50 -o early
schedlab run --from-snapshot early/snapshot.json --trust -q -o late >/dev/null && cmp out/jobs.csv late/jobs.csv && echo "went on"
schedlab view squeue out --trust --at 40 | head -n 3
cp knobs.lua kept.lua
echo 'return { limit = 20 }' >knobs.lua
run -o out
echo "exit $?"
schedlab run --from-snapshot early/snapshot.json --trust -q -o x
echo "exit $?"
schedlab view squeue out --trust --at 40
echo "exit $?"
cp kept.lua knobs.lua
# A whole policy, by its path or after its language.
cat >whole.lua <<'LUA'
function pass(s) for job in s:queue() do s:start(job) end end
LUA
schedlab run four.swf -p whole.lua -q -o whole >/dev/null && schedlab run four.swf -p lua:whole.lua --until 50 -q -o half >/dev/null
schedlab run --from-snapshot half/snapshot.json --trust -q -o rest >/dev/null && cmp whole/jobs.csv rest/jobs.csv && echo "went on"
schedlab run --from-snapshot half/snapshot.json --trust -p easy -q -o other >/dev/null && grep -c whole.lua other/run.json
echo '-- another' >>whole.lua
schedlab run --from-snapshot half/snapshot.json --trust -q -o rest
echo "exit $?"
