#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Crash stamps: when a process crashes or exits, it appends a line to registered files. The line states the
 * signal or the exit status, and the activity of the thread.
 *
 *     OWNER \t signal NUMBER \t MILLISECONDS [\t STAGE[ STEP OBJECT] \t SUBJECT] \n
 *
 * OWNER is the text with which the file was registered. MILLISECONDS is the time of CLOCK_BOOTTIME. For an
 * exit, "exit STATUS" replaces "signal NUMBER". STAGE and SUBJECT belong to the place that the thread was in.
 * If the thread was not in a place, they are omitted, and the line is appended to every registered file. STEP
 * and OBJECT identify the step that was running on an object, if any.
 *
 * A signal appends a line only if the kernel or this process raised it. An exit appends a line if the thread
 * is in a place. Otherwise, the line is appended only to the files that are marked for exits. All code that a
 * signal handler runs is async-signal-safe, see signal-safety(7).
 */

/* Sizes of the texts in bytes, including the final NUL of all texts except OBJECT. Longer texts are truncated. */
#define CRASH_STAMP_OWNER 64
#define CRASH_STAMP_SUBJECT 640
#define CRASH_STAMP_STAGE 32
#define CRASH_STAMP_OBJECT 1024

/* Description of a thread's activity. Its creator keeps it allocated while any thread is in it. */
struct crash_stamp_place;

/*
 * Installs signal handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP and SIGSYS, and, in the first
 * call, a handler for exit(3). A signal handler appends the line, restores the previous handler and raises the
 * signal again. Ignored signals remain ignored. Signals that already have these handlers are not changed.
 */
void crash_stamp_install(void);

/* Registers a descriptor that is open for appending. Returns its index, or -1 if too many are registered. */
int crash_stamp_register(int descriptor, const char *owner);

/* Unregisters a descriptor. No further lines are written to it. */
void crash_stamp_unregister(int number);

/* Sets whether an exit(3) on a thread that is not in a place also appends a line to this file. */
void crash_stamp_mark_exits(int number, bool marked);

/* Creates a place, and copies the subject. Returns NULL if there is not enough memory. */
struct crash_stamp_place *crash_stamp_make_place(int number, const char *subject);
void crash_stamp_free_place(struct crash_stamp_place *place);

/* Sets the current stage, which is copied. No step is running on an object afterward. */
void crash_stamp_set_stage(struct crash_stamp_place *place, const char *stage);

/*
 * Sets the step that is running on an object, until the next call of this function or of
 * crash_stamp_set_stage(). The path of the object consists of the path of its parent, a slash and the given
 * name. The path of the parent was set by earlier calls and has a length of `above` bytes. If `above` is 0, the
 * object has no parent. The step is one word and is not copied.
 */
void crash_stamp_set_object(struct crash_stamp_place *place, const char *step, size_t above,
                            const char *name, size_t length);

/*
 * Enters a place on this thread, or leaves the current place if `place` is NULL. Returns the previous place.
 * The first call on a thread allocates an alternate signal stack, unless the thread has one, so that a stack
 * overflow can append a line.
 */
struct crash_stamp_place *crash_stamp_enter(struct crash_stamp_place *place);

/*
 * Returns whether this thread has appended a line but survived, because an earlier handler let the program
 * continue. Returns true once for each survival, and installs the handlers again. The caller truncates the
 * files.
 */
bool crash_stamp_consume_survival(void);
