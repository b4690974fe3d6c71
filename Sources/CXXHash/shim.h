#ifndef REPRISE_CXXHASH_SHIM_H
#define REPRISE_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
