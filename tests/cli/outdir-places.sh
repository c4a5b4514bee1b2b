# Where a directory can be: new, empty, behind a link, here; and where it cannot.
cp "$DATA/four.swf" .
go() { schedlab run four.swf --quiet --only jobs "$@" >/dev/null || echo "exit $?"; }
go -o new//
mkdir empty real
go -o empty
ln -s real link
go -o link
ls -d new/* empty/* real/* link
mkdir here
(cd here && schedlab run ../four.swf --quiet --only jobs -o . >/dev/null && ls -A)
(cd here && schedlab run ../four.swf --quiet -o . >/dev/null && ls -A)
go -o no/such
go -o four.swf
go -o ''
ls -A
