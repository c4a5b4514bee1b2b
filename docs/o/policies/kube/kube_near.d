docs/o/policies/kube/kube_near.o: policies/kube/kube_near.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
