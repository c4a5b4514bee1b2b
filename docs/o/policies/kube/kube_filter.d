docs/o/policies/kube/kube_filter.o: policies/kube/kube_filter.c \
 policies/kube/kube_dra.h policies/kube/kube.h sim/plugin.h \
 policies/kube/kube_cel.h
policies/kube/kube_dra.h:
policies/kube/kube.h:
sim/plugin.h:
policies/kube/kube_cel.h:
