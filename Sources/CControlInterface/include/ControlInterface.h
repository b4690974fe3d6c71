#ifndef REPRISE_CONTROL_INTERFACE_H
#define REPRISE_CONTROL_INTERFACE_H

/// Definition of the interface `org.reprise.Control`: the text of org.reprise.Control.varlink.
extern const char *const reprise_control_interface;

#endif
