docs/o/sim/date.o: sim/date.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
