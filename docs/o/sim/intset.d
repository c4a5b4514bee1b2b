docs/o/sim/intset.o: sim/intset.c sim/intset.h sim/base.h sim/plugin.h
sim/intset.h:
sim/base.h:
sim/plugin.h:
