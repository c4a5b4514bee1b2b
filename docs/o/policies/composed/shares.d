docs/o/policies/composed/shares.o: policies/composed/shares.c \
 policies/composed/shares.h policies/composed/parties.h sim/plugin.h \
 policies/composed/composed.h
policies/composed/shares.h:
policies/composed/parties.h:
sim/plugin.h:
policies/composed/composed.h:
