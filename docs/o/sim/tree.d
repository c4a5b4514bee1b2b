docs/o/sim/tree.o: sim/tree.c sim/tree.h sim/base.h sim/plugin.h
sim/tree.h:
sim/base.h:
sim/plugin.h:
