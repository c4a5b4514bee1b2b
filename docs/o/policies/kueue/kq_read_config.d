docs/o/policies/kueue/kq_read_config.o: policies/kueue/kq_read_config.c \
 policies/kueue/kq_read.h policies/kueue/kq_assign.h \
 policies/kueue/kq_quota.h policies/kueue/kq.h sim/plugin.h \
 policies/kueue/kq_doc.h
policies/kueue/kq_read.h:
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
policies/kueue/kq_doc.h:
