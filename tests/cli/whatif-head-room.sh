# Intervals of single figures are of batches that tell enough, by a t test, and nothing is called 95 %: a burst in one batch has none.
schedlab generate lublin --jobs 2000 --cpus 64 --load 0.7 --seed 1 -q >log.swf
schedlab whatif log.swf -q -p easy --until 'wait.mean < 3d' --head-room=0.9..1.1:0.2
awk 'BEGIN { print "; MaxProcs: 4"; print "; UnixStartTime: 0"
	for (i = 1; i <= 400; i++) print i, i * 1000 - (i > 200 && i <= 210 ? (i - 200) * 990 : 0), -1, 900, 4, -1, -1, 4, 900, -1, 1, 1, 1, 1, 1, 1, -1, -1
	}' >burst.swf
schedlab whatif burst.swf -q -p easy --until 'wait.mean < 1h' --head-room=0.9..1:0.1 | sed -n '1,3p;/^\[/p'
schedlab whatif burst.swf -q -p easy --until 'wait.mean < 1h' --head-room=0.9..1:0.1 --json | grep -c '"low"'
