docs/o/policies/kueue/kq_names.o: policies/kueue/kq_names.c \
 policies/kueue/kq.h sim/plugin.h
policies/kueue/kq.h:
sim/plugin.h:
