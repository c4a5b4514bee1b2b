docs/o/policies/kube/kube_rollout.o: policies/kube/kube_rollout.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
