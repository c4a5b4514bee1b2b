docs/o/sim/sheet.o: sim/sheet.c sim/sheet.h sim/base.h sim/plugin.h
sim/sheet.h:
sim/base.h:
sim/plugin.h:
