docs/o/policies/kube/kube_preempt.o: policies/kube/kube_preempt.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
