docs/o/sim/out.o: sim/out.c sim/out.h sim/base.h sim/plugin.h
sim/out.h:
sim/base.h:
sim/plugin.h:
