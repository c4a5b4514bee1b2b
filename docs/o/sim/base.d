docs/o/sim/base.o: sim/base.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
