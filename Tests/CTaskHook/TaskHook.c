#include "TaskHook.h"

#define SWIFT_CALL __attribute__((swiftcall))

typedef void(SWIFT_CALL *enqueue_function)(void *job);

// Declared in swift/Runtime/Concurrency.h.
extern void(SWIFT_CALL *swift_task_enqueueGlobal_hook)(void *job, enqueue_function original);

static void (*job_handler)(void *job);

static SWIFT_CALL void enqueue(void *job, enqueue_function original)
{
    (void)original;
    job_handler(job);
}

void set_global_job_handler(void (*handler)(void *job))
{
    job_handler = handler;
    swift_task_enqueueGlobal_hook = enqueue;
}
