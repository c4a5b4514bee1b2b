docs/o/sim/pods_spec.o: sim/pods_spec.c sim/pods_parts.h sim/base.h \
 sim/plugin.h
sim/pods_parts.h:
sim/base.h:
sim/plugin.h:
