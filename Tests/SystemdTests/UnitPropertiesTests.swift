import Glibc
import Testing

@testable import Systemd

@Suite struct UnitPropertiesTests {
    @Test func `the failure contains the error number of the connection to the bus`() async {
        await #expect(processExitsWith: .success) {
            // This file is not a socket.
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/dev/null", 1)
            #expect(
                throws: SystemdError(
                    operation: .readUnit(name: "reprised.service"), errno: ECONNREFUSED)
            ) {
                try UnitProperties(of: "reprised")
            }
        }
    }

    @Test func `without a bus, the failure contains the unit and the error number`() async {
        await #expect(processExitsWith: .success) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            for unit in ["reprised", "reprised.service"] {
                #expect(
                    throws: SystemdError(
                        operation: .readUnit(name: "reprised.service"), errno: ENOENT)
                ) {
                    try UnitProperties(of: unit)
                }
            }
        }
    }
}
