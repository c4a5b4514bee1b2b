# All 18 fields and the header come through; what is written reads the same again.
cp "$DATA/site.swf" .
schedlab convert site.swf out.swf && cat out.swf
schedlab convert out.swf - | cmp - out.swf && ls
