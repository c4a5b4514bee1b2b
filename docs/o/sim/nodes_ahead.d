docs/o/sim/nodes_ahead.o: sim/nodes_ahead.c sim/nodes_parts.h sim/nodes.h \
 sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
