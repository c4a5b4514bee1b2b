docs/o/policies/kube/kube_scale.o: policies/kube/kube_scale.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
