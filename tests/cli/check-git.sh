# The configuration as git has it, against the working tree: what a pull request changes.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$PWD"
quietly() { git -c user.name=n -c user.email=n@example.org -c init.defaultBranch=main -c commit.gpgsign=false "$@" >/dev/null; }
quietly init .
mkdir -p etc/conf.d ci
sed 's|nodes.conf|conf.d/nodes.conf|' "$ROOT/docs/examples/slurm/slurm.conf" >etc/slurm.conf
cp "$ROOT/docs/examples/slurm/nodes.conf" etc/conf.d
cp "$ROOT/docs/examples/slurm/gres.conf" "$ROOT/docs/examples/slurm/topology.conf" etc
cp "$ROOT/docs/examples/slurm/week.txt" ci
schedlab check --init ci/week.txt -c etc/slurm.conf -p slurm --jobs 200 -o ci/b.json -q >/dev/null
quietly add -A && quietly commit -m one
schedlab check ci/b.json --git HEAD -q
echo "exit $?: nothing is changed"
# In a file that it includes.
sed -i 's/CPUs=32/CPUs=30/; s/CoresPerSocket=16/CoresPerSocket=15/' etc/conf.d/nodes.conf
schedlab check ci/b.json -q >/dev/null
echo "exit $?: without --git"
schedlab check ci/b.json --git HEAD | sed -n '/ -> /,$p'
schedlab check ci/b.json --git HEAD -q >/dev/null
echo "exit $?"
quietly add -A && quietly commit -m two
# From another folder; a range's ends by name; a file of another name.
cd ci
schedlab check b.json --git HEAD~1 --json | grep -e '"before"' -e '"by": "all"'
schedlab check b.json --git HEAD -q
echo "exit $?"
schedlab check b.json --git HEAD~1 --against ../etc/slurm.conf -q >/dev/null
echo "exit $?"
# No commit, no option, no path of another kind; nothing is left behind.
mkdir tmp
for rev in HEAD~7 --version -q '' 'HEAD:etc' nothing '$(touch run)' 'HEAD;touch run'; do
	TMPDIR=$PWD/tmp schedlab check b.json --git "$rev" 2>said
	echo "exit $?: $(grep -v '^fatal' said | sed "s|$OLDPWD|HERE|")"
done
TMPDIR=$PWD/tmp schedlab check b.json --git HEAD -q >/dev/null
ls tmp run 2>&1
# What is not there at that commit is said, and so is a link: none is followed.
cd ..
sed 's|etc/slurm.conf|etc/new.conf|' ci/b.json >ci/new.json && ln -s slurm.conf etc/new.conf
schedlab check ci/new.json --git HEAD 2>&1 | sed "s|$PWD|HERE|"
quietly add -A && quietly commit -m three
schedlab check ci/new.json --git HEAD 2>&1 | sed "s|$PWD|HERE|"
cd .. 2>/dev/null || exit
rm -rf layout && mkdir layout && cd layout || exit
# Layouts as they are: a link in the folder, to a folder beside it, an Include of what lies elsewhere in the repository, one of what
# includes more from there, and one of what is outside of it; a file that links name by an absolute path.
quietly init repo
mkdir repo/etc repo/inc repo/site repo/ci
conf=$ROOT/docs/examples/slurm
sed 's|Include nodes.conf|Include ../inc/all-%c.conf\nInclude ../../outside.conf\nInclude conf.d/more.conf|' "$conf/slurm.conf" >repo/etc/slurm.conf
grep -c Include repo/etc/slurm.conf
cluster=$(sed -n 's/^ClusterName=//p' "$conf/slurm.conf")
echo 'Include deeper/nodes.conf' >"repo/inc/all-$cluster.conf"
mkdir repo/inc/deeper
cp "$conf/nodes.conf" repo/site/real.conf && ln -s ../../site/real.conf repo/inc/deeper/nodes.conf
cp "$conf/topology.conf" repo/site && ln -s "$PWD/repo/site/topology.conf" repo/etc/topology.conf
cp "$conf/gres.conf" repo/etc/c.conf && ln -s c.conf repo/etc/gres.conf
mkdir repo/site/d && echo '# More' >repo/site/d/more.conf && ln -s ../site/d repo/etc/conf.d
echo 'KillWait=30' >outside.conf
cp "$conf/week.txt" repo/ci
cd repo || exit
schedlab check --init ci/week.txt -c etc -p slurm --jobs 200 -o ci/b.json -q --no-decisions >/dev/null
quietly add -A && quietly commit -m one
mkdir tmp
layout() { # layout WHAT: in place, and against the commit
	schedlab check ci/b.json -q >/dev/null
	echo "exit $?: $1"
	TMPDIR=$PWD/tmp schedlab check ci/b.json --git HEAD -q 2>&1 | sed "s|$PWD|HERE|"
	TMPDIR=$PWD/tmp schedlab check ci/b.json --git HEAD 2>&1 | grep -e 'the same is read' -e '^all'
	quietly checkout -q . && ls tmp
}
layout 'nothing is changed'
sed -i 's/CPUs=32/CPUs=30/; s/CoresPerSocket=16/CoresPerSocket=15/' site/real.conf
layout 'a file behind a link behind an Include'
sed -i 's/cn\[01-08\]/cn[01-12]/; s/cn\[09-16\]/cn[13-16]/' site/topology.conf
layout 'a file behind an absolute link'
echo 'MinJobAge=1' >site/d/more.conf
sed -i 's/nvidia\[4-7\]/nvidia[4-5]/' etc/c.conf
layout 'a file in a folder behind a link'
# Outside of the repository it is as it stands, in both.
echo 'SchedulerTimeSlice=60' >../outside.conf
layout 'a file outside of the repository'
# What was not there is not there.
quietly rm inc/deeper/nodes.conf && quietly commit -m two
mkdir -p inc/deeper && ln -s ../../site/real.conf inc/deeper/nodes.conf
TMPDIR=$PWD/tmp schedlab check ci/b.json --git HEAD -q 2>&1 | sed "s|$PWD|HERE|g; s|schedlab-[^/]*|SCRATCH|g"
# A file in place of the folder.
sed 's|"../etc"|"../etc/slurm.conf"|' ci/b.json >ci/file.json
TMPDIR=$PWD/tmp schedlab check ci/file.json --git HEAD~1 -q
echo "exit $?"
