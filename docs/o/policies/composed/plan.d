docs/o/policies/composed/plan.o: policies/composed/plan.c \
 policies/composed/by_lane.h sim/plugin.h policies/composed/composed.h
policies/composed/by_lane.h:
sim/plugin.h:
policies/composed/composed.h:
