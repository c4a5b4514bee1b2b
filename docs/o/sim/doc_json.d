docs/o/sim/doc_json.o: sim/doc_json.c sim/doc.h sim/base.h sim/plugin.h
sim/doc.h:
sim/base.h:
sim/plugin.h:
