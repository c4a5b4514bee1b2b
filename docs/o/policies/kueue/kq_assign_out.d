docs/o/policies/kueue/kq_assign_out.o: policies/kueue/kq_assign_out.c \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
