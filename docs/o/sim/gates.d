docs/o/sim/gates.o: sim/gates.c sim/gates_parts.h sim/pass.h \
 sim/cluster.h sim/base.h sim/plugin.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h
sim/gates_parts.h:
sim/pass.h:
sim/cluster.h:
sim/base.h:
sim/plugin.h:
sim/evq.h:
sim/feedback.h:
sim/gates.h:
sim/nodes.h:
sim/profile.h:
sim/queue.h:
sim/sim.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
