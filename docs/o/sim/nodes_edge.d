docs/o/sim/nodes_edge.o: sim/nodes_edge.c sim/nodes_parts.h sim/nodes.h \
 sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
