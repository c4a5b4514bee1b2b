docs/o/policies/kube/kube_queue.o: policies/kube/kube_queue.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
