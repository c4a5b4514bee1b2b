docs/o/sim/evq.o: sim/evq.c sim/evq.h sim/base.h sim/plugin.h
sim/evq.h:
sim/base.h:
sim/plugin.h:
