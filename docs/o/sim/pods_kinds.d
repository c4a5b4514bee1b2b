docs/o/sim/pods_kinds.o: sim/pods_kinds.c sim/pods_parts.h sim/base.h \
 sim/plugin.h
sim/pods_parts.h:
sim/base.h:
sim/plugin.h:
