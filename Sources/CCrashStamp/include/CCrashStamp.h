#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * A stamp: one line that a process which dies by itself leaves in files, telling by which signal or
 * exit status, and what the dying thread was doing then.
 *
 *     OWNER \t signal NUMBER \t MILLISECONDS [\t STAGE[ STEP OBJECT] \t SUBJECT] \n
 *
 * OWNER is what the file was registered with, the milliseconds are those of CLOCK_BOOTTIME, an exit
 * has "exit STATUS" instead of the signal. Stage and subject are those of the place that the thread
 * was in; a thread in no place leaves neither, in every registered file. Step and object tell what was
 * done with which object, if anything was.
 *
 * A signal is stamped if the kernel or this process raised it, not if another process sent it. An
 * exit is stamped by a thread in a place, and else in the files that are marked for it. Everything
 * here that a handler runs is async-signal-safe: see signal-safety(7).
 */

/* The most bytes of an owner and of a subject; longer ones are cut. */
#define CRASH_STAMP_OWNER 64
#define CRASH_STAMP_SUBJECT 640
#define CRASH_STAMP_STAGE 32
#define CRASH_STAMP_OBJECT 1024

/* What a thread is doing for somebody. Its owner keeps it alive while any thread is in it. */
struct crash_stamp_place;

/*
 * Puts handlers in front of those that the process has for SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
 * SIGTRAP and SIGSYS, and a hook behind exit(3). A handler leaves its stamp, puts back what was there
 * before and lets the signal arrive there as if it had been the first. Signals that are ignored stay
 * so. Does nothing for signals that have the handlers already.
 */
void crash_stamp_install(void);

/* Adds a descriptor that is open for appending; its number in the register, or -1 if that is full. */
int crash_stamp_register(int descriptor, const char *owner);

/* Takes it out; nothing is written to it any more. */
void crash_stamp_unregister(int number);

/* Whether an exit(3) on a thread in no place is stamped in this file, too. */
void crash_stamp_mark_exits(int number, bool marked);

/* NULL if there is no memory for it. The subject is copied. */
struct crash_stamp_place *crash_stamp_make_place(int number, const char *subject);
void crash_stamp_free_place(struct crash_stamp_place *place);

/* How far the place's owner has come; copied. Nothing is done with an object then. */
void crash_stamp_set_stage(struct crash_stamp_place *place, const char *stage);

/*
 * The step that runs on an object, and which, until the next call of this or of the one above. The object is
 * told by its name; its path begins with that of the object above it, which was told before and has this
 * many bytes, and with a slash; 0: it has no object above. The step is one word, and is not copied.
 */
void crash_stamp_set_object(struct crash_stamp_place *place, const char *step, size_t above,
                            const char *name, size_t length);

/*
 * This thread is in a place now, or in none; gives the place that it was in before. The first call on
 * a thread gives it an alternate stack for handlers, unless it has one, so that a stack overflow can
 * be stamped.
 */
struct crash_stamp_place *crash_stamp_enter(struct crash_stamp_place *place);

/*
 * Whether this thread has left a stamp and lives: a handler that was there before went on with the
 * program. The handlers are put in front again; who asks empties the files. True once for each stamp.
 */
bool crash_stamp_consume_survival(void);
