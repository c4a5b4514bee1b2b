# SPDX-License-Identifier: GPL-3.0-or-later
# A bundle is read below its own folder only, has what was read and no more, and all of it is made again.
printf 'job_id,submit,run_time,cpus,account\n1,0,100,4,a\n2,1,100,4,b\n3,2,50,2,a\n' >t.csv
sums() { (cd "$1" && find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS); }
verify() {
	schedlab bundle --verify "$@" -q
	echo "exit $?"
}
here() { sed "s,$PWD,HERE,g"; }
# A folder of configuration: an Include by a path from the root comes along; what was not read stays.
mkdir conf other
printf 'ClusterName=c\nInclude %s/other/nodes.conf\nInclude ../more.conf\n' "$PWD" >conf/slurm.conf
printf 'NodeName=n[1-2] CPUs=4\n' >other/nodes.conf
printf 'PartitionName=p Nodes=n[1-2] Default=YES\n' >more.conf
printf 'StoragePass=secret\n' >conf/slurmdbd.conf
printf 'key\n' >conf/slurm.key
ln -s /etc/passwd conf/link.conf
schedlab run t.csv -c conf -o out -q >/dev/null
echo mine >out/notes.txt
schedlab bundle out -o kept 2>&1 | here
find kept -type f | here | sort
mv other gone
verify kept
mv gone other
rm -r other.else 2>/dev/null
# From the root as a whole, with files beside one another.
mkdir named
schedlab run "$PWD/t.csv" -c "$PWD/conf/slurm.conf" -o named/out -q >/dev/null
schedlab bundle named/out -o rooted -q && mkdir away && mv rooted away && mv conf was && verify away/rooted
mv was conf
# What the files name is sought below the bundle, and never outside.
cp -r kept bad
printf 'ClusterName=c\nInclude /etc/hostname\nInclude ../../../../../../../../../etc/hostname\n' >bad/conf/slurm.conf
sums bad
verify bad
rm -r bad && cp -r kept bad
sed -i 's,"path": "t.csv","path": "/etc/hostname",' bad/run/run.json
sums bad
verify bad
rm -r bad && cp -r kept bad
sed -i 's,"estimates": null,"estimates": "../../etc/hostname",' bad/run/run.json
sums bad
verify bad
rm -r bad && cp -r kept bad
rm bad/t.csv && ln -s "$PWD/t.csv" bad/t.csv
verify bad
# Every file of the run is made again: the metrics too, those that were asked for, and after a change of policy.
schedlab run t.csv --set cluster.cpus=8 --until 60 -o first -q >/dev/null
schedlab run --from-snapshot first/snapshot.json -p fcfs --metric 'wait.mean{account=a}' -o second -q >/dev/null
for run in first second; do
	schedlab bundle $run -o b-$run -q && verify b-$run
	sed -i 's/"wait.mean": .*,/"wait.mean": 1,/' b-$run/run/metrics.json
	sums b-$run
	verify b-$run 2>&1 | sed 's/ SHA-256 .*//'
done
rm -r bad && cp -r kept bad
sed -i 's/"rows": 3/"rows": 4/' bad/run/run.json
sums bad
verify bad
# Files beyond the list, missing from it, listed twice, and in run/ without being the run's.
rm -r bad && cp -r kept bad && echo >bad/more && verify bad
rm -r bad && cp -r kept bad && sed -i /run.sh/d bad/SHA256SUMS && verify bad
rm -r bad && cp -r kept bad && rm bad/run.sh && verify bad
rm -r bad && cp -r kept bad && sed -n 1p kept/SHA256SUMS >>bad/SHA256SUMS && verify bad
rm -r bad && cp -r kept bad && echo >bad/run/other.csv && sums bad && verify bad
# Names: with quotes, of the bundle's own, of folders above; Lua files there bring those beside them.
cp t.csv 't"q.csv' && cp t.csv SHA256SUMS && mkdir -p inputs run && cp t.csv inputs/1-x && cp t.csv run/t.csv
for trace in 't"q.csv' SHA256SUMS inputs/1-x run/t.csv ./t.csv; do
	schedlab run "$trace" --set cluster.cpus=8 -o o -q >/dev/null && schedlab bundle o -o b -q && verify b
	find b -name '*t*.csv' -o -name 1-x -o -path 'b/inputs/*/SHA256SUMS'
	rm -r o b
done
mkdir work lua
printf 'return { at = function(job) return -job.submit end }\n' >lua/mod.lua
printf 'local mod = require("mod")\nfunction order(job, now)\n\treturn mod.at(job)\nend\n' >lua/last.lua
(cd work && schedlab run ../t.csv --set cluster.cpus=8 -p easy:order=lua:../lua/last.lua -o out -q >/dev/null &&
	schedlab bundle out -o b --trust && mv ../lua ../lua.gone && schedlab bundle --verify b --trust -q)
# A decider's script and what it was recorded in.
printf '#!/bin/sh\nread l; echo "{}"\nwhile read l; do echo "{\\"start\\":[0,1,2]}"; done\n' >work/decide.sh
cp work/decide.sh above.sh
(cd work && schedlab run ../t.csv --set cluster.cpus=12 -p 'external:command="sh decide.sh",record=r.json' -o asked -q >/dev/null &&
	schedlab bundle asked -o c --trust && rm r.json && schedlab bundle --verify c --trust -q && ls c r.json
	schedlab run ../t.csv --set cluster.cpus=12 -p 'external:command="sh ../above.sh"' -o up -q >/dev/null
	schedlab bundle up -o d --trust
	echo "exit $?"
	ls d 2>&1) 2>&1
# Another version is told of; a place that cannot be written to is none for a bundle, but for a look.
cp -r kept older
sed -i 's/"schedlab": "[^"]*"/"schedlab": "0.0.1"/' older/run/run.json
sums older
schedlab bundle --verify older 2>&1 | sed 's/this is .*/this is .../'
schedlab bundle out -o /proc/kept --dry-run -q | here | sed 's/  [0-9]* bytes$//'
schedlab bundle out -o nowhere/kept --dry-run
echo "exit $?"
# An archive with a file where a folder is to be.
python3 - <<'P'
import io, tarfile
with tarfile.open("both.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
    for name in "b/x", "b/x/y":
        info = tarfile.TarInfo(name)
        info.size = 1
        tar.addfile(info, io.BytesIO(b"x"))
P
verify both.tar
sh kept/run.sh -q
sed -n '/schedlab run/p' kept/README.txt b-first/README.txt
(cd kept && sh -c "$(sed -n 's/^    //p' README.txt)" >/dev/null 2>&1 && cmp ../again/jobs.csv run/jobs.csv && echo 'the same jobs')
