docs/o/policies/composed/composed.o: policies/composed/composed.c \
 policies/composed/composed.h sim/plugin.h policies/composed/by_lane.h \
 policies/composed/shares.h policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/by_lane.h:
policies/composed/shares.h:
policies/composed/parties.h:
