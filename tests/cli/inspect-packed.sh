# Packed traces are known by content, from a file or a pipe, and are the same jobs.
cd "$DATA" || exit
for kind in gz zst xz; do
	schedlab inspect site.swf.$kind | grep -E 'packed|jobs  |offered'
	schedlab convert site.swf.$kind - 2>/dev/null | cksum
	schedlab convert - - <site.swf.$kind 2>/dev/null | cksum
done
cat site.swf.gz site.swf.gz | schedlab inspect - | grep -E 'packed|jobs  |repeated'
