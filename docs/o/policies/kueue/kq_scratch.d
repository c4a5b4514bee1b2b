docs/o/policies/kueue/kq_scratch.o: policies/kueue/kq_scratch.c \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
