docs/o/policies/kueue/kq_quota.o: policies/kueue/kq_quota.c \
 policies/kueue/kq_quota.h policies/kueue/kq.h sim/plugin.h
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
