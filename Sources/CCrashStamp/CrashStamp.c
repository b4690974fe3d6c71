// Declares on_exit(3), which provides the exit status, and the fields of siginfo_t.
#define _GNU_SOURCE

#include "CCrashStamp.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct crash_stamp_place {
    int number;
    // Two buffers, so that one of them is complete whenever a signal arrives.
    char stages[2][CRASH_STAMP_STAGE];
    _Atomic int stage;
    char subject[CRASH_STAMP_SUBJECT];
    // Step that is running on an object, or NULL if no step is running, and the path of the object. Only the
    // thread in the place writes these fields, and only its own handler reads them.
    const char *volatile step;
    size_t objectLength;
    char object[CRASH_STAMP_OBJECT];
};

struct file {
    _Atomic int descriptor;
    _Atomic bool marksExits;
    char owner[CRASH_STAMP_OWNER];
};

enum { maximumFiles = 1024, maximumSignal = 64, lineLength = 2048 };

static const int fatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
// Previous handlers, in two copies, so that one of them is complete whenever a handler reads it.
static struct sigaction earlier[maximumSignal + 1][2];
static _Atomic int presentEarlier[maximumSignal + 1];
static struct file files[maximumFiles] = {[0 ... maximumFiles - 1] = {.descriptor = -1}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pid_t installer;

// These variables are never allocated lazily, because a handler can read them on any thread.
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD struct crash_stamp_place *current;
PER_THREAD volatile sig_atomic_t hasStamped;
PER_THREAD bool isPrepared;

// MARK: The line

struct line {
    size_t length;
    char text[lineLength];
};

static void addText(struct line *line, const char *text) {
    while (*text != 0 && line->length < lineLength - 1) line->text[line->length++] = *text++;
}

static void addNumber(struct line *line, unsigned long long number) {
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    addText(line, digits + at);
}

// Adds the path without control characters, and without a last character that might be incomplete.
static void addObject(struct line *line, const struct crash_stamp_place *place) {
    size_t length = place->objectLength;
    if (length == CRASH_STAMP_OBJECT) {
        while (length > 0 && (place->object[length - 1] & 0xC0) == 0x80) length--;
        if (length > 0) length--;
    }
    for (size_t at = 0; at < length && line->length < lineLength - 1; at++) {
        unsigned char byte = (unsigned char)place->object[at];
        line->text[line->length++] = byte < 0x20 || byte == 0x7F ? '?' : (char)byte;
    }
}

static void writeLine(struct file *file, const char *what, int number,
                      const struct crash_stamp_place *place) {
    int descriptor = atomic_load(&file->descriptor);
    if (descriptor < 0) return;
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    struct line line;
    line.length = 0;
    addText(&line, file->owner);
    addText(&line, what);
    addNumber(&line, (unsigned long long)number);
    addText(&line, "\t");
    addNumber(&line, (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000);
    if (place != NULL) {
        addText(&line, "\t");
        addText(&line, place->stages[atomic_load(&place->stage)]);
        if (place->step != NULL) {
            addText(&line, " ");
            addText(&line, place->step);
            addText(&line, " ");
            addObject(&line, place);
        }
        addText(&line, "\t");
        addText(&line, place->subject);
    }
    line.text[line.length++] = '\n';
    // If the line cannot be written, the error cannot be reported.
    ssize_t written = write(descriptor, line.text, line.length);
    (void)written;
}

static void stamp(const char *what, int number, bool isExit) {
    struct crash_stamp_place *place = current;
    if (place != NULL) {
        writeLine(&files[place->number], what, number, place);
        return;
    }
    for (int index = 0; index < maximumFiles; index++)
        if (!isExit || atomic_load(&files[index].marksExits))
            writeLine(&files[index], what, number, NULL);
}

// MARK: Signals and exits

static bool isOurs(const siginfo_t *info) {
    return info->si_code > 0 || info->si_pid == getpid();
}

static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int code = errno;
    if (getpid() == atomic_load(&installer) && isOurs(info)) {
        stamp("\tsignal ", number, false);
        hasStamped = 1;
    }
    // The previous handler receives the signal as soon as this handler returns.
    sigaction(number, &earlier[number][atomic_load(&presentEarlier[number])], NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0)
        raise(number);
    errno = code;
}

static void handleExit(int status, void *unused) {
    (void)unused;
    if (getpid() == atomic_load(&installer)) stamp("\texit ", status & 0xFF, true);
}

static bool isSame(const struct sigaction *first, const struct sigaction *second) {
    // sa_handler and sa_sigaction are members of one union.
    return first->sa_flags == second->sa_flags && first->sa_handler == second->sa_handler
        && memcmp(&first->sa_mask, &second->sa_mask, sizeof first->sa_mask) == 0;
}

// Records the previous handler, unless it is already recorded, because another thread's handler might be reading
// the recorded copy.
static void recordEarlier(int number, const struct sigaction *present) {
    int index = atomic_load(&presentEarlier[number]);
    if (isSame(&earlier[number][index], present)) return;
    earlier[number][1 - index] = *present;
    atomic_store(&presentEarlier[number], 1 - index);
}

static void putHandlers(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (size_t index = 0; index < sizeof fatalSignals / sizeof *fatalSignals; index++) {
        int number = fatalSignals[index];
        struct sigaction present;
        if (sigaction(number, NULL, &present) != 0) continue;
        if (present.sa_flags & SA_SIGINFO ? present.sa_sigaction == handle
                                          : present.sa_handler == SIG_IGN)
            continue;
        recordEarlier(number, &present);
        sigaction(number, &action, NULL);
    }
}

// MARK: Alternate stacks

static pthread_key_t stackKey;
static size_t stackLength;

static void dropStack(void *stack) {
    stack_t none;
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, NULL);
    munmap(stack, stackLength);
}

static void prepareThread(void) {
    if (stackLength == 0) return;
    isPrepared = true;
    stack_t present;
    if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE))
        return;
    void *stack = mmap(NULL, stackLength, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return;
    stack_t mine;
    memset(&mine, 0, sizeof mine);
    mine.ss_sp = stack;
    mine.ss_size = stackLength;
    if (pthread_setspecific(stackKey, stack) != 0 || sigaltstack(&mine, NULL) != 0) {
        pthread_setspecific(stackKey, NULL);
        munmap(stack, stackLength);
    }
}

// MARK: Calls

void crash_stamp_install(void) {
    pthread_mutex_lock(&lock);
    if (atomic_load(&installer) != getpid()) {
        if (atomic_load(&installer) == 0) {
            on_exit(handleExit, NULL);
            long least = sysconf(_SC_SIGSTKSZ);
            size_t length = least > 65536 ? (size_t)least : 65536;
            if (pthread_key_create(&stackKey, dropStack) == 0) stackLength = length;
        }
        atomic_store(&installer, getpid());
    }
    putHandlers();
    pthread_mutex_unlock(&lock);
}

int crash_stamp_register(int descriptor, const char *owner) {
    int number = -1;
    pthread_mutex_lock(&lock);
    for (int index = 0; index < maximumFiles && number < 0; index++) {
        if (atomic_load(&files[index].descriptor) >= 0) continue;
        strncpy(files[index].owner, owner, CRASH_STAMP_OWNER - 1);
        files[index].owner[CRASH_STAMP_OWNER - 1] = 0;
        atomic_store(&files[index].marksExits, false);
        atomic_store(&files[index].descriptor, descriptor);
        number = index;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

void crash_stamp_unregister(int number) {
    atomic_store(&files[number].descriptor, -1);
}

void crash_stamp_mark_exits(int number, bool marked) {
    atomic_store(&files[number].marksExits, marked);
}

struct crash_stamp_place *crash_stamp_make_place(int number, const char *subject) {
    struct crash_stamp_place *place = calloc(1, sizeof *place);
    if (place == NULL) return NULL;
    place->number = number;
    strncpy(place->subject, subject, CRASH_STAMP_SUBJECT - 1);
    return place;
}

void crash_stamp_free_place(struct crash_stamp_place *place) { free(place); }

void crash_stamp_set_stage(struct crash_stamp_place *place, const char *stage) {
    int next = 1 - atomic_load(&place->stage);
    strncpy(place->stages[next], stage, CRASH_STAMP_STAGE - 1);
    atomic_store(&place->stage, next);
    place->step = NULL;
}

void crash_stamp_set_object(struct crash_stamp_place *place, const char *step, size_t above,
                            const char *name, size_t length) {
    place->step = NULL;
    size_t start = above == 0 ? 0 : above + 1;
    if (start > CRASH_STAMP_OBJECT) start = CRASH_STAMP_OBJECT;
    if (above > 0 && above < CRASH_STAMP_OBJECT) place->object[above] = '/';
    if (length > CRASH_STAMP_OBJECT - start) length = CRASH_STAMP_OBJECT - start;
    if (length > 0) memcpy(place->object + start, name, length);
    place->objectLength = start + length;
    place->step = step;
}

struct crash_stamp_place *crash_stamp_enter(struct crash_stamp_place *place) {
    struct crash_stamp_place *before = current;
    if (!isPrepared) prepareThread();
    current = place;
    return before;
}

bool crash_stamp_consume_survival(void) {
    if (!hasStamped) return false;
    hasStamped = 0;
    crash_stamp_install();
    return true;
}
