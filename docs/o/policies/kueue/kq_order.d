docs/o/policies/kueue/kq_order.o: policies/kueue/kq_order.c \
 policies/kueue/kq_wait.h policies/kueue/kq_queue.h policies/kueue/kq.h \
 sim/plugin.h
policies/kueue/kq_wait.h:
policies/kueue/kq_queue.h:
policies/kueue/kq.h:
sim/plugin.h:
