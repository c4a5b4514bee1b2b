docs/o/sim/pods_near.o: sim/pods_near.c sim/pods_parts.h sim/base.h \
 sim/plugin.h
sim/pods_parts.h:
sim/base.h:
sim/plugin.h:
