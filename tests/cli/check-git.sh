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
