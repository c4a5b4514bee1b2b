docs/o/policies/composed/since.o: policies/composed/since.c \
 policies/composed/composed.h sim/plugin.h
policies/composed/composed.h:
sim/plugin.h:
