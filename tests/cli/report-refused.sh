# What is no run, what is somebody else's, what is not known.
cp "$DATA/four.swf" .
schedlab run four.swf -p easy -q -o out >/dev/null
try() { schedlab report "$@" -q || echo "exit $?"; }
try four.swf
try none
mkdir empty
try empty
try out --format pge
try out --chart gantt
try out --format svg --chart gant
echo mine >mine.html
try out -o mine.html
try out -o empty
try out -o mine.html --force && head -c 15 mine.html
try out -o none/page.html
schedlab run four.swf -p easy -q --set replay.windows=2@0,2 -o windows >/dev/null
try windows
sed -i 's/"digest": "[0-9a-f]*"/"digest": "0000000000000000"/' out/run.json
try out
echo >>four.swf
try out
try
try out --width 500
schedlab run four.swf -p easy -q -o out --force >/dev/null
try out out
