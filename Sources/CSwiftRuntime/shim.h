#pragma once

/* Function of the Swift runtime that loads of weak references use. Retains an object and returns it, or returns NULL if
 * the object's deinit has begun. Only the object's memory must still exist. */
void *_Nullable swift_tryRetain(void *_Nonnull object);
