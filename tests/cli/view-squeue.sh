# squeue: columns, order, formats, filters and sort keys, worked by hand. Four nodes of four cpus; at 09:06 jobs 1 and 2
# run, 3 (three whole nodes) does not fit beside them, 5 stands behind it, and 4 went round both and has ended.
. "$ROOT/tests/data/view-world.sh"
schedlab view squeue out --at 2026-01-12T09:06:00
schedlab view squeue out --at 2026-01-12T09:06 -l
echo '-- formats'
schedlab view squeue out --at +360 -o '%i %j %l %L %T %S'
schedlab view squeue out --at 6m -h -o '|%4u|%.4u|%2u|%.2u|'
schedlab view squeue out --at 6m -o '%A|%a|%C|%D|%e|%m|%N|%Q|%q|%r|%t|%V|%y|%b' -t R
schedlab view squeue out --at 6m -O 'JobID:6,UserName:.5 ,statecompact:3,tres-alloc:40,ReasonList'
echo '-- filters'
for options in '-u bob' '-p batch -A chem' '-t PD' '-t R,cd' '-j 3,5' '-w n[2-3]' '-n none' '-t all'; do
	echo "$options: $(schedlab view squeue out --at 6m -h -o %i $options | tr '\n' ' ')"
done
echo '-- order'
for keys in i -i S u,-i -C,t; do
	echo "$keys: $(schedlab view squeue out --at 6m -h -o %i -S "$keys" | tr '\n' ' ')"
done
echo '-- promises'
schedlab view squeue promised --at 6m --start
schedlab view squeue out --at 6m --start -h
# One job by its number is known, or not; of letters that mean nothing it is said, and the rest is shown.
schedlab view squeue out --at 360 -h -j 99
echo "exit $?"
schedlab view squeue out --at 360 -h -o '%i|%?' -j 1 2>&1
