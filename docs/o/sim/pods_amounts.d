docs/o/sim/pods_amounts.o: sim/pods_amounts.c sim/pods_parts.h sim/base.h \
 sim/plugin.h
sim/pods_parts.h:
sim/base.h:
sim/plugin.h:
