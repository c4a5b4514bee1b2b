docs/o/sim/columns.o: sim/columns.c sim/columns.h sim/base.h sim/plugin.h
sim/columns.h:
sim/base.h:
sim/plugin.h:
