/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal under curses, and how it is restored when the program dies. */
#include <config.h>

#include "screen/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"

#define BEL 7
#define PARAMETER_MAX 1000

/* Of the VT220 ('~'), and of the VT100 in both of its modes; terminals differ in which they send. */
static int meaning(const struct key_sequence *sequence, int last)
{
	static const struct {
		int last;
		unsigned parameter;
		int key;
	} keys[] = {
		{ '~', 1, K_HOME },    { '~', 7, K_HOME },      { 'H', 0, K_HOME },
		{ '~', 4, K_END },     { '~', 8, K_END },       { 'F', 0, K_END },
		{ '~', 5, K_PAGE_UP }, { '~', 6, K_PAGE_DOWN }, { 'A', 0, K_UP },
		{ 'B', 0, K_DOWN },    { 'C', 0, K_RIGHT },     { 'D', 0, K_LEFT },
		{ '~', 3, K_DELETE },  { 'Z', 0, K_BACK_TAB },
	};

	for (size_t i = 0; sequence->n_others == 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].last == last && keys[i].parameter == sequence->parameter)
			return keys[i].key;
	return 0;
}

static int begin(struct key_sequence *sequence, uint64_t now_ns)
{
	sequence->state = SEQUENCE_ESCAPE;
	sequence->began_ns = now_ns;
	sequence->parameter = 0;
	sequence->n_others = 0;
	return 0;
}

static int end(struct key_sequence *sequence, int key)
{
	sequence->state = SEQUENCE_NONE;
	return key;
}

/* Outside of a sequence. */
static int plain(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	return key == K_ESCAPE ? begin(sequence, now_ns) : end(sequence, key);
}

static int after_escape(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key == K_ESCAPE) {
		begin(sequence, now_ns);
		return K_ESCAPE; /* the one before */
	}
	if (key == '[')
		sequence->state = SEQUENCE_CSI;
	else if (key == 'O')
		sequence->state = SEQUENCE_SS3;
	else if (key > 0 && key < 0x80 && strchr("]P_^X", key))
		sequence->state = SEQUENCE_STRING;
	else
		end(sequence, 0); /* a key with Alt */
	sequence->length = 0;
	return 0;
}

static int in_control(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key < ' ' || key > '~')
		return plain(sequence, key, now_ns); /* it was broken off */
	if (key == '[' && sequence->state == SEQUENCE_CSI && !sequence->parameter && !sequence->n_others) {
		sequence->state = SEQUENCE_CONSOLE;
		return 0;
	}
	if (key == 'c' && sequence->state == SEQUENCE_CSI && sequence->n_others > 0)
		sequence->answer = ANSWER_DEVICE;
	if (key >= '@')
		return end(sequence, meaning(sequence, key));
	if (key >= '0' && key <= '9' && sequence->parameter < PARAMETER_MAX)
		sequence->parameter = 10 * sequence->parameter + (unsigned)(key - '0');
	else
		sequence->n_others++;
	return 0;
}

static int in_string(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (key == K_ESCAPE || key == BEL) {
		sequence->text[sequence->length] = '\0';
		sequence->answer = ANSWER_STRING;
	} else if (sequence->length + 1 < KEY_ANSWER_MAX) {
		sequence->text[sequence->length++] = (char)key;
	}
	if (key == K_ESCAPE)
		return begin(sequence, now_ns); /* its \ is taken for a key with Alt */
	return key == BEL ? end(sequence, 0) : 0;
}

int key_sequence_feed(struct key_sequence *sequence, int key, uint64_t now_ns)
{
	if (sequence->state != SEQUENCE_NONE && now_ns - sequence->began_ns > KEY_SEQUENCE_NS)
		sequence->state = SEQUENCE_NONE;
	switch (sequence->state) {
	case SEQUENCE_ESCAPE:
		return after_escape(sequence, key, now_ns);
	case SEQUENCE_CSI:
	case SEQUENCE_SS3:
		return in_control(sequence, key, now_ns);
	case SEQUENCE_CONSOLE:
		return end(sequence, 0);
	case SEQUENCE_STRING:
		return in_string(sequence, key, now_ns);
	default:
		return plain(sequence, key, now_ns);
	}
}

int key_sequence_pause(struct key_sequence *sequence)
{
	return sequence->state == SEQUENCE_ESCAPE ? end(sequence, K_ESCAPE) : 0;
}

#define STUCK_SECONDS 1
#define ANSWER_MS 100

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU };
/* These, and those for real time, end a program without a handler. */
static const int other_signals[] = { SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
#ifdef SIGSTKFLT
				     SIGSTKFLT,
#endif
};
static const int end_signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

/* What a signal handler needs to restore the terminal without curses: there is one terminal. */
static struct {
	bool taken;
	int fd;
	struct termios before;
	char restore[256]; /* bytes that end the full-screen mode */
	sigset_t ends;     /* the end_signals that are not ignored */
	volatile sig_atomic_t asked; /* the signal that came while the screen was being sent; 0: none */
} rescue;

/* A background process of the terminal is stopped when it changes the modes. */
static bool is_in_foreground(void)
{
	pid_t group = tcgetpgrp(rescue.fd);

	return group < 0 || group == getpgrp();
}

/* Never waits: a terminal that accepts no more bytes must not keep the program alive. */
static void restore_terminal(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (!rescue.taken)
		return;
	rescue.taken = false;
	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	if (write(STDOUT_FILENO, rescue.restore, strlen(rescue.restore)) >= 0 && is_in_foreground())
		tcflush(rescue.fd, TCIFLUSH);
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	if (is_in_foreground())
		tcsetattr(rescue.fd, TCSANOW, &rescue.before);
}

static void on_crash(int number)
{
	restore_terminal();
	signal(number, SIG_DFL);
	raise(number);
}

void terminal_hurry(int number)
{
	rescue.asked = number;
	alarm(STUCK_SECONDS);
}

/* The terminal has accepted nothing since the signal; without a signal another process sent the alarm. */
static void on_stuck(int number)
{
	if (!rescue.asked) {
		on_crash(number);
		return;
	}
	restore_terminal();
	_exit(128 + rescue.asked);
}

static void add_bytes(const char *bytes)
{
	size_t length = strlen(rescue.restore);

	if (length + strlen(bytes) < sizeof(rescue.restore))
		strcpy(rescue.restore + length, bytes);
}

static void add_capability(const char *name)
{
	const char *bytes = tigetstr(name);

	if (bytes && bytes != (char *)-1 && !strchr(bytes, '$')) /* padding "$<...>" would be sent
								  * literally */
		add_bytes(bytes);
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) < 0 || action.sa_handler == SIG_IGN;
}

static void prepare_crash(int number)
{
	if (!is_ignored(number))
		signal(number, on_crash);
}

static void prepare_end_signals(void)
{
	sigemptyset(&rescue.ends);
	for (size_t i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++) {
		if (is_ignored(end_signals[i]))
			continue;
		signal(end_signals[i], terminal_hurry);
		sigaddset(&rescue.ends, end_signals[i]);
	}
	signal(SIGALRM, on_stuck);
}

static void on_stop(int number)
{
	(void)number;
	kill(getpid(), SIGSTOP);
}

/*
 * Before newterm(): while curses draws it ignores SIGTSTP, which discards one that waits for the loop. It
 * leaves the signal alone when there is a handler, which only runs until the loop blocks it.
 */
static void keep_stop_signal(void)
{
	if (!is_ignored(SIGTSTP))
		signal(SIGTSTP, on_stop);
}

static void prepare_rescue(bool mouse)
{
	rescue.restore[0] = '\0';
	add_capability("sgr0");
	add_capability("cnorm");
	add_capability("rmkx");
	if (mouse)
		add_bytes("\033[?1000l\033[?1006l"); /* mouse reports off */
	add_capability("rmcup");
	rescue.taken = true;
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
		signal(crash_signals[i], on_crash);
	for (size_t i = 0; i < sizeof(other_signals) / sizeof(other_signals[0]); i++)
		prepare_crash(other_signals[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		prepare_crash(number);
	prepare_end_signals();
	alloc_on_failure(restore_terminal);
}

static int open_input(struct terminal *terminal)
{
	terminal->input = stdin;
	if (!isatty(STDIN_FILENO))
		terminal->input = fopen("/dev/tty", "re");
	if (!terminal->input || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	terminal->input_fd = fileno(terminal->input);
	rescue.fd = terminal->input_fd;
	return tcgetattr(terminal->input_fd, &rescue.before) < 0 ? -errno : 0;
}

static bool places_cursor(void)
{
	const char *bytes = tigetstr("cup");

	return bytes && bytes != (char *)-1;
}

int terminal_open(struct terminal *terminal, enum theme theme, bool color, bool ascii)
{
	int error = open_input(terminal);

	if (error)
		return error;
	keep_stop_signal();
	if (!newterm(NULL, stdout, terminal->input))
		return -EINVAL;
	if (!places_cursor()) {
		endwin();
		delscreen(set_term(NULL));
		return -EINVAL;
	}
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mouseinterval(0);
	prepare_rescue(mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL) != 0);
	terminal->ascii = ascii || !i18n_is_utf8();
	terminal->color = theme_open(theme, color);
	return 0;
}

/* The Linux console has no answer, and old ones print the question. */
static bool can_be_asked(void)
{
	const char *type = getenv("TERM");

	return type && strncmp(type, "linux", strlen("linux")) != 0 && strncmp(type, "vt", 2) != 0 &&
	       strcmp(type, "dumb") != 0;
}

/* What every terminal answers, what it is, comes behind: then there is no more to wait for. */
void terminal_ask_ground(struct terminal *terminal)
{
	static const char question[] = "\033]11;?\033\\\033[c";

	if (!terminal->color || !can_be_asked())
		return;
	terminal->asked = fputs(question, stdout) >= 0 && fflush(stdout) == 0;
}

bool terminal_ground(struct terminal *terminal, enum theme *theme)
{
	bool known = terminal->ground_known;

	*theme = terminal->ground;
	terminal->ground_known = false;
	return known;
}

static void take_answer(struct terminal *terminal)
{
	struct key_sequence *sequence = &terminal->sequence;

	if (sequence->answer == ANSWER_STRING && terminal->asked)
		terminal->ground_known |= theme_of_answer(sequence->text, &terminal->ground);
	if (sequence->answer == ANSWER_DEVICE)
		terminal->asked = false;
	sequence->answer = ANSWER_NONE;
}

/* An answer that is still to come is not for the shell. */
static void await_answer(const struct terminal *terminal)
{
	struct pollfd input = { .fd = terminal->input_fd, .events = POLLIN };

	if (terminal->asked && is_in_foreground() && poll(&input, 1, ANSWER_MS) > 0)
		tcflush(terminal->input_fd, TCIFLUSH);
}

void terminal_close(struct terminal *terminal)
{
	await_answer(terminal);
	pthread_sigmask(SIG_UNBLOCK, &rescue.ends, NULL);
	if (!is_in_foreground())
		restore_terminal();
	else if (!isendwin())
		endwin();
	rescue.taken = false;
	alarm(0);
	delscreen(set_term(NULL));
	if (terminal->input != stdin)
		fclose(terminal->input);
}

void terminal_suspend(void)
{
	endwin();
	rescue.taken = false;
	kill(getpid(), SIGSTOP);
}

static bool is_ending(void)
{
	sigset_t waiting;

	sigpending(&waiting);
	sigandset(&waiting, &waiting, &rescue.ends);
	return !sigisemptyset(&waiting);
}

bool terminal_resume(void)
{
	while (!is_in_foreground()) {
		if (is_ending())
			return false;
		kill(getpid(), SIGSTOP);
	}
	rescue.taken = true;
	terminal_resize();
	terminal_redraw();
	return true;
}

void terminal_resize(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
}

struct canvas terminal_canvas(const struct terminal *terminal, enum glyph_set glyphs)
{
	return (struct canvas){
		.height = LINES,
		.width = COLS,
		.ascii = terminal->ascii,
		.color = terminal->color,
		.glyphs = &glyph_sets[terminal->ascii ? GLYPHS_ASCII : glyphs],
	};
}

/* KEY_FIND: where the key Home sends what a VT220 sent there. */
static int named_key(int code)
{
	static const struct {
		int code, key;
	} keys[] = {
		{ KEY_UP, K_UP },               { KEY_DOWN, K_DOWN },
		{ KEY_LEFT, K_LEFT },           { KEY_RIGHT, K_RIGHT },
		{ KEY_PPAGE, K_PAGE_UP },       { KEY_NPAGE, K_PAGE_DOWN },
		{ KEY_HOME, K_HOME },           { KEY_FIND, K_HOME },
		{ KEY_END, K_END },             { KEY_SELECT, K_END },
		{ KEY_BACKSPACE, K_BACKSPACE }, { KEY_DC, K_DELETE },
		{ KEY_BTAB, K_BACK_TAB },       { KEY_ENTER, K_ENTER },
		{ KEY_SLEFT, K_SHIFT_LEFT },    { KEY_SRIGHT, K_SHIFT_RIGHT },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].code == code)
			return keys[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return K_F1 + (code - KEY_F(1));
	return 0;
}

static bool read_mouse(struct input *input)
{
	MEVENT event;

	if (getmouse(&event) == ERR)
		return false;
	input->y = event.y;
	input->x = event.x;
	if (event.bstate & BUTTON1_PRESSED)
		input->key = K_CLICK;
	else if (event.bstate & BUTTON4_PRESSED)
		input->key = K_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		input->key = K_WHEEL_DOWN;
	return input->key != 0;
}

/* A character or named key of curses as a key; 0: there is no such key. */
static int key_of_code(int kind, wint_t code)
{
	if (kind == KEY_CODE_YES)
		return named_key((int)code);
	if (code == '\r')
		return K_ENTER;
	return code == 127 || code == 8 ? K_BACKSPACE : (int)code;
}

bool terminal_read(struct terminal *terminal, const struct machine_clock *clock, struct input *input)
{
	wint_t code;
	int kind;

	while ((kind = get_wch(&code)) != ERR) {
		*input = (struct input){ 0 };
		if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
			if (read_mouse(input))
				return true;
			continue;
		}
		input->key =
			key_sequence_feed(&terminal->sequence, key_of_code(kind, code), clock_mono_ns(clock));
		take_answer(terminal);
		if (input->key)
			return true;
	}
	*input = (struct input){ .key = key_sequence_pause(&terminal->sequence) };
	return input->key != 0;
}

/* Requested by what is drawn; y < 0: hidden. */
static struct {
	int y, x;
} cursor;

void terminal_erase(void)
{
	erase();
	cursor.y = -1;
}

void terminal_cursor(int y, int x)
{
	cursor.y = y;
	cursor.x = x;
}

static void place_cursor(void)
{
	static bool seen;

	if (seen != (cursor.y >= 0))
		curs_set(cursor.y >= 0);
	seen = cursor.y >= 0;
	leaveok(stdscr, !seen); /* an invisible cursor need not be moved back */
	if (seen)
		move(cursor.y, cursor.x);
}

/*
 * While output is sent, signals that end the program go to terminal_hurry() instead of the loop: a stopped or
 * disconnected terminal would block it for ever.
 */
void terminal_show(void)
{
	place_cursor();
	pthread_sigmask(SIG_UNBLOCK, &rescue.ends, NULL);
	refresh();
	pthread_sigmask(SIG_BLOCK, &rescue.ends, NULL);
	if (!rescue.asked)
		return;
	alarm(0);
	kill(getpid(), rescue.asked); /* back to the loop */
	rescue.asked = 0;
}

void terminal_redraw(void)
{
	clearok(stdscr, TRUE);
}
