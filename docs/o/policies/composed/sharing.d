docs/o/policies/composed/sharing.o: policies/composed/sharing.c \
 policies/composed/composed.h sim/plugin.h policies/composed/shares.h \
 policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/shares.h:
policies/composed/parties.h:
