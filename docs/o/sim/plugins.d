docs/o/sim/plugins.o: sim/plugins.c sim/plugins.h sim/registry.h \
 sim/base.h sim/plugin.h sim/scenario.h
sim/plugins.h:
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/scenario.h:
