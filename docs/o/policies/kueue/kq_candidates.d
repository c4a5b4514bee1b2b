docs/o/policies/kueue/kq_candidates.o: policies/kueue/kq_candidates.c \
 policies/kueue/kq_victims.h policies/kueue/kq_preempt.h \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h policies/kueue/kq_queue.h
policies/kueue/kq_victims.h:
policies/kueue/kq_preempt.h:
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
policies/kueue/kq_queue.h:
