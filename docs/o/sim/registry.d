docs/o/sim/registry.o: sim/registry.c sim/registry.h sim/base.h \
 sim/plugin.h sim/plugins.h
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/plugins.h:
