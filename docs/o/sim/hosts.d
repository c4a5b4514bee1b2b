docs/o/sim/hosts.o: sim/hosts.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
