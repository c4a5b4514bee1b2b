docs/o/policies/composed/plan_loss.o: policies/composed/plan_loss.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
