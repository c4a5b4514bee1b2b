docs/o/sim/queue.o: sim/queue.c sim/queue.h sim/base.h sim/plugin.h
sim/queue.h:
sim/base.h:
sim/plugin.h:
