docs/o/policies/composed/plan_slices.o: policies/composed/plan_slices.c \
 policies/composed/composed.h sim/plugin.h policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/parties.h:
