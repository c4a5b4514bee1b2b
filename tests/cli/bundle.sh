# SPDX-License-Identifier: GPL-3.0-or-later
# A run and all that it was made from, in one folder, which may be moved; what is not what it was is found.
cat >t.csv <<'CSV'
job_id,submit,run_time,cpus,account
1,0,100,4,a
2,1,100,4,b
3,2,50,2,a
CSV
printf 'nodes:\n  - {name: n, count: 1, cpus: 8}\n' >c.yaml
printf 'function order(job, now)\n\treturn -job.submit\nend\n' >last.lua
mkdir far
printf 'submit,run_time,cpus,job_id\n5,10,1,9\n' >far/more.csv
schedlab run t.csv -c c.yaml -p easy:order=lua:last.lua --set "replay.with=$PWD/far/more.csv" -o out --quiet >/dev/null
schedlab bundle out -o kept --trust --dry-run | sed 's/  [0-9]* bytes$//'
ls -d kept* 2>/dev/null
schedlab bundle out -o kept --trust 2>&1 | sed "s,$PWD,HERE,"
find kept -type f | sort
grep -c "$PWD" kept/run/run.json
(cd kept && sha256sum --quiet -c SHA256SUMS && wc -l <SHA256SUMS)
# From another folder too; an input may have the name of what the bundle has of its own.
mkdir else
cp t.csv README.txt
schedlab run README.txt -c c.yaml -o named --quiet >/dev/null
(cd else && schedlab bundle ../named -o kept --quiet && schedlab bundle --verify kept --quiet)
schedlab bundle named -o named-kept --quiet && schedlab bundle --verify named-kept --quiet
mkdir away
mv kept away/moved
rm -r t.csv c.yaml last.lua far out else named named-kept README.txt
schedlab bundle --verify away/moved --trust
sh away/moved/run.sh --quiet --trust
# Twice the same.
(cd away/moved && schedlab bundle run -o ../twice --quiet --trust) && diff -r away/moved away/twice && echo 'the same files'
# An input that was changed; a record of what never came out; files that the run does not write.
sums() { (cd bad && find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS); }
cp -r away/moved bad
echo '4,3,10,1,a' >>bad/t.csv
schedlab bundle --verify bad --trust
echo "exit $?"
sums
schedlab bundle --verify bad --trust
echo "exit $?"
rm -r bad
cp -r away/moved bad
sed -i 's/"digest": "\(.\)/"digest": "0\1/; s/\("digest": "0.\{15\}\)./\1/' bad/run/run.json
sums
schedlab bundle --verify bad --trust
echo "exit $?"
rm -r bad
cp -r away/moved bad
sed -i '2s/,100,/,101,/' bad/run/jobs.csv
sums
schedlab bundle --verify bad --trust
echo "exit $?"
rm bad/c.yaml
schedlab bundle --verify bad --trust
echo "exit $?"
echo 'something else' >bad/SHA256SUMS
schedlab bundle --verify bad --trust
echo "exit $?"
sed 's,  .*,  ../out,' away/moved/SHA256SUMS >bad/SHA256SUMS
schedlab bundle --verify bad --trust
echo "exit $?"
schedlab bundle away/moved/run -o away/twice --trust
echo "exit $?"
schedlab bundle away/moved/run
echo "exit $?"
schedlab bundle nowhere -o x
echo "exit $?"
ls
