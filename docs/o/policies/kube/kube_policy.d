docs/o/policies/kube/kube_policy.o: policies/kube/kube_policy.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
