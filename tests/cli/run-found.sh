# A run of a comparison by its policy, also with a slash behind it, and from inside the comparison's folder.
cp "$DATA/four.swf" log.swf
schedlab compare "$PWD/log.swf" -p fcfs -p easy -o out --quiet >/dev/null
schedlab explain out/easy/ 3 --no-what-if | head -1
cd out || exit
schedlab explain easy 3 --no-what-if | head -1
schedlab explain 2-easy/ 3 --no-what-if | head -1
schedlab explain sjf 5
echo "exit $?"
cd ..
schedlab explain nothing 5
