docs/o/policies/composed/composed_power.o: \
 policies/composed/composed_power.c policies/composed/composed.h \
 sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
