#pragma once

// Each log record contains the source location of the log statement, not of the call of libsystemd.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
