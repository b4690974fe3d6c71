#include <systemd/sd-daemon.h>

int main(void) {
    return sd_notify(0, "READY=1") > 0 ? 0 : 1;
}
