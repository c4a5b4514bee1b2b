docs/o/policies/hybrid/hybrid.o: policies/hybrid/hybrid.c \
 policies/hybrid/hybrid.h sim/plugin.h
policies/hybrid/hybrid.h:
sim/plugin.h:
