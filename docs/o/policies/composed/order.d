docs/o/policies/composed/order.o: policies/composed/order.c \
 policies/composed/composed.h sim/plugin.h policies/composed/shares.h \
 policies/composed/parties.h
policies/composed/composed.h:
sim/plugin.h:
policies/composed/shares.h:
policies/composed/parties.h:
