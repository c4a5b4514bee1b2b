docs/o/sim/result.o: sim/result.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
