docs/o/sim/pods.o: sim/pods.c sim/plugin.h
sim/plugin.h:
