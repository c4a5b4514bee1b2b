docs/o/policies/composed/plan_gang.o: policies/composed/plan_gang.c \
 policies/composed/composed.h sim/plugin.h policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/parties.h:
