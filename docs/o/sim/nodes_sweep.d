docs/o/sim/nodes_sweep.o: sim/nodes_sweep.c sim/nodes_parts.h sim/nodes.h \
 sim/base.h sim/plugin.h sim/profile.h
sim/nodes_parts.h:
sim/nodes.h:
sim/base.h:
sim/plugin.h:
sim/profile.h:
