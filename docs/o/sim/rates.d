docs/o/sim/rates.o: sim/rates.c sim/models.h sim/engine.h sim/pass.h \
 sim/cluster.h sim/base.h sim/plugin.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/intset.h
sim/models.h:
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
sim/intset.h:
