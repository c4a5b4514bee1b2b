# What is not SWF is said to be none: CSV, a program, one endless line.
try() {
	schedlab inspect "$1"
	echo "exit $?"
}
printf 'job_id,submit,run\n1,0,100\n' >jobs.csv
printf '; a comment\njob_id,submit,run\n' >comment.csv
printf '\177ELF\002\001\001\000\000\000\000\n' >program
printf '1 0 -1 100 4 \000 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n; 0\n' >nul
printf '\000\000\000\000\000' >zeros
{
	printf '1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n'
	head -c 1048577 /dev/zero | tr '\000' 1
	echo
} >long.swf
for file in jobs.csv comment.csv program nul zeros long.swf; do
	try "$file"
done
