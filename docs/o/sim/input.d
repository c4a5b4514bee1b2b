docs/o/sim/input.o: sim/input.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
