docs/o/policies/composed/parties.o: policies/composed/parties.c \
 policies/composed/parties.h sim/plugin.h
policies/composed/parties.h:
sim/plugin.h:
