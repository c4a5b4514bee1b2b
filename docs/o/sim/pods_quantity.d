docs/o/sim/pods_quantity.o: sim/pods_quantity.c sim/plugin.h
sim/plugin.h:
