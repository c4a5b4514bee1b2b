docs/o/policies/composed/by_lane.o: policies/composed/by_lane.c \
 policies/composed/by_lane.h sim/plugin.h policies/composed/composed.h \
 policies/composed/parties.h
policies/composed/by_lane.h:
sim/plugin.h:
policies/composed/composed.h:
policies/composed/parties.h:
