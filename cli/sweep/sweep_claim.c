/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_claim.c - one worker a point, on any number of machines that share a folder.
 *
 * A claim is a file DIR/claims/ID.G that says who its owner is. It is written under a name of its own and
 * then linked: link(2) fails for all but one, over NFS too. G is 0, or one more than a claim whose owner is
 * gone; nothing is ever removed but by its owner. An owner on this machine is gone when its process is; one
 * elsewhere when the claim's time (of the file system's clock) lies CLAIM_LEASE_S behind that of a file
 * written now. After a claim the point's file is looked for once more: its owner may have finished meanwhile.
 * A claim of what is done stays until it is older than that: NFS may answer for up to a minute that the
 * point's file is not there (nfs(5), acdirmax), but never that a link was made twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"

enum { CLAIMS_MAX = 10000, OWNER = 400 };

/* A word of a file of /proc, or "-". */
static void sweep_claim_word_of(const char *path, unsigned which, char *word, size_t size)
{
	char text[1024] = "";
	(void)snprintf(word, size, "-");
	FILE *file = fopen(path, "r");
	if (!file)
		return;
	const size_t len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	(void)fclose(file);
	/* A process's name may have blanks and parentheses. */
	const char *at = strrchr(text, ')');
	at = at ? at + 1 : text;
	at += strspn(at, " ");
	for (unsigned i = 0; i < which && *at; i++) {
		at += strcspn(at, " \n");
		at += strspn(at, " \n");
	}
	if (*at)
		(void)snprintf(word, size, "%.*s", (int)strcspn(at, " \n"), at);
}

/* Where processes have these numbers: the boot, and the PID namespace. */
static void machine_of(char *text, size_t size)
{
	char boot[64];
	char namespace[64] = "-";
	sweep_claim_word_of("/proc/sys/kernel/random/boot_id", 0, boot, sizeof(boot));
	const ssize_t len = readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1);
	namespace[len > 0 ? len : 1] = '\0';
	(void)snprintf(text, size, "%s/%s", boot, namespace);
}

/* When a process began, so that another with its number is not mistaken for it (proc(5): field 22, the 20th
 * behind the name); "-" where there is none, or one that has ended and that nobody has asked about (a
 * zombie). */
static void began(long pid, char *text, size_t size)
{
	char path[64];
	char state[16];
	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	sweep_claim_word_of(path, 0, state, sizeof(state));
	sweep_claim_word_of(path, 19, text, size);
	if (*state == 'Z' || *state == 'X')
		(void)snprintf(text, size, "-");
}

static void owner_text(char *text, size_t size)
{
	char machine[160];
	char since[40];
	char host[128] = "-";
	machine_of(machine, sizeof(machine));
	began((long)getpid(), since, sizeof(since));
	(void)gethostname(host, sizeof(host) - 1);
	(void)snprintf(text, size, "%s %ld %s %s\n", machine, (long)getpid(), since, host);
}

/* False: there is no such claim. */
static bool read_owner(const char *path, char *text, size_t size)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno != ENOENT;
	const ssize_t len = read(file, text, size - 1);
	(void)close(file);
	text[len > 0 ? len : 0] = '\0';
	return true;
}

/* now: of the file system. owner: whose it is. */
static bool is_gone(const char *path, time_t now, char *owner, size_t size)
{
	char text[OWNER] = "";
	char machine[160];
	char mine[160];
	char since[40];
	char is[40];
	char number[32];
	struct stat info;
	if (!read_owner(path, text, sizeof(text)))
		return false; /* Just dropped: whoever looks again gets it. */
	const char *at = text;
	const char *words[4];
	int widths[4];
	for (size_t i = 0; i < SL_LEN(words); i++) {
		widths[i] = (int)strcspn(at, " \n");
		words[i] = at;
		at += widths[i];
		at += strspn(at, " \n");
	}
	(void)snprintf(machine, sizeof(machine), "%.*s", widths[0], words[0]);
	(void)snprintf(number, sizeof(number), "%.*s", widths[1], words[1]);
	(void)snprintf(since, sizeof(since), "%.*s", widths[2], words[2]);
	(void)snprintf(owner, size, "%.*s, process %.*s", widths[3], words[3], widths[1], words[1]);
	machine_of(mine, sizeof(mine));
	if (strcmp(machine, mine) == 0 && mine[0] != '-') {
		began(strtol(number, NULL, 10), is, sizeof(is));
		return strcmp(is, since) != 0;
	}
	return stat(path, &info) == 0 && info.st_mtime + CLAIM_LEASE_S < now;
}

static void claim_name(
	const struct sweep *sweep, const struct point *point, unsigned g, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/claims/%s.%u", sweep->dir, point->id, g);
}

static bool is_done(const struct sweep *sweep, const struct point *point)
{
	char path[4096];
	(void)snprintf(path, sizeof(path), "%s/points/%s.json", sweep->dir, point->id);
	return access(path, F_OK) == 0;
}

/* A file of ours with our name in it: what is linked. */
static int own_file(const struct sweep *sweep, char *path, size_t size, time_t *now, struct sl_err *err)
{
	char text[OWNER];
	struct stat info;
	owner_text(text, sizeof(text));
	(void)snprintf(path, size, "%s/claims/.XXXXXX", sweep->dir);
	const int file = mkstemp(path);
	if (file < 0)
		return sl_fail_sys(err, SL_SYSTEM, "write", path);
	const size_t len = strlen(text);
	const bool whole =
		fchmod(file, 0644) == 0 && write(file, text, len) == (ssize_t)len && fstat(file, &info) == 0;
	if (close(file) != 0 || !whole) {
		(void)sl_fail_sys(err, SL_SYSTEM, "write", path);
		(void)unlink(path);
		return SL_SYSTEM;
	}
	*now = info.st_mtime;
	return SL_OK;
}

int claim_take(const struct sweep *sweep, const struct point *point, struct claim *claim, enum claimed *is,
	struct sl_err *err)
{
	char own[4096];
	time_t now = 0;
	*is = CLAIM_DONE;
	claim->gone[0] = '\0';
	if (is_done(sweep, point))
		return SL_OK;
	int status = own_file(sweep, own, sizeof(own), &now, err);
	*is = CLAIM_TAKEN;
	for (unsigned g = 0; g < CLAIMS_MAX && !status; g++) {
		claim_name(sweep, point, g, claim->path, sizeof(claim->path));
		if (link(own, claim->path) == 0) {
			*is = CLAIM_MINE;
			break;
		}
		if (errno != EEXIST)
			status = sl_fail_sys(err, SL_SYSTEM, "claim", claim->path);
		else if (!is_gone(claim->path, now, claim->gone, sizeof(claim->gone)))
			break;
	}
	(void)unlink(own);
	/* The claim of one that was finished meanwhile stays with it. */
	if (!status && *is != CLAIM_DONE && is_done(sweep, point))
		*is = CLAIM_DONE;
	return status;
}

void claim_drop(const struct claim *claim) { (void)unlink(claim->path); }

void claim_touch(const struct claim *claim) { (void)utimensat(AT_FDCWD, claim->path, NULL, 0); }

void claims_forget(const struct sweep *sweep, const struct point *point)
{
	char path[4096];
	for (unsigned g = 0; g < CLAIMS_MAX; g++) {
		claim_name(sweep, point, g, path, sizeof(path));
		if (unlink(path) != 0)
			return;
	}
}

/* The clock of the file system, whatever that of this machine says. */
static bool time_there(const struct sweep *sweep, time_t *now)
{
	char path[4096];
	struct sl_err ignored = { 0 };
	const bool good = own_file(sweep, path, sizeof(path), now, &ignored) == SL_OK;
	(void)unlink(path);
	return good;
}

size_t claims_living(const struct sweep *sweep)
{
	char path[4096];
	char owner[160];
	struct stat info;
	time_t now = 0;
	size_t living = 0;
	if (!time_there(sweep, &now))
		return 0;
	for (size_t i = 0; i < sweep->count; i++) {
		if (is_done(sweep, &sweep->point[i]))
			continue;
		bool lives = false;
		for (unsigned g = 0; g < CLAIMS_MAX && !lives; g++) {
			claim_name(sweep, &sweep->point[i], g, path, sizeof(path));
			if (stat(path, &info) != 0)
				break;
			lives = !is_gone(path, now, owner, sizeof(owner));
		}
		living += lives;
	}
	return living;
}

void claims_tidy(const struct sweep *sweep)
{
	char path[4096];
	struct stat info;
	time_t now = 0;
	if (!time_there(sweep, &now))
		return;
	for (size_t i = 0; i < sweep->count; i++) {
		claim_name(sweep, &sweep->point[i], 0, path, sizeof(path));
		if (stat(path, &info) == 0 && info.st_mtime + CLAIM_LEASE_S < now &&
			is_done(sweep, &sweep->point[i]))
			claims_forget(sweep, &sweep->point[i]);
	}
}
