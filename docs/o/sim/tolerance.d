docs/o/sim/tolerance.o: sim/tolerance.c sim/tolerance.h sim/base.h \
 sim/plugin.h
sim/tolerance.h:
sim/base.h:
sim/plugin.h:
