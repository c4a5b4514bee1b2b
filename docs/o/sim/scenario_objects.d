docs/o/sim/scenario_objects.o: sim/scenario_objects.c sim/doc.h \
 sim/base.h sim/plugin.h sim/scenario_machine.h sim/names.h \
 sim/scenario_parts.h sim/columns.h sim/intset.h sim/scenario.h \
 sim/plugins.h sim/registry.h
sim/doc.h:
sim/base.h:
sim/plugin.h:
sim/scenario_machine.h:
sim/names.h:
sim/scenario_parts.h:
sim/columns.h:
sim/intset.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
