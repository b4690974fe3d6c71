#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Parses JSON text into the tree of simdjson, and adds up the counts of all items of all orders.
///
/// @param text The JSON text.
/// @param length Length of the text in bytes.
/// @return The sum, or -1 if the text is not the expected JSON.
long long csimdjson_sum(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
