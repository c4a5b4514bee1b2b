docs/o/sim/stats.o: sim/stats.c sim/stats.h sim/base.h sim/plugin.h
sim/stats.h:
sim/base.h:
sim/plugin.h:
