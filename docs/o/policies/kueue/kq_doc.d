docs/o/policies/kueue/kq_doc.o: policies/kueue/kq_doc.c \
 policies/kueue/kq_doc.h policies/kueue/kq.h sim/plugin.h
policies/kueue/kq_doc.h:
policies/kueue/kq.h:
sim/plugin.h:
