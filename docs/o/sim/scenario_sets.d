docs/o/sim/scenario_sets.o: sim/scenario_sets.c sim/scenario_machine.h \
 sim/names.h sim/base.h sim/plugin.h sim/scenario_parts.h sim/columns.h \
 sim/intset.h sim/scenario.h sim/plugins.h sim/registry.h
sim/scenario_machine.h:
sim/names.h:
sim/base.h:
sim/plugin.h:
sim/scenario_parts.h:
sim/columns.h:
sim/intset.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
