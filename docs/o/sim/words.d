docs/o/sim/words.o: sim/words.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
