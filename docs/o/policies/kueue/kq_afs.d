docs/o/policies/kueue/kq_afs.o: policies/kueue/kq_afs.c \
 policies/kueue/kq_quota.h policies/kueue/kq.h sim/plugin.h \
 policies/kueue/kq_wait.h policies/kueue/kq_queue.h
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
policies/kueue/kq_wait.h:
policies/kueue/kq_queue.h:
