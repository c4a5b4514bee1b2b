docs/o/policies/composed/plan_srtf.o: policies/composed/plan_srtf.c \
 policies/composed/by_lane.h sim/plugin.h policies/composed/composed.h
policies/composed/by_lane.h:
sim/plugin.h:
policies/composed/composed.h:
