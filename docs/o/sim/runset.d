docs/o/sim/runset.o: sim/runset.c sim/runset.h sim/scenario.h \
 sim/plugins.h sim/registry.h sim/base.h sim/plugin.h sim/sim.h
sim/runset.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/sim.h:
