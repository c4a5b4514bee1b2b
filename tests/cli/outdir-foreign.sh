# What is not of a run is never taken away: refused, and under --force left beside the new files.
cp "$DATA/four.swf" .
go() { schedlab run four.swf --quiet "$@" >/dev/null || echo "exit $?"; }
go -o out
echo mine >out/notes.txt
go -o out
go -o out --only jobs --force
ls out
cat out/notes.txt
mkdir out/run.d
rm out/notes.txt
go -o out
rmdir out/run.d

# Records that lie are not believed: a folder is no file of a run, and no name leads elsewhere.
mkdir trap trap/src
echo mine >trap/src/file
echo '{ "schema": "schedlab.run/1", "identity": "", "files": ["src", "..", "../four.swf"] }' >trap/run.json
go -o trap --force
cat trap/src/file
ls trap

# One folder down, too.
schedlab compare four.swf -p fcfs -p easy -o both --quiet >/dev/null
echo mine >both/1-fcfs/notes.txt
schedlab compare four.swf -p fcfs -p easy -o both --quiet >/dev/null || echo "exit $?"
rm both/1-fcfs/notes.txt
schedlab compare four.swf -p fcfs -p easy -o both --quiet >/dev/null && ls both
ls -A
