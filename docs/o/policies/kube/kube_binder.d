docs/o/policies/kube/kube_binder.o: policies/kube/kube_binder.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
