docs/o/sim/tally.o: sim/tally.c sim/tally.h sim/names.h sim/base.h \
 sim/plugin.h
sim/tally.h:
sim/names.h:
sim/base.h:
sim/plugin.h:
