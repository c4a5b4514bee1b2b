docs/o/sim/doc_yaml.o: sim/doc_yaml.c sim/doc.h sim/base.h sim/plugin.h
sim/doc.h:
sim/base.h:
sim/plugin.h:
