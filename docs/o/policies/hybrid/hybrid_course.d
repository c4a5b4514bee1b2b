docs/o/policies/hybrid/hybrid_course.o: policies/hybrid/hybrid_course.c \
 policies/hybrid/hybrid.h sim/plugin.h
policies/hybrid/hybrid.h:
sim/plugin.h:
