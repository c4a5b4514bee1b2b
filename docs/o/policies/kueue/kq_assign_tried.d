docs/o/policies/kueue/kq_assign_tried.o: policies/kueue/kq_assign_tried.c \
 policies/kueue/kq_assign_parts.h policies/kueue/kq_tas.h \
 policies/kueue/kq_assign.h policies/kueue/kq_quota.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_assign_parts.h:
policies/kueue/kq_tas.h:
policies/kueue/kq_assign.h:
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
