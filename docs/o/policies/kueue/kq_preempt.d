docs/o/policies/kueue/kq_preempt.o: policies/kueue/kq_preempt.c \
 policies/kueue/kq_victims.h policies/kueue/kq_preempt.h \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_victims.h:
policies/kueue/kq_preempt.h:
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
