docs/o/policies/composed/composed_params.o: \
 policies/composed/composed_params.c policies/composed/composed.h \
 sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
