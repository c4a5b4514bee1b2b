docs/o/sim/rng.o: sim/rng.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
