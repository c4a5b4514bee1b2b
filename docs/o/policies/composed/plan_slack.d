docs/o/policies/composed/plan_slack.o: policies/composed/plan_slack.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
