docs/o/sim/profile.o: sim/profile.c sim/profile.h sim/base.h sim/plugin.h
sim/profile.h:
sim/base.h:
sim/plugin.h:
