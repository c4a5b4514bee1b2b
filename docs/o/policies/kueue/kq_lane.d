docs/o/policies/kueue/kq_lane.o: policies/kueue/kq_lane.c \
 policies/kueue/kq_wait.h policies/kueue/kq_queue.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_wait.h:
policies/kueue/kq_queue.h:
policies/kueue/kq.h:
sim/plugin.h:
