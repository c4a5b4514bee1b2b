docs/o/policies/composed/plan_commit.o: policies/composed/plan_commit.c \
 policies/composed/by_lane.h sim/plugin.h policies/composed/composed.h
policies/composed/by_lane.h:
sim/plugin.h:
policies/composed/composed.h:
