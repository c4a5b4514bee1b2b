docs/o/sim/nodes_shut.o: sim/nodes_shut.c sim/nodes_parts.h sim/nodes.h \
 sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
