docs/o/policies/kueue/kq_share.o: policies/kueue/kq_share.c \
 policies/kueue/kq_quota.h policies/kueue/kq.h sim/plugin.h
policies/kueue/kq_quota.h:
policies/kueue/kq.h:
sim/plugin.h:
