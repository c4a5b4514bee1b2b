docs/o/policies/kube/kube_config.o: policies/kube/kube_config.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
