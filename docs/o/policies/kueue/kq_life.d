docs/o/policies/kueue/kq_life.o: policies/kueue/kq_life.c \
 policies/kueue/kq_status.h policies/kueue/kq_cycle.h \
 policies/kueue/kq_preempt.h policies/kueue/kq_assign.h \
 policies/kueue/kq_quota.h policies/kueue/kq.h sim/plugin.h \
 policies/kueue/kq_queue.h policies/kueue/kq_tas.h
policies/kueue/kq_status.h:
policies/kueue/kq_cycle.h:
policies/kueue/kq_preempt.h:
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
policies/kueue/kq_queue.h:
policies/kueue/kq_tas.h:
