# SWF to SWF: the same fields to the byte, and the header's lines, of a file that is written as we write it.
cat >one.swf <<'END'
; Version: 2.2
; Computer: made up
; Note: written by hand
; Note: twice
;
; A comment without a label.
; MaxNodes: 8
; MaxProcs: 16
; UnixStartTime: 978303600
1 0 0 60 1 55.5 1024 1 600 -1 1 1 1 1 1 1 -1 -1
2 3600 5 600.25 2 -1 -1 2 600 2048 0 2 1 2 1 1 -1 -1
3 3600 -1 -1 -1 -1 -1 4 3600 -1 5 1 1 1 1 2 1 60
END
schedlab convert one.swf two.swf && cmp one.swf two.swf && echo same
# A cleaning takes what makes no sense (the last line here), and leaves the rest to the byte.
head -n 11 one.swf >kept.swf
schedlab convert --clean one.swf - | cmp - kept.swf
gzip -c one.swf | schedlab convert - - | cmp - one.swf && echo same
# One that was not: blanks, zeros and empty lines go, and from then on nothing changes.
printf ';MaxProcs:4\n\n  01  0.0 -1 +5 2 -1 -1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1  \n' >loose.swf
schedlab convert loose.swf first.swf && cat first.swf
schedlab convert first.swf - | cmp - first.swf && echo same
