docs/o/policies/kube/kube_cel_run.o: policies/kube/kube_cel_run.c \
 policies/kube/kube_cel_parts.h policies/kube/kube_cel.h sim/plugin.h
policies/kube/kube_cel_parts.h:
policies/kube/kube_cel.h:
sim/plugin.h:
