docs/o/sim/ask.o: sim/ask.c sim/base.h sim/plugin.h
sim/base.h:
sim/plugin.h:
