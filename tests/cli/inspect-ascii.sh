# --ascii prints nothing but ASCII; an unknown machine is named, and the rest is there; --set gives it.
cp "$DATA/no-header.swf" .
schedlab inspect --ascii no-header.swf
schedlab inspect --ascii no-header.swf | LC_ALL=C grep -c '[^ -~]'
schedlab inspect --set cluster.cpus=8 no-header.swf | grep -E 'machine|load'
