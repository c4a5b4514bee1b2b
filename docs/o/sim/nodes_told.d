docs/o/sim/nodes_told.o: sim/nodes_told.c sim/nodes_parts.h sim/nodes.h \
 sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
