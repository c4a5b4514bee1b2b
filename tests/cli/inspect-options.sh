# --tz moves the hours of the day; --strict and unknown settings are refused.
cp "$DATA/site.swf" .
schedlab inspect site.swf --tz +09:30 | grep submitted
schedlab inspect site.swf --tz 0 | grep submitted
schedlab inspect site.swf --tz noon
echo "exit $?"
schedlab inspect site.swf --strict
echo "exit $?"
schedlab inspect site.swf --set replay.laod=2
echo "exit $?"
schedlab inspect site.swf >/dev/full
echo "exit $?"
