// Takes the descriptors 3 to 8 before anything else of a test process can, the runtime's event
// descriptors above all. Tests that put sockets there, where a socket unit puts them, would
// otherwise pull these away under threads that wait on them.
#include <fcntl.h>

__attribute__((constructor)) static void takeLowDescriptors(void) {
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    } while (descriptor >= 0 && descriptor < 8);
}
