docs/o/policies/composed/estimate.o: policies/composed/estimate.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
