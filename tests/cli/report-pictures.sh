# A picture of the schedule shows what was reserved or down; one of shares, who was entitled to what.
cp "$DATA/four.swf" .
cat >nodes.yaml <<'END'
nodes:
  - { name: n, count: 4, cpus: 1 }
reservations:
  - { name: upgrade, nodes: 'n[2-3]', start: 200, duration: 10 }
END
schedlab run four.swf -c nodes.yaml -p stride:by=user,weights=1=3 -q -o out >/dev/null
schedlab report out -q --format svg --chart gantt -o - | grep -c '<title>reserved</title>'
schedlab report out -q --format svg --chart shares -o - | grep -o '[0-9.]* %</text>\|beside a name[^<]*' | grep -v '^[0-9]*00* %'
