# SWF: users, groups and applications by other numbers, the rest to the byte; our table; keys, and refusals.
sed 18d "$DATA/site.swf" >site.swf
schedlab anonymize site.swf -o safe.swf --key site.key --new-key
[ "$(wc -c <site.key)" -eq 65 ] && [ "$(stat -c %a site.key)" = 600 ] && echo key
printf '0123456789abcdef' >fixed.key
schedlab anonymize site.swf -o safe.swf --key fixed.key --force 2>/dev/null && cat safe.swf
# All fields but three are the original's.
grep -v -e '^;' -e '	' site.swf | cut -d' ' -f1-11,15- >want
grep -v -e '^;' -e '	' safe.swf | cut -d' ' -f1-11,15- | cmp - want && echo same
cat >jobs.csv <<'END'
job_id,user,account,partition,submit,run_time,cpus,owner,gpu_type
1,"o'hara, ann",physics,gpu,0,60,4,"ann ""a"" o'hara",a100
2,bob,physics,gpu,10,60.5,4,17,
END
schedlab anonymize jobs.csv -o safe.csv --key fixed.key && cat safe.csv
grep -n -e hara -e bob -e physics safe.csv || echo clean
schedlab run safe.csv --set cluster.cpus=8 --quiet >/dev/null && echo runs
# What is refused leaves nothing.
rm -f safe.*
try() {
	schedlab anonymize "$@"
	echo "exit $?"
}
try jobs.csv -o safe.csv
try jobs.csv --key fixed.key
try jobs.csv -o safe.csv --key missing.key
try jobs.csv -o safe.csv --key fixed.key --new-key
printf 'short\n' >short.key
try jobs.csv -o safe.csv --key short.key
printf '{"nb_res": 4, "jobs": [], "profiles": {}}\n' >batsim.json
try batsim.json -o safe.json --key fixed.key
printf '; MaxProcs: 4\n1 0 -1 5 2 -1 -1 2 -1 -1 -1 ann -1 -1 -1 -1 -1 -1\n' >named.swf
try "$DATA/site.swf" -o safe.swf --key fixed.key 2>&1 | sed "s|$DATA/||"
try named.swf -o safe.swf --key fixed.key
try - -o safe.swf --key fixed.key <"$DATA/four.swf"
printf 'job_id,user,submit,run_time\n1,"bob,0,5\n' >quote.csv
try quote.csv -o safe.csv --key fixed.key
ls
# Comments above a table's header line are left out, but for labels that say nothing of a site; what is asked stays.
printf '# Computer: of ann, physics\n# UnixStartTime: 1700000000\njob_id,user,submit,run_time,gpu_memory,mig,dependency\n1,bob,0,5,20GiB,3g.20gb,\n2,bob,0,5,,,afterok:1\n' >comments.csv
schedlab anonymize comments.csv -o - --key fixed.key
