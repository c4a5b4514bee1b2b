docs/o/policies/policies_registry.o: policies/policies_registry.c \
 sim/plugin.h
sim/plugin.h:
