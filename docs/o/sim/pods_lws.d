docs/o/sim/pods_lws.o: sim/pods_lws.c sim/pods_parts.h sim/base.h \
 sim/plugin.h
sim/pods_parts.h:
sim/base.h:
sim/plugin.h:
