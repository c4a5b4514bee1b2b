docs/o/policies/composed/plan_share.o: policies/composed/plan_share.c \
 policies/composed/composed.h sim/plugin.h policies/composed/shares.h \
 policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/shares.h:
policies/composed/parties.h:
