docs/o/sim/nodes_holding.o: sim/nodes_holding.c sim/nodes_parts.h \
 sim/nodes.h sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
