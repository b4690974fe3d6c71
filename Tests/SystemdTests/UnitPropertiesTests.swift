import Glibc
import Testing

@testable import Systemd

@Suite struct UnitPropertiesTests {
    @Test func `without a bus, the failure contains the unit and the error number`() async {
        await #expect(processExitsWith: .success) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            for unit in ["reprised", "reprised.service"] {
                #expect(
                    throws: SystemdError(
                        operation: .unit(name: "reprised.service"), errno: ENOENT)
                ) {
                    try UnitProperties(of: unit)
                }
            }
        }
    }
}
