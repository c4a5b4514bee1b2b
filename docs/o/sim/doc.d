docs/o/sim/doc.o: sim/doc.c sim/doc.h sim/base.h sim/plugin.h
sim/doc.h:
sim/base.h:
sim/plugin.h:
