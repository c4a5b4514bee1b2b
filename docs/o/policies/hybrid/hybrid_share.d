docs/o/policies/hybrid/hybrid_share.o: policies/hybrid/hybrid_share.c \
 policies/hybrid/hybrid.h sim/plugin.h
policies/hybrid/hybrid.h:
sim/plugin.h:
