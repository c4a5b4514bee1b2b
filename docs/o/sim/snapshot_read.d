docs/o/sim/snapshot_read.o: sim/snapshot_read.c sim/snapshot.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/base.h sim/plugin.h \
 sim/tree.h
sim/snapshot.h:
sim/sim.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/tree.h:
