docs/o/policies/composed/plan_named.o: policies/composed/plan_named.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
