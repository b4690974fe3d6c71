#include "ControlInterface.h"

// In C because Swift's compiler takes 5 to 7 s for an array literal of this length.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char text[] = {
#embed "../RepriseControl/org.reprise.Control.varlink" suffix(, 0)
};

const char *const reprise_control_interface = text;
