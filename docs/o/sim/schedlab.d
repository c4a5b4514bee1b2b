docs/o/sim/schedlab.o: sim/schedlab.c sim/schedlab_parts.h sim/runset.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/base.h sim/plugin.h \
 sim/sim.h sim/schedlab.h sim/plugin.h sim/table.h
sim/schedlab_parts.h:
sim/runset.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/sim.h:
sim/schedlab.h:
sim/plugin.h:
sim/table.h:
