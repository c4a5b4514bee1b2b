docs/o/policies/composed/plan_quota.o: policies/composed/plan_quota.c \
 policies/composed/composed.h sim/plugin.h policies/composed/shares.h \
 policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/shares.h:
policies/composed/parties.h:
