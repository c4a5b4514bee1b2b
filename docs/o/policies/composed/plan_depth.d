docs/o/policies/composed/plan_depth.o: policies/composed/plan_depth.c \
 policies/composed/by_lane.h sim/plugin.h policies/composed/composed.h
policies/composed/by_lane.h:
sim/plugin.h:
policies/composed/composed.h:
