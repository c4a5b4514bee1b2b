docs/o/policies/composed/compat.o: policies/composed/compat.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
