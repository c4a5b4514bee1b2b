docs/o/sim/baseline_read.o: sim/baseline_read.c sim/baseline.h \
 sim/tolerance.h sim/base.h sim/plugin.h sim/tree.h
sim/baseline.h:
sim/tolerance.h:
sim/base.h:
sim/plugin.h:
sim/tree.h:
