docs/o/policies/composed/plan_elastic.o: policies/composed/plan_elastic.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
