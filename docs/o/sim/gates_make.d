docs/o/sim/gates_make.o: sim/gates_make.c sim/gates_parts.h sim/pass.h \
 sim/cluster.h sim/base.h sim/plugin.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/names.h
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
sim/names.h:
