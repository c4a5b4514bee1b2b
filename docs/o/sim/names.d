docs/o/sim/names.o: sim/names.c sim/names.h sim/base.h sim/plugin.h
sim/names.h:
sim/base.h:
sim/plugin.h:
