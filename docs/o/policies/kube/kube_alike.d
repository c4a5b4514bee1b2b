docs/o/policies/kube/kube_alike.o: policies/kube/kube_alike.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
