docs/o/sim/baseline_write.o: sim/baseline_write.c sim/baseline.h \
 sim/tolerance.h sim/base.h sim/plugin.h sim/tree.h
sim/baseline.h:
sim/tolerance.h:
sim/base.h:
sim/plugin.h:
sim/tree.h:
