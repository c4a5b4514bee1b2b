#include "sim/cli/sweep.h"
int sweep_report(struct sweep *sweep, struct sl_err *err)
{
	(void)sweep;
	(void)err;
	return 0;
}
int sweep_emit(const struct sweep *sweep, const char *engine, struct sl_err *err)
{
	(void)sweep;
	(void)err;
	(void)engine;
	return 0;
}
