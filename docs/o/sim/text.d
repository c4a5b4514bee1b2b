docs/o/sim/text.o: sim/text.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
