docs/o/sim/snapshot.o: sim/snapshot.c sim/snapshot.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/base.h sim/plugin.h \
 sim/engine.h sim/pass.h sim/cluster.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h
sim/snapshot.h:
sim/sim.h:
sim/scenario.h:
sim/plugins.h:
sim/registry.h:
sim/base.h:
sim/plugin.h:
sim/engine.h:
sim/pass.h:
sim/cluster.h:
sim/evq.h:
sim/feedback.h:
sim/gates.h:
sim/nodes.h:
sim/profile.h:
sim/queue.h:
