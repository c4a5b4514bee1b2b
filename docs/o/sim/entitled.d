docs/o/sim/entitled.o: sim/entitled.c sim/plugin.h
sim/plugin.h:
