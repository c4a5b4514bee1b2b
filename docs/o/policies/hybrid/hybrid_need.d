docs/o/policies/hybrid/hybrid_need.o: policies/hybrid/hybrid_need.c \
 policies/hybrid/hybrid.h sim/plugin.h
policies/hybrid/hybrid.h:
sim/plugin.h:
