import CSystemd
import Glibc

/// Properties of a service unit that determine which files and descriptors are available to the service.
package struct UnitProperties: Sendable, Equatable {
    /// Value of `User=` (see systemd.exec(5)), or an empty string for root.
    package let user: String
    /// Value of `Group=` (see systemd.exec(5)), or an empty string for the user's default group.
    package let group: String
    /// Hard limit from `LimitNOFILE=` (see systemd.exec(5)).
    package let descriptorLimit: UInt64
    /// Value of `ConfigurationDirectory=` (see systemd.exec(5)), as directory names below `/etc`.
    package let configurationDirectories: [String]

    private static let managerBusName = "org.freedesktop.systemd1"
    private static let serviceInterface = "\(managerBusName).Service"

    /// Reads the properties from the system's service manager (see org.freedesktop.systemd1(5)).
    ///
    /// - Parameter unit: The name of a service, with or without `.service`.
    /// - Throws: ``SystemdError`` if there is no service manager or the unit has not been loaded.
    package init(of unit: String) throws(SystemdError) {
        let unit = unit.hasSuffix(".service") ? unit : "\(unit).service"
        func check(_ result: CInt) throws(SystemdError) {
            guard result >= 0 else {
                throw SystemdError(operation: .readUnit(name: unit), errno: -result)
            }
        }
        var bus: OpaquePointer?
        try check(sd_bus_open_system(&bus))
        defer { sd_bus_flush_close_unref(bus) }
        var encodedPath: UnsafeMutablePointer<CChar>?
        try check(sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &encodedPath))
        guard let path = encodedPath else {
            throw SystemdError(operation: .readUnit(name: unit), errno: ENOMEM)
        }
        defer { free(path) }

        func readString(_ property: String, of interface: String) throws(SystemdError) -> String {
            var value: UnsafeMutablePointer<CChar>?
            try check(
                sd_bus_get_property_string(
                    bus, Self.managerBusName, path, interface, property, nil, &value))
            defer { free(value) }
            return value.map { String(cString: $0) } ?? ""
        }
        // Even a unit without a unit file has these properties, with their default values.
        guard try readString("LoadState", of: "\(Self.managerBusName).Unit") == "loaded" else {
            throw SystemdError(operation: .readUnit(name: unit), errno: ENOENT)
        }
        user = try readString("User", of: Self.serviceInterface)
        group = try readString("Group", of: Self.serviceInterface)
        var descriptorLimit: UInt64 = 0
        let unsignedNumberType = CChar(bitPattern: UInt8(ascii: "t"))
        try check(
            sd_bus_get_property_trivial(
                bus, Self.managerBusName, path, Self.serviceInterface, "LimitNOFILE", nil,
                unsignedNumberType,
                &descriptorLimit)
        )
        self.descriptorLimit = descriptorLimit
        var directoryNames: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try check(
            sd_bus_get_property_strv(
                bus, Self.managerBusName, path, Self.serviceInterface, "ConfigurationDirectory",
                nil, &directoryNames))
        configurationDirectories = Self.consumeStrings(directoryNames)
    }

    /// Returns the strings in a null-terminated list, and frees the list.
    private static func consumeStrings(
        _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> [String] {
        defer { free(list) }
        var strings: [String] = []
        var nextString = list
        while let string = nextString?.pointee {
            strings.append(String(cString: string))
            free(string)
            nextString = nextString?.advanced(by: 1)
        }
        return strings
    }
}
