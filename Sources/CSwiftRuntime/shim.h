#pragma once

/* Function of the Swift runtime that loads weak references. Retains an object and returns it, or returns NULL if the
 * object's deinit has begun. Only the memory of the object must still be allocated. */
void *_Nullable swift_tryRetain(void *_Nonnull object);
