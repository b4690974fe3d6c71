import CSystemd
import Glibc

/// What the service manager would start a service with, as far as it decides what the service may read
/// and open.
package struct UnitProperties: Sendable, Equatable {
    /// `User=` of systemd.exec(5); empty: root.
    package let user: String
    /// `Group=` of systemd.exec(5); empty: the user's.
    package let group: String
    /// The hard limit of `LimitNOFILE=`, systemd.exec(5).
    package let descriptors: UInt64
    /// `ConfigurationDirectory=` of systemd.exec(5): names below `/etc`.
    package let configurationDirectories: [String]

    private static let manager = "org.freedesktop.systemd1"
    private static let service = "\(manager).Service"

    /// Asks the service manager of the system, as org.freedesktop.systemd1(5) describes.
    ///
    /// - Parameter unit: a service's name, with `.service` at its end or not.
    /// - Throws: ``SystemdFailure`` if there is no manager to ask, or it has no such unit.
    package init(of unit: String) throws(SystemdFailure) {
        let unit = unit.hasSuffix(".service") ? unit : "\(unit).service"
        func check(_ result: CInt) throws(SystemdFailure) {
            guard result >= 0 else {
                throw SystemdFailure(operation: .unit(name: unit), errno: -result)
            }
        }
        var bus: OpaquePointer?
        try check(sd_bus_open_system(&bus))
        defer { sd_bus_flush_close_unref(bus) }
        var encoded: UnsafeMutablePointer<CChar>?
        try check(sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &encoded))
        guard let path = encoded else {
            throw SystemdFailure(operation: .unit(name: unit), errno: ENOMEM)
        }
        defer { free(path) }

        func text(_ property: String, of interface: String) throws(SystemdFailure) -> String {
            var found: UnsafeMutablePointer<CChar>?
            try check(
                sd_bus_get_property_string(
                    bus, Self.manager, path, interface, property, nil, &found))
            defer { free(found) }
            return found.map { String(cString: $0) } ?? ""
        }
        // A unit without a file has these properties, too, with the values of one that says nothing.
        guard try text("LoadState", of: "\(Self.manager).Unit") == "loaded" else {
            throw SystemdFailure(operation: .unit(name: unit), errno: ENOENT)
        }
        user = try text("User", of: Self.service)
        group = try text("Group", of: Self.service)
        var descriptors: UInt64 = 0
        let number = CChar(bitPattern: UInt8(ascii: "t"))
        try check(
            sd_bus_get_property_trivial(
                bus, Self.manager, path, Self.service, "LimitNOFILE", nil, number, &descriptors))
        self.descriptors = descriptors
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try check(
            sd_bus_get_property_strv(
                bus, Self.manager, path, Self.service, "ConfigurationDirectory", nil, &names))
        var directories: [String] = []
        var next = names
        while let name = next?.pointee {
            directories.append(String(cString: name))
            free(name)
            next = next?.advanced(by: 1)
        }
        free(names)
        configurationDirectories = directories
    }
}
