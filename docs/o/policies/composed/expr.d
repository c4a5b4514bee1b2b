docs/o/policies/composed/expr.o: policies/composed/expr.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
