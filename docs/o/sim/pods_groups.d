docs/o/sim/pods_groups.o: sim/pods_groups.c sim/doc.h sim/base.h \
 sim/plugin.h sim/pods_parts.h
sim/doc.h:
sim/base.h:
sim/plugin.h:
sim/pods_parts.h:
