docs/o/sim/begin_recorded.o: sim/begin_recorded.c sim/engine.h sim/pass.h \
 sim/cluster.h sim/base.h sim/plugin.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h
sim/engine.h:
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
