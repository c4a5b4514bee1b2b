docs/o/sim/profile_columns.o: sim/profile_columns.c sim/base.h \
 sim/plugin.h
sim/base.h:
sim/plugin.h:
