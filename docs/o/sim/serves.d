docs/o/sim/serves.o: sim/serves.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
