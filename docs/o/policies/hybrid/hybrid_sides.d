docs/o/policies/hybrid/hybrid_sides.o: policies/hybrid/hybrid_sides.c \
 policies/hybrid/hybrid.h sim/plugin.h
policies/hybrid/hybrid.h:
sim/plugin.h:
