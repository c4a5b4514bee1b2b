docs/o/sim/scenario_side.o: sim/scenario_side.c sim/scenario_parts.h \
 sim/columns.h sim/base.h sim/plugin.h sim/intset.h sim/names.h \
 sim/scenario.h sim/plugins.h sim/registry.h
sim/scenario_parts.h:
sim/columns.h:
sim/base.h:
sim/plugin.h:
sim/intset.h:
sim/names.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
