#pragma once

/// Passes each job that would run on a thread of the global executor to a handler instead.
///
/// This affects the whole process. Swift's runtime has this hook for tests and for other executors.
void set_global_job_handler(void (*handler)(void *job));
