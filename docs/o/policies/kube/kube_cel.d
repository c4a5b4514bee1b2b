docs/o/policies/kube/kube_cel.o: policies/kube/kube_cel.c \
 policies/kube/kube_cel_parts.h policies/kube/kube_cel.h sim/plugin.h
policies/kube/kube_cel_parts.h:
policies/kube/kube_cel.h:
sim/plugin.h:
