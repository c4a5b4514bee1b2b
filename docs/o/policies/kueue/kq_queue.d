docs/o/policies/kueue/kq_queue.o: policies/kueue/kq_queue.c \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h policies/kueue/kq_wait.h policies/kueue/kq_queue.h
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
policies/kueue/kq_wait.h:
policies/kueue/kq_queue.h:
