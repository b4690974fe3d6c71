#pragma once

// Each log record carries the place it was made at, not the place libsystemd was called from.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
