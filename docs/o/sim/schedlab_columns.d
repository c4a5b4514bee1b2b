docs/o/sim/schedlab_columns.o: sim/schedlab_columns.c sim/pass.h \
 sim/cluster.h sim/base.h sim/plugin.h sim/evq.h sim/feedback.h \
 sim/gates.h sim/nodes.h sim/profile.h sim/queue.h sim/sim.h \
 sim/scenario.h sim/plugins.h sim/registry.h sim/schedlab_parts.h \
 sim/runset.h sim/schedlab.h sim/plugin.h sim/table.h
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
sim/schedlab_parts.h:
sim/runset.h:
sim/schedlab.h:
sim/plugin.h:
sim/table.h:
