/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * external_talk.c - a program of the user's as a process, called over a socket that is its standard input
 * and output.
 *
 * A socket, because writing to a pipe without a reader would end us by SIGPIPE. Its standard error goes
 * where ours does.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policies/external/external.h"

extern char **environ;

int external_start(struct external_talk *talk, const char *command, sl_time patience, struct sl_err *err)
{
	char sh[] = "/bin/sh";
	char dash_c[] = "-c";
	int ends[2];
	pid_t pid;
	*talk = (struct external_talk){ .socket = -1, .patience = patience };
	char *text = strdup(command);
	if (!text)
		return sl_fail_memory(err);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		free(text);
		return sl_fail(err, SL_SYSTEM, "external: cannot make a socket: %s", strerror(errno));
	}
	posix_spawn_file_actions_t actions;
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	char *const argv[] = { sh, dash_c, text, NULL };
	const int failed = posix_spawn(&pid, sh, &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(ends[1]);
	free(text);
	if (failed) {
		(void)close(ends[0]);
		return sl_fail(err, SL_SYSTEM, "external: cannot start a shell: %s", strerror(failed));
	}
	talk->socket = ends[0];
	talk->pid = pid;
	return SL_OK;
}

int external_say(struct external_talk *talk, const char *line, size_t len, struct sl_err *err)
{
	while (len) {
		const ssize_t sent = send(talk->socket, line, len, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return sl_fail(err, SL_POLICY,
				"external: the program ended before it answered: see what it said");
		line += sent;
		len -= (size_t)sent;
	}
	return SL_OK;
}

static int more(struct external_talk *talk, struct sl_err *err)
{
	struct pollfd at = { .fd = talk->socket, .events = POLLIN };
	const sl_time ms = talk->patience / 1000;
	const int ready = poll(&at, 1, ms > INT32_MAX ? -1 : (int)ms);
	if (ready == 0)
		return sl_fail(err, SL_POLICY,
			"external: the program did not answer in time: mend it, or give it more with timeout=");
	if (talk->read_capacity - talk->read_len < 65536) {
		const size_t capacity = 2 * talk->read_capacity + 131072;
		char *grown = capacity < EXTERNAL_LINE_MAX ? realloc(talk->read, capacity) : NULL;
		if (!grown)
			return sl_fail(
				err, SL_POLICY, "external: an answer of more than 64 MiB, or memory is out");
		talk->read = grown;
		talk->read_capacity = capacity;
	}
	const ssize_t got = recv(talk->socket, talk->read + talk->read_len, 65535, 0);
	if (got < 0 && errno == EINTR)
		return SL_OK;
	if (got <= 0)
		return sl_fail(
			err, SL_POLICY, "external: the program ended before it answered: see what it said");
	talk->read_len += (size_t)got;
	return SL_OK;
}

int external_hear(struct external_talk *talk, const char **line, size_t *len, struct sl_err *err)
{
	if (talk->taken) {
		memmove(talk->read, talk->read + talk->taken, talk->read_len - talk->taken);
		talk->read_len -= talk->taken;
		talk->taken = 0;
	}
	for (size_t looked = 0;;) {
		const char *end = talk->read_len > looked
					  ? memchr(talk->read + looked, '\n', talk->read_len - looked)
					  : NULL;
		if (end) {
			*line = talk->read;
			*len = (size_t)(end - talk->read);
			talk->taken = *len + 1;
			return SL_OK;
		}
		looked = talk->read_len;
		const int status = more(talk, err);
		if (status)
			return status;
	}
}

void external_end(struct external_talk *talk)
{
	enum { TRIES = 200, EACH_MS = 10 };
	if (talk->socket < 0)
		return;
	(void)close(talk->socket);
	talk->socket = -1;
	int how;
	for (int i = 0; i < TRIES; i++) {
		if (waitpid((pid_t)talk->pid, &how, WNOHANG) != 0)
			break;
		(void)poll(NULL, 0, EACH_MS);
		if (i == TRIES - 1) {
			(void)kill((pid_t)talk->pid, SIGKILL);
			(void)waitpid((pid_t)talk->pid, &how, 0);
		}
	}
	free(talk->read);
	talk->read = NULL;
}

/* ---- Texts ------------------------------------------------------------------------------------- */

static char *external_talk_capacity(struct external_text *to, size_t len)
{
	to->failed |= SL_GROW(to->text, to->capacity, to->len + len + 1, NULL) != SL_OK;
	if (to->failed)
		return NULL;
	return to->text + to->len;
}

void external_put(struct external_text *to, const char *text)
{
	const size_t len = strlen(text);
	char *at = external_talk_capacity(to, len);
	if (!at)
		return;
	memcpy(at, text, len + 1);
	to->len += len;
}

void external_put_number(struct external_text *to, const char *before, int64_t number)
{
	char text[32];
	*sl_put_i64(text, number) = '\0';
	external_put(to, before);
	external_put(to, text);
}

void external_put_time(struct external_text *to, const char *before, sl_time time)
{
	char text[40];
	*sl_put_micro(text, time) = '\0';
	external_put(to, before);
	external_put(to, text);
}

void external_put_string(struct external_text *to, const char *before, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	external_put(to, before);
	external_put(to, "\"");
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		const char escaped[] = { '\\', *text, '\0' };
		const char control[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15], '\0' };
		const char plain[] = { *text, '\0' };
		external_put(to, c < 0x20 ? control : c == '"' || c == '\\' ? escaped : plain);
	}
	external_put(to, "\"");
}
