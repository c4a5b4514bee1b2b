docs/o/sim/table.o: sim/table.c sim/table.h sim/base.h sim/plugin.h
sim/table.h:
sim/base.h:
sim/plugin.h:
