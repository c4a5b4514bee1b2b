docs/o/policies/kube/kube_doc.o: policies/kube/kube_doc.c \
 policies/kube/kube.h sim/plugin.h
policies/kube/kube.h:
sim/plugin.h:
